"""Expressions of every kind, for Hypothesis"""

from hypothesis import strategies as st

from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.operators import INFIX, POSTFIX, PREFIX
from tests.checker.language.trees import AT

NAMES = st.sampled_from(["x", "y", "S", "Op1", "_z", "1a"])
FIELDS = NAMES | st.sampled_from(["IF", "LET", "DOMAIN"])
SYMBOLS = st.sampled_from(sorted({*INFIX, "-."} - {r"\X"}))
PATTERNS: st.SearchStrategy[tree.Pattern] = NAMES | st.lists(NAMES, min_size=1, max_size=2).map(tuple)

Expressions = st.SearchStrategy[tree.Expression]
Steps = st.SearchStrategy[tree.Step]


def some(of: Expressions, least: int = 0) -> st.SearchStrategy[tuple[tree.Expression, ...]]:
    return st.lists(of, min_size=least, max_size=3).map(tuple)


def bounds(of: Expressions) -> st.SearchStrategy[tuple[tree.Bound, ...]]:
    patterns = st.lists(PATTERNS, min_size=1, max_size=2).map(tuple)
    return st.lists(st.builds(tree.Bound, patterns, of, at=st.just(AT)), min_size=1, max_size=2).map(tuple)


def quantified(of: Expressions) -> Expressions:
    unbounded = st.lists(NAMES, min_size=1, max_size=2).map(lambda names: (tree.Bound(tuple(names), None, at=AT),))
    quantifiers = st.sampled_from([r"\A", r"\E", r"\AA", r"\EE"])
    return st.builds(tree.Quantified, quantifiers, bounds(of) | unbounded, of, at=st.just(AT))


def operations(of: Expressions) -> Expressions:
    one = st.sampled_from(sorted({*PREFIX, *POSTFIX}))
    two = st.sampled_from(sorted({*INFIX} - {r"\X"}))
    often = st.sampled_from(["/\\", "\\/", "=>", "=", "+", "-", r"\in", "'", "-.", "~", "[]"])
    unary = st.builds(lambda op, a: tree.Apply(op, (a,), at=AT), one | often.filter(lambda op: op not in INFIX), of)
    binary = st.builds(
        lambda op, a, b: tree.Apply(op, (a, b), at=AT), two | often.filter(lambda op: op in INFIX), of, of
    )
    return unary | binary | binary | st.builds(tree.Product, some(of, 2), at=st.just(AT))


def calls(of: Expressions) -> Expressions:
    abstraction = st.builds(tree.Lambda, st.lists(NAMES, min_size=1, max_size=2).map(tuple), of, at=st.just(AT))
    argument = of | abstraction | st.builds(tree.Name, SYMBOLS, at=st.just(AT))
    instances = st.lists(st.tuples(NAMES, some(argument)), min_size=1, max_size=2).map(tuple)
    through = st.builds(tree.Through, instances, NAMES, some(argument), at=st.just(AT))
    symbolic = st.builds(tree.Through, instances, SYMBOLS, some(argument, 1), at=st.just(AT))
    return st.builds(tree.Apply, NAMES, some(argument, 1), at=st.just(AT)) | through | symbolic | selected(argument)


def selected(argument: Expressions) -> Expressions:
    def step(selector: st.SearchStrategy[str], given: st.SearchStrategy[tuple[tree.Expression, ...]]) -> Steps:
        return st.builds(tree.Step, selector, given, at=st.just(AT))

    named = step(NAMES, some(argument))
    parts = step(st.sampled_from(["1", "23", "<<", ">>", "@", ":"]), st.just(())) | step(st.just(""), some(argument, 1))
    rest = st.lists(parts | step(NAMES | SYMBOLS, some(argument)), max_size=2)
    return st.builds(lambda first, part, more: tree.Selected((first, part, *more), at=AT), named, parts, rest)


def brackets(of: Expressions) -> Expressions:
    fields = st.lists(st.tuples(FIELDS, of), min_size=1, max_size=2).map(tuple)
    plain_fields = st.lists(st.tuples(NAMES, of), min_size=1, max_size=2).map(tuple)
    path = st.lists(some(of, 1) | FIELDS, min_size=1, max_size=2).map(tuple)
    updates = st.lists(st.builds(tree.Update, path, of, at=st.just(AT)), min_size=1, max_size=2).map(tuple)
    return st.one_of(
        st.builds(tree.SetOf, some(of), at=st.just(AT)),
        st.builds(tree.Tuple, some(of), at=st.just(AT)),
        st.builds(tree.Filter, PATTERNS, of, of, at=st.just(AT)),
        st.builds(tree.Image, of, bounds(of), at=st.just(AT)),
        st.builds(tree.Function, bounds(of), of, at=st.just(AT)),
        st.builds(tree.FunctionSet, of, of, at=st.just(AT)),
        st.builds(tree.Record, fields, at=st.just(AT)),
        st.builds(tree.RecordSet, plain_fields, at=st.just(AT)),
        st.builds(tree.Except, of, updates, at=st.just(AT)),
        st.builds(tree.Index, of, some(of, 1), at=st.just(AT)),
        st.builds(tree.Field, of, FIELDS, at=st.just(AT)),
    )


def reaching(of: Expressions) -> Expressions:
    """Expressions that extend as far to the right as possible."""
    arms = st.lists(st.tuples(of, of), min_size=1, max_size=2).map(tuple)
    names = st.lists(NAMES, max_size=2).map(tuple)
    return st.one_of(
        quantified(of),
        st.builds(tree.Labelled, NAMES, names, of, at=st.just(AT)),
        st.builds(tree.Choose, PATTERNS, st.none() | of, of, at=st.just(AT)),
        st.builds(tree.If, of, of, of, at=st.just(AT)),
        st.builds(tree.Case, arms, st.none() | of, at=st.just(AT)),
        st.builds(tree.Let, st.lists(units(of), min_size=1, max_size=2).map(tuple), of, at=st.just(AT)),
    )


def units(of: Expressions) -> st.SearchStrategy[tree.Unit]:
    parameters = st.builds(tree.Parameter, NAMES, st.integers(0, 2), at=st.just(AT)) | st.sampled_from(
        [tree.Parameter("+", 2, at=AT), tree.Parameter("-.", 1, at=AT), tree.Parameter("^+", 1, at=AT)]
    )
    some_parameters = st.lists(parameters, max_size=2).map(tuple)
    values = st.builds(tree.Parameter, NAMES, at=st.just(AT))
    substitutions = st.lists(
        st.tuples(NAMES | SYMBOLS, of | st.builds(tree.Name, SYMBOLS, at=st.just(AT))), max_size=2
    ).map(tuple)
    return st.one_of(
        st.builds(tree.Definition, NAMES, some_parameters, of, at=st.just(AT)),
        st.builds(
            tree.Definition, SYMBOLS.filter(lambda op: op != "-."), st.tuples(values, values), of, at=st.just(AT)
        ),
        st.builds(tree.Definition, st.just("-."), st.tuples(values), of, at=st.just(AT)),
        st.builds(tree.Definition, st.just("^+"), st.tuples(values), of, at=st.just(AT)),
        st.builds(tree.FunctionDefinition, NAMES, bounds(of), of, at=st.just(AT)),
        st.builds(tree.Recursive, st.lists(parameters, min_size=1, max_size=2).map(tuple), at=st.just(AT)),
        st.builds(tree.Instance, NAMES, some_parameters, NAMES, substitutions, at=st.just(AT)),
    )


def temporal(of: Expressions) -> Expressions:
    action = st.builds(tree.Action, st.booleans(), of, of, at=st.just(AT))
    return action | st.builds(tree.Fairness, st.booleans(), of, of, at=st.just(AT))


LEAVES: Expressions = st.one_of(
    st.builds(tree.Number, st.integers(0, 300), at=st.just(AT)),
    st.builds(tree.String, st.text(max_size=4).filter(lambda text: "\r" not in text), at=st.just(AT)),
    st.builds(tree.Name, NAMES | st.sampled_from(["TRUE", "@"]), at=st.just(AT)),
)

EXPRESSIONS: Expressions = st.recursive(
    LEAVES,
    lambda of: st.one_of(operations(of), operations(of), calls(of), brackets(of), reaching(of), temporal(of)),
    max_leaves=12,
)

WITH_LISTS: Expressions = st.recursive(
    LEAVES,
    lambda of: (
        st.builds(tree.Junction, st.sampled_from(["/\\", "\\/"]), some(of, 1), at=st.just(AT))
        | operations(of)
        | reaching(of)
    ),
    max_leaves=12,
)
