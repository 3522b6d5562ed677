r"""The text of a module without comments, surrounding text, tabs and different kinds of line ends.

Every character that is kept keeps its line and column. A tab extends to the next multiple of eight columns, as in SANY.
Comments nest; no comment begins in a string or with the `\*` of `/\*`.
"""

import re

from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.tree import Position

_BEGIN = re.compile(r"-{4,} *MODULE")
_PIECE = re.compile(r'\(\*|\\\*[^\n]*|/\\|"(?:[^"\\\n]|\\.)*"|-{4,} *MODULE|={4,}')
_COMMENT_EDGE = re.compile(r"\(\*|\*\)")
_ALGORITHM = re.compile(r"--(?:fair[ \t]+)?algorithm\b")
_TRANSLATION = re.compile(r"\\\**[ \t]*BEGIN TRANSLATION\b")
_TAB = 8


def module_text(text: str, name: str) -> str:
    """Return the first module in the text and nothing else, with its lines and columns unchanged.

    Raises: Misread if no module begins or a comment does not end.
    """
    text = _one_line_end(text)
    begin = _BEGIN.search(text)
    if begin is None:
        raise Misread("no module begins here: expected ---- MODULE name ----", Position(name, 1, 1))
    return _without_comments(text, name, begin.start(), ends=True)


def expression_text(text: str, name: str) -> str:
    """Return the text without comments. Raises: Misread if a comment does not end."""
    return _without_comments(_one_line_end(text), name, 0, ends=False)


def untranslated(text: str) -> bool:
    """Whether the text has a PlusCal algorithm, but not the translation that PlusCal's translator writes under it."""
    return _ALGORITHM.search(text) is not None and _TRANSLATION.search(text) is None


def _one_line_end(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _without_comments(text: str, name: str, start: int, ends: bool) -> str:
    kept = _Kept(text)
    kept.blank(0, start)
    at, depth = start, 0
    while (piece := _PIECE.search(text, at)) is not None:
        kept.keep(at, piece.start())
        found, at = piece.group(), piece.end()
        if found == "(*":
            at = _end_of_comment(text, name, piece.start())
            kept.blank(piece.start(), at)
        elif found.startswith("\\*"):
            kept.blank(piece.start(), at)
        else:
            kept.keep(piece.start(), at, string=found.startswith('"'))
            depth += found.startswith("-") - found.startswith("=")
            if ends and depth == 0 and found.startswith("="):
                return kept.text()
    kept.keep(at, len(text))
    return kept.text()


def _end_of_comment(text: str, name: str, start: int) -> int:
    depth = 0
    for edge in _COMMENT_EDGE.finditer(text, start):
        depth += 1 if edge.group() == "(*" else -1
        if depth == 0:
            return edge.end()
    line_start = text.rfind("\n", 0, start)
    raise Misread("this comment does not end", Position(name, text.count("\n", 0, start) + 1, start - line_start))


class _Kept:
    """The kept pieces of a text, each at its place."""

    def __init__(self, text: str) -> None:
        self._source = text
        self._tabs = "\t" in text
        self._pieces: list[str] = []
        self._column = 0

    def keep(self, start: int, end: int, string: bool = False) -> None:
        self._add(self._source[start:end], string)

    def blank(self, start: int, end: int) -> None:
        self._add(re.sub(r"[^\n\t]", " ", self._source[start:end]), False)

    def text(self) -> str:
        return "".join(self._pieces)

    def _add(self, piece: str, string: bool) -> None:
        if self._tabs and not string:
            piece = (" " * self._column + piece).expandtabs(_TAB)[self._column :]
        self._pieces.append(piece)
        last_line = piece.rfind("\n")
        self._column = self._column + len(piece) if last_line < 0 else len(piece) - last_line - 1
