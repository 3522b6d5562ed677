"""Pages as trees, read by the parser of the standard library."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "img", "br", "hr", "input"}


@dataclass
class Element:
    """An element of a page with its parts in order; `text` is all text in it."""

    tag: str
    attributes: dict[str, str]
    parts: list["str | Element"] = field(default_factory=list)

    @property
    def children(self) -> list["Element"]:
        return [each for each in self.parts if isinstance(each, Element)]

    @property
    def text(self) -> str:
        return " ".join("".join(each if isinstance(each, str) else f" {each.text} " for each in self.parts).split())

    def all(self, tag: str = "", name: str = "") -> Iterator["Element"]:
        """Every element in this one with this tag and this class."""
        for each in self.children:
            if (not tag or each.tag == tag) and (not name or name in each.attributes.get("class", "").split()):
                yield each
            yield from each.all(tag, name)


class Reader(HTMLParser):
    """A parser that refuses elements that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].parts.append(made)
        if tag not in VOID and tag not in ("polyline",):
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1].parts.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        last = self.open.pop()
        assert last.tag == tag, f"</{tag}> closes <{last.tag}>"

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)


def read(page: str) -> Element:
    """The tree of a page."""
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert len(reader.open) == 1, f"not closed: {reader.open[-1].tag}"
    return reader.open[0]
