"""A table of many rows, written as rich writes it, at a fraction of the cost: `Rows`.

rich measures, wraps, styles and pads each cell. For ten thousand rows this takes longer than the search for their contents.
Here rich computes the widths from the widest cell of each column, and wraps only cells that are wider than their column.
Short tables, and cells with a style, are left to rich. A table whose columns would be too narrow for a word of theirs is
laid out by `layout`.
"""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from schedcheck.report.text import layout
from schedcheck.report.text.layout import GAP

FEW = 100
"""The most rows for which rich writes the table."""


class Rows(Table):
    """A table of plain texts without lines around its cells; a column may be aligned right."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table as segments, one per line."""
        every = [[_text(cell).plain for cell in column.cells] for column in self.columns]
        if not self.row_count or not self.columns:
            yield from super().__rich_console__(console, options)
            return
        headings = [
            (_plain(column.header) or "") if self.show_header else max(texts, key=cell_len) if column.no_wrap else ""
            for column, texts in zip(self.columns, every, strict=True)
        ]
        widths = self._like(headings, _deciding(every)).widths(console, options)
        if _too_narrow(widths, headings, every):
            yield from self._whole(headings, every, console, options)
            return
        cells = self._texts() if self.row_count > FEW else None
        if cells is None:
            yield from super().__rich_console__(console, options)
            return
        style = console.get_style(self.header_style or "")
        for number, row in enumerate([headings, *zip(*cells, strict=True)]):
            for line in self._lines(row, widths, console, low=number == 0):
                yield Segment(line, style if number == 0 else None)
                yield Segment.line()

    def widths(self, console: Console, options: ConsoleOptions) -> list[int]:
        """Return the width of each column, including the gap after it."""
        return self._calculate_column_widths(console, options)

    def _whole(
        self, headings: Sequence[str], columns: Sequence[Sequence[str]], console: Console, options: ConsoleOptions
    ) -> RenderResult:
        """Yield the table with whole words."""
        room = options.max_width
        right = [column.justify == "right" for column in self.columns]
        chosen = layout.widths(headings, columns, right, room)
        alone = layout.beginnings(columns, chosen, room)
        if self.show_header:
            style = console.get_style(self.header_style or "")
            for line in self._lines(headings, [width + GAP for width in chosen[:-1]] + chosen[-1:], console, low=True):
                yield Segment(line, style)
                yield Segment.line()
        styles = [[_style(cell, console) for cell in column.cells] for column in self.columns]
        for number, row in enumerate(zip(*columns, strict=True)):
            for pieces in layout.laid_out(row, chosen, alone, right, room, hanging=not self.show_header):
                end = 0
                for place, start, text in pieces:
                    yield Segment(" " * (start - end))
                    yield Segment(text, styles[place][number])
                    end = start + cell_len(text)
                yield Segment.line()

    def _texts(self) -> list[list[str]] | None:
        """Return the texts of each column; None if a cell is not a plain text."""
        columns: list[list[str]] = []
        for column in self.columns:
            texts = [_plain(cell) for cell in column.cells]
            if None in texts:
                return None
            columns.append([text for text in texts if text is not None])
        return columns

    def _like(self, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> "Rows":
        """Return a table of the same form with these rows."""
        made = Rows(box=None, padding=(0, GAP, 0, 0), header_style="bold", pad_edge=False)
        for heading, column in zip(headings, self.columns, strict=True):
            made.add_column(Text(heading), justify=column.justify, overflow=column.overflow)
        for row in rows:
            made.add_row(*map(Text, row))
        return made

    def _lines(self, row: Sequence[str], widths: Sequence[int], console: Console, *, low: bool) -> Iterator[str]:
        """Yield the lines of a row; the cells are aligned at the bottom if `low`, as headings are, else at the top."""
        last = len(row) - 1
        room = [width - (GAP if place < last else 0) for place, width in enumerate(widths)]
        wrapped = [_wrapped(text, width, console) for text, width in zip(row, room, strict=True)]
        height = max(map(len, wrapped))
        for number in range(height):
            parts = []
            for lines, width, column in zip(wrapped, room, self.columns, strict=True):
                place = number - (height - len(lines) if low else 0)
                line = lines[place] if 0 <= place < len(lines) else ""
                right = column.justify == "right"
                line = line.rstrip() if right else line
                blanks = " " * (width - cell_len(line))
                parts.append(blanks + line if right else line + blanks)
            yield (" " * GAP).join(parts)


def _plain(cell: object) -> str | None:
    """Return the text of a cell; None if it is no text or has a style."""
    if isinstance(cell, Text):
        return None if cell.spans or cell.style else cell.plain
    return cell if isinstance(cell, str) else None


def _text(cell: object) -> Text:
    return cell if isinstance(cell, Text) else Text(str(cell))


def _style(cell: object, console: Console) -> Style | None:
    """Return the style of a cell; None if it has none."""
    return console.get_style(cell.style) if isinstance(cell, Text) and cell.style else None


def _too_narrow(widths: Sequence[int], headings: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether some word is wider than its column; the width includes the gap, except in the last column."""
    for place, (width, heading, cells) in enumerate(zip(widths, headings, columns, strict=True)):
        room = width - (GAP if place < len(widths) - 1 else 0)
        if any(layout.longest_word(text) > room for text in (heading, *cells)):
            return True
    return False


def _deciding(columns: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return one row per column, with only the text of the longest line in that column, which decides its width."""
    longest = [max(texts, key=layout.longest_line) for texts in columns]
    return [[text if other == place else "" for other in range(len(columns))] for place, text in enumerate(longest)]


def _wrapped(text: str, width: int, console: Console) -> list[str]:
    """Return the lines of a cell wrapped to this width."""
    lines = text.split("\n")
    if all(cell_len(line) <= width for line in lines):
        return lines
    return [line.plain.rstrip() for line in Text(text).wrap(console, width, overflow="fold")]
