"""A text that is not XML: why, what stands at that place, and what would be right there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from xml.parsers.expat import ErrorString
from xml.parsers.expat import errors as expat

from urdf.errors import quote

NEAR_CHARS: Final = 30  # of the text at the place of the error; enough to find it by eye
UTF8_BYTES: Final = 4  # of one character, at most
# Expat's reasons are for programmers; these are for whoever has to mend the text. `{open}`
# stands for the tag that is awaited.
REASONS: Final[Mapping[str, tuple[str, str]]] = {
    expat.XML_ERROR_INVALID_TOKEN: (
        "a character that cannot stand here",
        "values in quotes, and < and & as &lt; and &amp;, expected",
    ),
    expat.XML_ERROR_XML_DECL: (
        "a malformed XML declaration",
        "<?xml version='1.0'?>, or none, expected",
    ),
    expat.XML_ERROR_SYNTAX: ("something outside of the root element", "{open} expected"),
    expat.XML_ERROR_NO_ELEMENTS: ("the text ends too early", "{open} expected"),
    expat.XML_ERROR_UNCLOSED_TOKEN: ("this does not end", "> expected"),
    expat.XML_ERROR_UNCLOSED_CDATA_SECTION: ("a CDATA section does not end", "]]> expected"),
    expat.XML_ERROR_TAG_MISMATCH: (
        "another closing tag than the open element's",
        "{open} expected",
    ),
    expat.XML_ERROR_DUPLICATE_ATTRIBUTE: ("an attribute again", "each of them once expected"),
    expat.XML_ERROR_JUNK_AFTER_DOC_ELEMENT: (
        "something after the end of the root element",
        "nothing but comments expected",
    ),
    expat.XML_ERROR_UNDEFINED_ENTITY: (
        "an entity that XML does not define",
        "&lt; &gt; &amp; &quot; &apos; or the number of a character, as in &#233;, expected",
    ),
    expat.XML_ERROR_BAD_CHAR_REF: (
        "the number of a character that XML does not allow",
        "another character expected",
    ),
    expat.XML_ERROR_MISPLACED_XML_PI: (
        "an XML declaration after something else",
        "it at the very start, or none, expected",
    ),
}

# In UTF-8: what is below U+0020 except tab, LF and CR, and U+FFFE and U+FFFF.
NOT_XML: Final = re.compile(rb"[^\t\n\r -\xff]|\xef\xbf[\xbe\xbf]")


def sentence(code: int, data: bytes, at: int, open_tag: str | None, place: str) -> str:
    """Return what is wrong.

    Args:
        code: expat's number of the error.
        data: the text in UTF-8.
        at: where in it the error is.
        open_tag: the innermost element that is open there, if one is.
        place: line and column, as words.
    """
    near = data[at : at + UTF8_BYTES * NEAR_CHARS].decode("utf-8", "ignore")[:NEAR_CHARS]
    near = near.partition("\n")[0].rstrip()
    found = f" at {quote(near)}" if near else ""
    if at == 0 and not data.startswith(b"<"):
        return f"not XML ({place}): the text starts with {quote(near)}; <robot …> expected"
    # Asked of expat itself: Python's own table lacks what a newer expat may say.
    reason = ErrorString(code) or f"error {code}"
    what, right = REASONS.get(reason, (reason, "well-formed XML expected"))
    if NOT_XML.match(data, at):
        what, right = "a character that XML does not have", "none expected"
    awaited = "<robot …>" if open_tag is None else f"</{quote(open_tag)[1:-1]}>"
    return f"not well-formed XML ({place}): {what}{found}; {right.replace('{open}', awaited)}"
