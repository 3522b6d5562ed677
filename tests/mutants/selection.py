"""Which tests are run on a mutant, and in which order: `Selection`.

A line inside a function concerns the tests that reach its statement. Code that runs on import concerns every test, and
first those that reach a line that mentions a name defined there, or another line of the file. Nearer and quicker tests
come first; a test file whose tests have been run in vain is tried later and later. Tests beyond the limit are not run:
a mutant that only such a test would have detected counts as surviving.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tests.mutants.enumeration import Mutant
from tests.mutants.reach import Witness

LIMIT = 30.0
"""The total processor time in seconds of the tests run on one mutant, as measured while lines were recorded."""

OVERHEAD = 0.005
MIRRORED, NAMESAKE = 0.2, 0.25
NEAR_FILE, MENTIONS = 0.5, 0.1
NOTHING: Mapping[str, float] = {}


class Selection:
    """The order in which tests are run on the mutants of these source texts."""

    def __init__(self, texts: Mapping[str, str], tests: Sequence[Witness]) -> None:
        self.tests = tests
        self.spans = {file: list(statements(ast.parse(text).body)) for file, text in texts.items()}
        self.mentions: dict[str, dict[str, set[int]]] = {}
        for file, text in texts.items():
            for number, line in enumerate(text.splitlines(), 1):
                for word in set(re.findall(r"\w+", line)):
                    self.mentions.setdefault(word, {}).setdefault(file, set()).add(number)

    def without(self, name: str) -> None:
        """Remove a test."""
        self.tests = [test for test in self.tests if test.name != name]

    def named(self, name: str) -> Witness | None:
        """The test of this name, if it is still used."""
        return next((test for test in self.tests if test.name == name), None)

    def asked(self, mutant: Mutant) -> list[Witness]:
        """The tests to run on a mutant, up to the limit."""
        return list(limited(self.order(mutant)))

    def quickest(self) -> list[Witness]:
        """The quickest tests of all, up to the limit."""
        return list(limited(sorted(self.tests, key=lambda each: (each.seconds, each.name))))

    def order(self, mutant: Mutant) -> list[Witness]:
        """All tests that a mutant concerns."""
        lines, inside, names = self.statement(mutant.file, mutant.start[0])
        if inside:
            return eager(reaching(self.tests, {mutant.file: set(lines)}), mutant.file)
        # A nearer test may cost more before another is run first.
        nearness = {test.name: NEAR_FILE for test in self.tests if mutant.file in test.lines}
        for name in names:
            nearness |= {test.name: MENTIONS for test in reaching(self.tests, self.mentions[name])}
        return eager(self.tests, mutant.file, nearness)

    def statement(self, file: str, line: int) -> "Span":
        """The innermost statement that contains `line`."""
        return min((span for span in self.spans[file] if line in span[0]), key=lambda span: len(span[0]))


def reaching(tests: Sequence[Witness], lines: Mapping[str, set[int]]) -> list[Witness]:
    """The tests that reach one of these lines."""
    return [
        test
        for test in tests
        if any(not test.lines[file].isdisjoint(those) for file, those in lines.items() if file in test.lines)
    ]


def limited(tests: Sequence[Witness]) -> Iterator[Witness]:
    """Yield the tests, in their order, that fit into the limit together."""
    left = LIMIT
    for test in tests:
        if test.seconds <= left:
            yield test
            left -= test.seconds


Span = tuple[range, bool, tuple[str, ...]]
"""The lines of a statement, whether it is in a function, and the names that it defines."""


def statements(body: Sequence[ast.stmt], inside: bool = False) -> Iterator[Span]:
    """Each statement, and then those nested in it."""
    for each in body:
        decorators = getattr(each, "decorator_list", [])
        nested: list[Sequence[ast.stmt]] = [getattr(each, name, []) for name in ("body", "orelse", "finalbody")]
        nested += [handler.body for handler in getattr(each, "handlers", [])]
        nested += [case.body for case in getattr(each, "cases", [])]
        first = min([each.lineno, *(decorator.lineno for decorator in decorators)])
        assert each.end_lineno is not None
        yield range(first, each.end_lineno + 1), inside, tuple(defined(each))
        for those in nested:
            yield from statements(those, inside or isinstance(each, ast.FunctionDef))


def defined(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement defines."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.Assign(targets=targets):
            yield from (each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))


def eager(tests: Sequence[Witness], file: str, nearness: Mapping[str, float] = NOTHING) -> list[Witness]:
    """The tests in the order in which they are run on a mutant of `file`."""
    folder, _, name = file.rpartition("/")
    mirrored = f"tests/{folder}/"
    before: Counter[str] = Counter()
    ranked = []
    for test in sorted(tests, key=lambda each: (each.seconds, each.name)):
        before[test.file] += 1
        weight = nearness.get(test.name, 1.0) * (MIRRORED if test.file.startswith(mirrored) else 1.0)
        weight *= NAMESAKE if test.file == f"{mirrored}test_{name}" else 1.0
        ranked.append((weight * (test.seconds + OVERHEAD) * before[test.file], test.name, test))
    return [test for _, _, test in sorted(ranked, key=lambda each: each[:2])]
