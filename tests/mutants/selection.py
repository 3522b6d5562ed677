"""Which tests are asked about a mutant, and in which order: `Selection`.

A line inside a function concerns the tests that reach its statement. What runs when a module is imported concerns every
test: those first that reach the file, then those that reach a file that imports it. Nearer and quicker tests come first; a
test file whose tests have been asked in vain is asked less and less eagerly. What is beyond the limit is not asked: a mutant
that only such a test would have noticed counts as surviving.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tests.mutants.enumeration import Mutant
from tests.mutants.reach import Witness
from tests.test_layers import imported, module_name, within

LIMIT = 60.0
"""The tests asked about one mutant take so many seconds of processor time together, as measured while lines were noted."""

OVERHEAD = 0.005
MIRRORED = 0.2


class Selection:
    """The order in which tests are asked, for the mutants of these source texts."""

    def __init__(self, texts: Mapping[str, str], tests: Sequence[Witness]) -> None:
        self.tests = tests
        self.spans = {file: list(statements(ast.parse(text).body)) for file, text in texts.items()}
        self.imports = {file: set(imported(text, module_name(file))) for file, text in texts.items()}

    def asked(self, mutant: Mutant) -> list[Witness]:
        """The tests to ask about a mutant, until the limit."""
        return list(limited(self.order(mutant)))

    def quickest(self) -> list[Witness]:
        """The quickest tests of all, until the limit."""
        return list(limited(sorted(self.tests, key=lambda each: (each.seconds, each.name))))

    def order(self, mutant: Mutant) -> list[Witness]:
        """All tests that a mutant concerns."""
        lines = self.statement(mutant.file, mutant.start[0])
        if lines is not None:
            return eager(
                [test for test in self.tests if not lines.isdisjoint(test.lines.get(mutant.file, ()))], mutant.file
            )
        name = module_name(mutant.file).removesuffix(".__init__")
        importers = {file for file, names in self.imports.items() if any(within(each, name) for each in names)}
        direct = [test for test in self.tests if mutant.file in test.lines]
        near = [test for test in self.tests if mutant.file not in test.lines and not importers.isdisjoint(test.lines)]
        rest = [test for test in self.tests if mutant.file not in test.lines and importers.isdisjoint(test.lines)]
        return eager(direct, mutant.file) + eager(near, mutant.file) + eager(rest, mutant.file)

    def statement(self, file: str, line: int) -> frozenset[int] | None:
        """The lines of the innermost statement of a function that holds `line`; None for what runs on import."""
        around = [span for span in self.spans[file] if line in span[0]]
        lines, inside = min(around, key=lambda span: len(span[0]))
        return frozenset(lines) if inside else None


def limited(tests: Sequence[Witness]) -> Iterator[Witness]:
    """Those of the tests, in their order, that fit into the limit together."""
    left = LIMIT
    for test in tests:
        if test.seconds <= left:
            yield test
            left -= test.seconds


def statements(body: Sequence[ast.stmt], inside: bool = False) -> Iterator[tuple[range, bool]]:
    """The lines of each statement without those nested in it, and whether it is in a function."""
    for each in body:
        decorators = getattr(each, "decorator_list", [])
        nested: list[Sequence[ast.stmt]] = [getattr(each, name, []) for name in ("body", "orelse", "finalbody")]
        nested += [handler.body for handler in getattr(each, "handlers", [])]
        nested += [case.body for case in getattr(each, "cases", [])]
        first = min([each.lineno, *(decorator.lineno for decorator in decorators)])
        assert each.end_lineno is not None
        yield range(first, each.end_lineno + 1), inside
        for those in nested:
            yield from statements(those, inside or isinstance(each, ast.FunctionDef))


def eager(tests: Sequence[Witness], file: str) -> list[Witness]:
    """Tests in the order in which they are asked about a mutant of `file`."""
    folder = "tests/" + file.rpartition("/")[0]
    before: Counter[str] = Counter()
    ranked = []
    for test in sorted(tests, key=lambda each: (each.seconds, each.name)):
        before[test.file] += 1
        weight = MIRRORED if test.file.startswith(folder + "/") else 1.0
        ranked.append((weight * (test.seconds + OVERHEAD) * before[test.file], test.name, test))
    return [test for _, _, test in sorted(ranked, key=lambda each: each[:2])]
