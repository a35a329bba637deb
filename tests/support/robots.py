"""Random robots, and random ways to write one down that must all be read the same."""

from __future__ import annotations

import random
from xml.sax.saxutils import quoteattr

from hypothesis import strategies as st

import urdf

# Any character of XML, those with a meaning in it more often.
CHARACTERS = st.sampled_from("ab <>&\"'\t\n\r_é腕🤖") | st.characters(
    exclude_categories=["Cs"], exclude_characters="\ufffe\uffff", min_codepoint=32
)
NAMES = st.text(CHARACTERS, min_size=1, max_size=8).filter(lambda name: bool(name.strip(" \t\r\n")))
NUMBERS = st.floats(-1e6, 1e6) | st.floats(allow_nan=False, allow_infinity=False)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
ORIGINS = st.builds(urdf.Origin, VECTORS, VECTORS)
SHAPES = st.one_of(
    st.builds(urdf.Box, VECTORS),
    st.builds(urdf.Cylinder, NUMBERS, NUMBERS),
    st.builds(urdf.Sphere, NUMBERS),
    st.builds(urdf.Mesh, st.text(CHARACTERS, max_size=5), VECTORS),
)
VISUALS = st.none() | st.builds(urdf.Visual, ORIGINS, SHAPES)


@st.composite
def robots(draw: st.DrawFn) -> urdf.Robot:
    """Return a strategy for robots of one to seven links, written in any order."""
    names = draw(st.lists(NAMES, min_size=1, max_size=7, unique=True))
    joint_names = draw(st.lists(NAMES, min_size=len(names), max_size=len(names), unique=True))
    joints = []
    for i in range(1, len(names)):
        kind = draw(st.sampled_from(["revolute", "continuous", "prismatic", "fixed"]))
        limited = kind in {"revolute", "prismatic"}
        joints.append(
            urdf.Joint(
                name=joint_names[i],
                type=kind,
                parent=names[draw(st.integers(0, i - 1))],
                child=names[i],
                origin=draw(ORIGINS),
                axis=draw(VECTORS.filter(any)),
                limit=urdf.Limit(draw(NUMBERS), draw(NUMBERS)) if limited else None,
            )
        )
    links = [urdf.Link(name, draw(VISUALS)) for name in draw(st.permutations(names))]
    return urdf.Robot(
        name=draw(st.text(CHARACTERS, max_size=4)),
        links=tuple(links),
        joints=tuple(draw(st.permutations(joints))),
        root_link=names[0],
    )


class Writer:
    """Writes a robot as XML, every free choice of the format taken at random."""

    def __init__(self, choices: random.Random) -> None:
        self._random = choices

    def write(self, robot: urdf.Robot) -> str:
        """Return a text that means the robot; links and joints keep their order among themselves."""
        links = [self._link(link) for link in robot.links]
        joints = [self._joint(joint) for joint in robot.joints]
        body = []
        while links or joints:
            source = self._random.choice([s for s in (links, joints) if s])
            body.append(source.pop(0))
        head = self._random.choice(["", " \n", "\ufeff", '<?xml version="1.0"?>', "<?pi?><!-- -->"])
        spaces = [("name", robot.name), *self._random.choice([[], [("xmlns", "urn:x")]])]
        return head + self._element("robot", spaces, body)

    def _link(self, link: urdf.Link) -> str:
        inside = [] if link.visual is None else [self._visual(link.visual)]
        if inside and self._random.random() < 0.3:
            inside.append("<visual><geometry><sphere radius='7'/></geometry></visual>")
        return self._element("link", [("name", link.name)], inside)

    def _visual(self, visual: urdf.Visual) -> str:
        shape = visual.shape
        attributes = {
            urdf.Box: ["size"],
            urdf.Cylinder: ["radius", "length"],
            urdf.Sphere: ["radius"],
            urdf.Mesh: ["filename", "scale"],
        }[type(shape)]
        written = [(name, self._value(getattr(shape, name))) for name in attributes]
        geometry = self._element("geometry", [], [self._element(_tag(shape), written)])
        return self._shuffled("visual", [], [self._origin(visual.origin), geometry])

    def _origin(self, origin: urdf.Origin) -> str:
        pairs = [("xyz", self._value(origin.xyz)), ("rpy", self._value(origin.rpy))]
        return self._element("origin", pairs)

    def _joint(self, joint: urdf.Joint) -> str:
        inside = [
            self._element("parent", [("link", joint.parent)]),
            self._element("child", [("link", joint.child)]),
            self._origin(joint.origin),
            self._element("axis", [("xyz", self._value(joint.axis))]),
        ]
        if joint.limit is not None:
            ends = (joint.limit.lower, joint.limit.upper)
            pairs = [(n, self._value(v)) for n, v in zip(("lower", "upper"), ends, strict=True)]
            inside.append(self._element("limit", pairs))
        elif self._random.random() < 0.3:
            inside.append("<limit lower='no number'/>")
        return self._shuffled("joint", [("name", joint.name), ("type", joint.type)], inside)

    def _value(self, value: object) -> str:
        if isinstance(value, str):
            return value
        numbers = value if isinstance(value, tuple) else (value,)
        space = self._random.choice([" ", "  ", " \t ", "\n", "\r\n"])
        forms = [repr, "{:.17e}".format, "{:+.17E}".format]
        return self._space() + space.join(self._random.choice(forms)(n) for n in numbers)

    def _shuffled(self, tag: str, pairs: list[tuple[str, str]], inside: list[str]) -> str:
        self._random.shuffle(inside)
        return self._element(tag, pairs, inside)

    def _element(
        self, tag: str, pairs: list[tuple[str, str]], inside: list[str] | None = None
    ) -> str:
        pairs = [*pairs, ("unread", "<x>")] if self._random.random() < 0.2 else pairs
        self._random.shuffle(pairs)
        head = "".join(f" {name}{self._space()}={self._space()}{_quoted(v)}" for name, v in pairs)
        if not inside and self._random.random() < 0.5:
            return f"<{tag}{head}{self._space()}/>"
        body = "".join(self._between(tag) + one for one in inside or [])
        return f"<{tag}{head}>{body}{self._space()}</{tag}>"

    def _space(self) -> str:
        return self._random.choice(["", "", " ", "\r\n", "\n\t"])

    def _between(self, tag: str) -> str:
        some = ["", "\n", "<!-- <link> -->", "<?x?>", "text", "<x:y/>", "<![CDATA[<joint>]]>"]
        if tag != "geometry":  # whose first element is the shape, known or not
            some.append("<gone><link/><joint name='x'/><visual/></gone>")
        return self._random.choice(some)


def _tag(shape: urdf.Shape) -> str:
    return type(shape).__name__.lower()


def _quoted(text: str) -> str:
    return quoteattr(text, {"\n": "&#10;", "\r": "&#xD;", "\t": "&#9;"})
