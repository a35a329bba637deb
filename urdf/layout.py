"""The same XML laid out evenly: two spaces for a level, one element on a line.

Comments, unknown elements, attributes and their order stay. Texts between elements lose the white
space at their ends, as nothing in a description reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from xml.parsers import expat
from xml.sax.saxutils import escape

INDENT: Final = "  "
MAX_INDENTED_LEVELS: Final = 40  # a level deeper is laid out like this one: no line gets huge
_IN_ATTRIBUTES: Final = {'"': "&quot;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"}
_IN_TEXT: Final = {"\r": "&#13;"}


def lay_out(text: str) -> str:
    """Return a well-formed text of XML without a document type, laid out evenly."""
    writer = _Writer()
    parser = expat.ParserCreate("UTF-8")
    parser.XmlDeclHandler = writer.declaration
    parser.StartElementHandler = writer.start
    parser.EndElementHandler = writer.end
    parser.CharacterDataHandler = writer.characters
    parser.CommentHandler = writer.comment
    parser.ProcessingInstructionHandler = writer.instruction
    parser.Parse(text.encode("utf-8"), True)
    return "".join(writer.parts) + "\n"


class _Writer:
    """Expat's handlers; an element's start is held back until it is known to be empty or not."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._depth = 0
        self._held = ""  # a start tag without its >
        self._texts: list[str] = []
        self._text_only = False  # whether nothing but text came since the last start tag

    def declaration(self, version: str, _encoding: str | None, standalone: int) -> None:
        # The encoding is left out where it is not that of the text any more.
        alone = {1: ' standalone="yes"', 0: ' standalone="no"'}.get(standalone, "")
        self._line(f'<?xml version="{version}" encoding="utf-8"{alone}?>')

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._settle()
        said = "".join(
            f' {name}="{escape(value, _IN_ATTRIBUTES)}"' for name, value in attributes.items()
        )
        self._held = f"<{tag}{said}"
        self._text_only = True
        self._indent()
        self._depth += 1

    def end(self, tag: str) -> None:
        if not self._text_only:
            self._settle()
            self._depth -= 1
            self._line(f"</{tag}>")
            return
        self._depth -= 1
        text = escape("".join(self._texts).strip(), _IN_TEXT)
        self._texts.clear()
        self.parts.append(f"{self._held}>{text}</{tag}>" if text else f"{self._held}/>")
        self._held = ""
        self._text_only = False

    def characters(self, text: str) -> None:
        self._texts.append(text)

    def comment(self, text: str) -> None:
        self._settle()
        self._line(f"<!--{text}-->")

    def instruction(self, target: str, data: str) -> None:
        self._settle()
        self._line(f"<?{target} {data}?>" if data else f"<?{target}?>")

    def _settle(self) -> None:
        """Write what is held back: something follows inside the element, or after its text."""
        if self._held:
            self.parts.append(f"{self._held}>")
            self._held = ""
        text = escape("".join(self._texts).strip(), _IN_TEXT)
        self._texts.clear()
        if text:
            self._line(text)
        self._text_only = False

    def _indent(self) -> None:
        if self.parts:
            self.parts.append("\n" + INDENT * min(self._depth, MAX_INDENTED_LEVELS))

    def _line(self, text: str) -> None:
        self._indent()
        self.parts.append(text)
