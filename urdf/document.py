"""XML text to the few elements of it that have a meaning here.

One pass of expat, without a tree library and without recursion. Namespaces are not
processed: a default one then changes nothing, an undeclared prefix does no harm, and an
element with a prefix is no element of a robot. A document type declaration is refused
as it begins, so no entity is ever expanded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from urdf.errors import XmlError, quote
from urdf.malformed import sentence

BEFORE_THE_DECLARATION: Final = "\ufeff \t\r\n"  # not XML there, but real files have it
ANY: Final = "*"

# Which elements are looked at, by the one they stand in. What is not here is skipped whole.
Wanted = Mapping[str, frozenset[str]]
READ: Final[Wanted] = {
    "robot": frozenset({"link", "joint"}),
    "link": frozenset({"visual"}),
    "visual": frozenset({"origin", "geometry"}),
    "geometry": frozenset({ANY}),
    "joint": frozenset({"parent", "child", "origin", "axis", "limit"}),
}
READ_EXTENDED: Final[Wanted] = {
    "robot": frozenset({"link", "joint", "material"}),
    "link": frozenset({"visual", "collision", "inertial"}),
    "visual": frozenset({"origin", "geometry", "material"}),
    "collision": frozenset({"origin", "geometry"}),
    "geometry": frozenset({ANY}),
    "material": frozenset({"color", "texture"}),
    "inertial": frozenset({"origin", "mass", "inertia"}),
    "joint": READ["joint"] | {"mimic", "dynamics", "safety_controller"},
}
NOTHING: Final[frozenset[str]] = frozenset()


@dataclass(slots=True)
class Element:
    """An element that is read, with those of its children that are."""

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> list[Element]:
        """Return the children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        """Return the first child with this tag."""
        return next((child for child in self.children if child.tag == tag), None)


def read(text: str, wanted: Wanted = READ) -> Element:
    """Return the `<robot>` element of a text, with those elements in it that are wanted.

    Raises:
        XmlError: the text is not well-formed XML, or is the XML of something else.
    """
    body = text.lstrip(BEFORE_THE_DECLARATION)
    if not body:
        raise XmlError("the description is empty; the text of a URDF file expected")
    try:
        data = body.encode("utf-8")
    except UnicodeEncodeError as error:
        lines, columns = _extent(text[: len(text) - len(body) + error.start])
        raise XmlError(
            f"not well-formed XML (line {lines + 1}, column {columns + 1}): "
            "half a surrogate pair; a whole character expected",
            lines + 1,
            columns + 1,
        ) from None
    return _Reader(data, wanted, *_extent(text[: len(text) - len(body)])).read()


def _extent(text: str) -> tuple[int, int]:
    """Return how many lines end in a text, and how many columns its last line has.

    A line ends as an editor sees it, and a byte-order mark, which it does not show, has no column.
    """
    seen = text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n")
    return seen.count("\n"), len(seen) - (seen.rfind("\n") + 1)


class _Reader:
    """Expat's handlers: the elements that are open and read, and the tags of what is not."""

    def __init__(self, data: bytes, wanted: Wanted, lines_before: int, columns_before: int) -> None:
        self._data = data
        self._wanted = wanted
        self._lines_before = lines_before
        self._columns_before = columns_before
        self._open: list[Element] = []
        self._root: Element | None = None
        self._skipped: list[str] = []  # tags that are open, from the one that is skipped down
        # The text is Unicode already: what a declaration says of its encoding is of the past.
        self._parser = expat.ParserCreate("UTF-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._doctype

    def read(self) -> Element:
        """Return the root element."""
        try:
            self._parser.Parse(self._data, True)
        except expat.ExpatError as error:
            line, column = self._place(error.lineno, error.offset)
            at = self._parser.ErrorByteIndex
            place = f"line {line}, column {column}"
            raise XmlError(
                sentence(error.code, self._data, at, self._innermost(), place), line, column
            ) from None
        finally:
            # It holds our handlers and they hold us: a ring that would keep text and tree in
            # memory until the garbage collector comes by.
            del self._parser
        assert self._root is not None  # expat refuses a text without an element
        return self._root

    def _innermost(self) -> str | None:
        """Return the tag of the innermost element that is open."""
        if self._skipped:
            return self._skipped[-1]
        return self._open[-1].tag if self._open else None

    def _place(self, line: int, column: int) -> tuple[int, int]:
        """Return line and column, from 1, in the text as it was given."""
        on_first = self._columns_before if line == 1 else 0
        return line + self._lines_before, column + 1 + on_first

    def _element(self, tag: str, attributes: dict[str, str]) -> Element:
        parser = self._parser
        place = self._place(parser.CurrentLineNumber, parser.CurrentColumnNumber)
        return Element(tag, attributes, *place)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._open:
            self._root = element = self._element(tag, attributes)
            if tag != "robot":
                raise XmlError(
                    f"the root element is <{quote(tag)[1:-1]}> "
                    f"(line {element.line}, column {element.column}); <robot> expected",
                    element.line,
                    element.column,
                )
            self._open.append(element)
            return
        parent = self._open[-1]
        wanted = self._wanted.get(parent.tag, NOTHING)
        if (tag not in wanted and not _is_shape(tag, parent, wanted)) or (
            # The strict reading looks at a link's first visual alone.
            tag == "visual" and parent.children and self._wanted is READ
        ):
            self._skipped.append(tag)
            self._parser.StartElementHandler = self._start_skipped
            self._parser.EndElementHandler = self._end_skipped
            return
        element = self._element(tag, attributes)
        parent.children.append(element)
        self._open.append(element)

    def _end(self, _tag: str) -> None:
        self._open.pop()

    def _start_skipped(self, tag: str, _attributes: object) -> None:
        self._skipped.append(tag)

    def _end_skipped(self, _tag: str) -> None:
        self._skipped.pop()
        if not self._skipped:
            self._parser.StartElementHandler = self._start
            self._parser.EndElementHandler = self._end

    def _doctype(self, *_declaration: object) -> None:
        # Expat tells of it at its "[" or ">", not where it begins.
        begin = self._data.rfind(b"<!DOCTYPE", 0, self._parser.CurrentByteIndex)
        lines, columns = _extent(self._data[:begin].decode("utf-8"))
        line, column = self._place(lines + 1, columns)
        raise XmlError(
            f"a document type declaration (line {line}, column {column}); "
            "a robot description has none: leave <!DOCTYPE ...> out",
            line,
            column,
        )


def _is_shape(tag: str, parent: Element, wanted: frozenset[str]) -> bool:
    """Whether it is what a geometry holds: the first element without a prefix."""
    return ANY in wanted and ":" not in tag and not parent.children
