"""Where the cells of a table go whose words are too wide for its columns: `widths`, `beginnings`, `laid_out`.

No word is broken. A cell with a word that is wider than its column takes the lines from the beginning of its column, or of
one before it, to the right edge; the cells after it go below. A word wider than the terminal is broken after '.', '-',
'/' or ','.
"""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

GAP = 2
"""The number of blanks between columns."""

INDENT = 4
"""The beginning of a cell that has a line of its own, if no column but the first leaves it enough room."""

PHRASE = 16
"""The width up to which a line of several words is not wrapped, if it can be avoided."""

LATER = 10
"""How much wider the last column is than another, if it is narrowed before it."""

BREAKING = ".-/,"

Piece = tuple[int, int, str]
"""The column of a piece of text, where it begins, and the text."""


def longest_line(text: str) -> int:
    """Return the width of the longest line of a text."""
    return max(map(cell_len, text.split("\n")))


def longest_word(text: str) -> int:
    """Return the width of the longest word of a text."""
    return max((cell_len(word) for word in text.split()), default=0)


def widths(headings: Sequence[str], columns: Sequence[Sequence[str]], right: Sequence[bool], room: int) -> list[int]:
    """Return the widths of columns, so that the fewest have words that are wider, and text has room where it can."""
    room -= GAP * (len(columns) - 1)
    columns = [[heading, *cells] for heading, cells in zip(headings, columns, strict=True)]
    least = [max(map(_least, cells)) for cells in columns]
    natural = [max(map(longest_line, cells)) for cells in columns]
    chosen = list(least)
    narrowed: list[int] = []
    for place in _by_width(least, [_least(heading) for heading in headings], right, room):
        if sum(chosen) <= room:
            break
        chosen[place] = _least(headings[place])
        narrowed.append(place)
    for place in reversed(narrowed):
        left = room - sum(chosen) + chosen[place]
        fitting = [cell for cell in columns[place] if longest_word(cell) <= left]
        if len(narrowed) == 1 or 2 * len(fitting) >= len(columns[place]):
            chosen[place] = max(chosen[place], min(left, max(map(longest_line, fitting), default=0)))
    for _ in range(2):
        wanting = [each for each in range(len(columns)) if natural[each] > chosen[each] and each not in narrowed]
        for number, place in enumerate(sorted(wanting, key=lambda each: natural[each] - chosen[each])):
            share = max(0, room - sum(chosen)) // (len(wanting) - number)
            chosen[place] += min(share, natural[place] - chosen[place])
            # Names that are listed leave blanks at the end of their lines, which another column can use.
            lines = (line for cell in columns[place] for line in flowed(cell, chosen[place]))
            chosen[place] = max(map(cell_len, lines))
    return chosen


def _least(text: str) -> int:
    """Return the width below which a text is hard to read: that of its longest word, or of a short phrase."""
    whole = longest_line(text)
    return whole if whole <= PHRASE else longest_word(text)


def _by_width(least: Sequence[int], headings: Sequence[int], right: Sequence[bool], room: int) -> list[int]:
    """Return the columns in the order in which they are narrowed: one that is enough first, the widest first, numbers last.

    The last column is narrowed a little later, since the cells of others have room to their right.
    """
    lacking, last = sum(least) - room, len(least) - 1

    def late(place: int) -> tuple[bool, bool, int]:
        enough = least[place] - headings[place] >= lacking
        return right[place], not enough, -least[place] + (LATER if place == last else 0)

    return sorted(range(len(least)), key=late)


def beginnings(columns: Sequence[Sequence[str]], chosen: Sequence[int], room: int) -> list[int]:
    """Return where the cells of each column begin that have a word wider than the column."""
    starts = [sum(chosen[:place]) + GAP * place for place in range(len(chosen))]
    found = []
    for place, cells in enumerate(columns):
        widest = max(map(longest_word, cells), default=0)
        fitting = [start for start in (*starts[1 : place + 1], INDENT) if widest <= room - start]
        found.append(0 if place == 0 else max(fitting, default=0))
    return found


def laid_out(
    row: Sequence[str],
    chosen: Sequence[int],
    alone: Sequence[int],
    right: Sequence[bool],
    room: int,
    *,
    hanging: bool = False,
) -> Iterator[list[Piece]]:
    """Yield the lines of a row; `alone` is where a cell begins that is too wide for its column.

    With `hanging` only the words that are too wide begin there, each on a line of its own, and the cell goes on below.
    """
    starts = [sum(chosen[:place]) + GAP * place for place in range(len(chosen))]
    block: Block = {}
    for place, text in enumerate(row):
        if not text.strip():
            continue
        if longest_word(text) <= chosen[place]:
            lines = flowed(text, chosen[place])
            blank = [chosen[place] - cell_len(line) if right[place] else 0 for line in lines]
            block[place] = [(starts[place] + before, line) for before, line in zip(blank, lines, strict=True)]
            continue
        if alone[place] < starts[place] and not hanging:
            yield from _lines(block)
            block = {}
        if hanging:
            block[place] = _hung(text, starts[place], alone[place], room)
        else:
            block[place] = [(alone[place], line) for line in flowed(text, room - alone[place])]
        yield from _lines(block)
        block = {}
    yield from _lines(block)


def _hung(text: str, start: int, alone: int, room: int) -> list[tuple[int, str]]:
    """Return the lines of a cell that begin at `start`; those of words that are wider than it at `alone`."""
    found = []
    for line in flowed(text, room - start, whole=room - alone):
        found.append((alone if cell_len(line) > room - start else start, line))
    # The first line is beside the heading.
    return [(start, ""), *found] if found[0][0] < start else found


Block = dict[int, list[tuple[int, str]]]
"""The lines of the cells that are beside each other, by column: where each begins, and its text."""


def _lines(block: Block) -> Iterator[list[Piece]]:
    """Yield the lines of cells that are beside each other."""
    for number in range(max(map(len, block.values()), default=0)):
        yield [(place, *lines[number]) for place, lines in block.items() if number < len(lines)]


def flowed(text: str, width: int, whole: int = 0) -> list[str]:
    """Return the lines of a text, broken between words; a word that is wider than `whole` is broken where it may be.

    Without `whole` it may be as wide as a line.
    """
    whole = max(whole, width)
    found: list[str] = []
    for line in text.split("\n"):
        current = " " * (len(line) - len(line.lstrip(" ")))
        for each in line.split():
            for word in _parts(each, whole):
                joined = f"{current} {word}" if current.strip() else current + word
                if current.strip() and cell_len(joined) > width:
                    found.append(current)
                    joined = word
                current = joined
        found.append(current)
    return found


def _parts(word: str, width: int) -> Iterator[str]:
    """Yield the parts of a word, none wider than the width."""
    while cell_len(word) > max(width, 1):
        end = next(number for number in range(len(word), 0, -1) if number == 1 or cell_len(word[:number]) <= width)
        good = max(word.rfind(mark, 0, end) for mark in BREAKING) + 1
        end = good or end
        yield word[:end]
        word = word[end:]
    yield word
