"""What a rule about one link or joint is held against: its parts, and where they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NoReturn, TypeVar

from urdf.document import Element
from urdf.errors import UrdfError, quote
from urdf.scalars import HOW_MANY, XML_SPACE

T = TypeVar("T")


class Place:
    """A link or joint, to complain about."""

    __slots__ = ("_element",)
    error: ClassVar[type[UrdfError]] = UrdfError  # what a refusal raises

    def __init__(self, element: Element) -> None:
        self._element = element

    def refuse(
        self, problem: str, inside: Element | None = None, cause: Exception | None = None
    ) -> NoReturn:
        """Raise an error that says where."""
        element = self._element
        name = element.attributes.get("name")
        what = element.tag if name is None else f"{element.tag} {quote(name)}"
        at = element if inside is None else inside
        raise self.error(
            f"{what} (line {element.line}, column {element.column}): {problem}",
            at.line,
            at.column,
        ) from cause

    def part(self, inside: Element, label: str = "") -> str:
        """Name an element inside, with its line where that is another one."""
        on = "" if inside.line == self._element.line else f" on line {inside.line}"
        return f"{label}<{quote(inside.tag)[1:-1]}>{on}"

    def value(
        self, inside: Element, attribute: str, convert: Callable[[str], T], label: str = ""
    ) -> T | None:
        """Return an attribute's number or vector, None where it is absent."""
        text = inside.attributes.get(attribute)
        if text is None:
            return None
        try:
            return convert(text)
        except ValueError as error:
            right = HOW_MANY[convert]
            part = self.part(inside, label)
            self.refuse(f"{part}: {attribute} must be {right}, {error}", inside, error)

    def needed(
        self, inside: Element, attribute: str, convert: Callable[[str], T], label: str = ""
    ) -> T:
        """Return an attribute's number or vector, which must be there."""
        value = self.value(inside, attribute, convert, label)
        if value is None:
            right = HOW_MANY[convert]
            part = self.part(inside, label)
            self.refuse(f"{part}: no {attribute} attribute; {right} expected", inside)
        return value

    def at_most_one(self, tag: str) -> Element | None:
        """Return the child with this tag, if there is one; the same thing said twice is one."""
        found = self._element.all(tag)
        if not found:
            return None
        if len(found) > 1 and any(other.attributes != found[0].attributes for other in found):
            self.refuse(f"{len(found)} <{tag}> elements that differ; one expected", found[1])
        return found[0]

    def name(self) -> str:
        """Return the name of the link or joint itself."""
        name = self._element.attributes.get("name")
        if name is None:
            self.refuse("no name attribute; name='…' expected")
        if not name.strip(XML_SPACE):
            self.refuse("the name is blank; a name expected")
        return name
