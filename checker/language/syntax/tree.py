r"""The syntax tree of a TLA+ module.

Each operator has one name, the ASCII name that the summary of TLA+ lists first: `\union` and `∪` are `\cup`, `=<`,
`\leq` and `≤` are `<=`, `/=` and `≠` are `#`, `~`, `\lnot` and `¬` are `~`, `\land` is `/\`, and so on. A prefix minus
is `-.`, as in TLA+ itself. Every node has its position. The file is long because the language is: it has a class for
each kind of node, and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Position:
    """The position where a node begins in its module; line and column count from 1."""

    module: str
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Any node of the tree; its position does not count in comparisons."""

    at: Position = field(compare=False, repr=False)


Pattern = str | tuple[str, ...]
"""What a binder binds: a name, or the names in a tuple."""


@dataclass(frozen=True, slots=True)
class Bound(Node):
    r"""`x, <<y, z>> \in domain`; unbounded if there is no domain."""

    patterns: tuple[Pattern, ...]
    domain: "Expression | None"


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """A parameter or constant: `x` takes no arguments, `Op(_, _)` takes two."""

    name: str
    arity: int = 0


@dataclass(frozen=True, slots=True)
class Number(Node):
    """`42`; binary, octal and hexadecimal numbers too."""

    value: int


@dataclass(frozen=True, slots=True)
class String(Node):
    """`"text"`, with its escapes resolved."""

    text: str


@dataclass(frozen=True, slots=True)
class Name(Node):
    """An identifier, an operator symbol passed as an argument, or TRUE, FALSE, BOOLEAN, STRING."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply(Node):
    """`Op(a, b)`, and every prefix, infix and postfix operator, including `'`, `UNCHANGED`, `DOMAIN`, `[]` and `~>`."""

    operator: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Through(Node):
    """`Inner(x)!Op(y)`, an operator of a named instance; `path` has the instances with their arguments."""

    path: tuple[tuple[str, tuple["Expression", ...]], ...]
    operator: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Step(Node):
    """A step of a `Selected`: a name, a number, `<<`, `>>`, `@` or `:`; empty if it has arguments only."""

    selector: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Selected(Node):
    """`Op(a)!2!(b)`, a part of a definition. The first steps name the definition, as in `Through`; others select."""

    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Labelled(Node):
    """`label(x, y) :: body`, which names a part of a definition; its value is that of its body."""

    label: str
    parameters: tuple[str, ...]
    body: "Expression"


@dataclass(frozen=True, slots=True)
class Junction(Node):
    r"""A list of `/\` or `\/` aligned by column; the same operators between two operands are an `Apply`."""

    operator: str
    items: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Quantified(Node):
    r"""`\A x \in S : body`; `quantifier` is `\A`, `\E`, `\AA` or `\EE`."""

    quantifier: str
    bounds: tuple[Bound, ...]
    body: "Expression"


@dataclass(frozen=True, slots=True)
class Choose(Node):
    r"""`CHOOSE pattern \in domain : body`."""

    pattern: Pattern
    domain: "Expression | None"
    body: "Expression"


@dataclass(frozen=True, slots=True)
class SetOf(Node):
    """`{a, b}`."""

    elements: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Filter(Node):
    r"""`{x \in domain : body}`."""

    pattern: Pattern
    domain: "Expression"
    body: "Expression"


@dataclass(frozen=True, slots=True)
class Image(Node):
    r"""`{body : x \in domain, …}`."""

    body: "Expression"
    bounds: tuple[Bound, ...]


@dataclass(frozen=True, slots=True)
class Function(Node):
    r"""`[x \in domain, … |-> body]`."""

    bounds: tuple[Bound, ...]
    body: "Expression"


@dataclass(frozen=True, slots=True)
class FunctionSet(Node):
    """`[domain -> range]`."""

    domain: "Expression"
    range: "Expression"


@dataclass(frozen=True, slots=True)
class Index(Node):
    """`function[a, b]`."""

    function: "Expression"
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Record(Node):
    """`[a |-> x, …]`."""

    fields: tuple[tuple[str, "Expression"], ...]


@dataclass(frozen=True, slots=True)
class RecordSet(Node):
    """`[a : x, …]`."""

    fields: tuple[tuple[str, "Expression"], ...]


@dataclass(frozen=True, slots=True)
class Field(Node):
    """`record.name`."""

    record: "Expression"
    name: str


@dataclass(frozen=True, slots=True)
class Update(Node):
    """`![a, b].c = value` in an EXCEPT; a step of the path is the arguments of an index, or the name of a field."""

    path: tuple[tuple["Expression", ...] | str, ...]
    value: "Expression"


@dataclass(frozen=True, slots=True)
class Except(Node):
    """`[function EXCEPT …]`; `@` in a value is a `Name`."""

    function: "Expression"
    updates: tuple[Update, ...]


@dataclass(frozen=True, slots=True)
class Tuple(Node):
    """`<<a, b>>`."""

    elements: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Product(Node):
    r"""`a \X b \X c`."""

    factors: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class If(Node):
    """`IF condition THEN then ELSE otherwise`."""

    condition: "Expression"
    then: "Expression"
    otherwise: "Expression"


@dataclass(frozen=True, slots=True)
class Case(Node):
    """`CASE condition -> value [] … [] OTHER -> other`."""

    arms: tuple[tuple["Expression", "Expression"], ...]
    other: "Expression | None"


@dataclass(frozen=True, slots=True)
class Let(Node):
    """`LET … IN body`; the units are definitions, RECURSIVE declarations and named instances."""

    units: tuple["Unit", ...]
    body: "Expression"


@dataclass(frozen=True, slots=True)
class Lambda(Node):
    """`LAMBDA x, y : body`."""

    parameters: tuple[str, ...]
    body: "Expression"


@dataclass(frozen=True, slots=True)
class Action(Node):
    """`[action]_subscript`, or `<<action>>_subscript` if `changes`."""

    changes: bool
    action: "Expression"
    subscript: "Expression"


@dataclass(frozen=True, slots=True)
class Fairness(Node):
    """`WF_subscript(action)` or `SF_subscript(action)`."""

    strong: bool
    subscript: "Expression"
    action: "Expression"


Expression = (
    Number
    | String
    | Name
    | Apply
    | Through
    | Selected
    | Labelled
    | Junction
    | Quantified
    | Choose
    | SetOf
    | Filter
    | Image
    | Function
    | FunctionSet
    | Index
    | Record
    | RecordSet
    | Field
    | Except
    | Tuple
    | Product
    | If
    | Case
    | Let
    | Lambda
    | Action
    | Fairness
)


@dataclass(frozen=True, slots=True)
class Variables(Node):
    """`VARIABLES x, y`."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Constants(Node):
    """`CONSTANTS N, Op(_)`."""

    declared: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class Recursive(Node):
    """`RECURSIVE Op(_)`."""

    declared: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class Definition(Node):
    """`name(parameters) == body`; an infix operator's name is its symbol."""

    name: str
    parameters: tuple[Parameter, ...]
    body: Expression
    local: bool = False


@dataclass(frozen=True, slots=True)
class FunctionDefinition(Node):
    r"""`name[x \in domain, …] == body`; the name may occur in the body."""

    name: str
    bounds: tuple[Bound, ...]
    body: Expression
    local: bool = False


@dataclass(frozen=True, slots=True)
class Instance(Node):
    """`name(parameters) == INSTANCE module WITH a <- x, …`; without a name, operators keep their own names."""

    name: str | None
    parameters: tuple[Parameter, ...]
    module: str
    substitutions: tuple[tuple[str, Expression], ...]
    local: bool = False


@dataclass(frozen=True, slots=True)
class Assume(Node):
    """`ASSUME body`, or `ASSUME name == body`."""

    name: str | None
    body: Expression


@dataclass(frozen=True, slots=True)
class Theorem(Node):
    """`THEOREM name == body`; no body for an ASSUME/PROVE."""

    name: str
    body: Expression | None


@dataclass(frozen=True, slots=True)
class Module(Node):
    """A module. Unnamed theorems and proofs are left out. An inner module is one of its units."""

    name: str
    extends: tuple[str, ...]
    units: tuple["Unit", ...]

    def definitions(self) -> Sequence[Definition | FunctionDefinition]:
        """Return the module's own definitions, in order."""
        return [unit for unit in self.units if isinstance(unit, Definition | FunctionDefinition)]


Unit = Variables | Constants | Recursive | Definition | FunctionDefinition | Instance | Assume | Theorem | Module
