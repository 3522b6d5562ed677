r"""What a TLA+ module says, as a tree.

Operators stand under one name each, the ASCII one that the summary of TLA+ lists first: `\union` and `∪` are `\cup`,
`=<`, `\leq` and `≤` are `<=`, `/=` and `≠` are `#`, `~`, `\lnot` and `¬` are `~`, `\land` is `/\`, and so on. A prefix
minus is `-.`, as TLA+ itself calls it. Every node knows where it stands. The file is long because the language is: a
class for each kind of node, and nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Position:
    """Where a node begins in its module; both count from 1."""

    module: str
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Anything in the tree; where it stands is no part of what it says."""

    at: Position = field(compare=False, repr=False)


Pattern = str | tuple[str, ...]
"""What a quantifier binds: a name, or the names in a tuple."""


@dataclass(frozen=True, slots=True)
class Bound(Node):
    r"""`x, <<y, z>> \in domain`; unbounded where there is no domain."""

    patterns: tuple[Pattern, ...]
    domain: "Expression | None"


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """A parameter or constant: `x` takes no arguments, `Op(_, _)` takes two."""

    name: str
    arity: int = 0


@dataclass(frozen=True, slots=True)
class Number(Node):
    """`42`; hexadecimal and its like are numbers too."""

    value: int


@dataclass(frozen=True, slots=True)
class String(Node):
    """`"text"`, its escapes undone."""

    text: str


@dataclass(frozen=True, slots=True)
class Name(Node):
    """An identifier, an operator symbol where one is an argument, or TRUE, FALSE, BOOLEAN, STRING."""

    name: str


@dataclass(frozen=True, slots=True)
class Apply(Node):
    """`Op(a, b)`, and every prefix, infix and postfix operator, `'`, `UNCHANGED`, `DOMAIN`, `[]` and `~>` included."""

    operator: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Through(Node):
    """`Inner(x)!Op(y)`: an operator of a named instance; `path` are the instances with their arguments."""

    path: tuple[tuple[str, tuple["Expression", ...]], ...]
    operator: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Step(Node):
    """A step of a `Selected`: a name, a number, `<<`, `>>`, `@` or `:`; the empty text where there are arguments alone."""

    selector: str
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Selected(Node):
    r"""`Op(a)!2!(b)`: a part of a definition. The first steps name it, as a `Through` does; at least one is no name."""

    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Labelled(Node):
    """`label(x, y) :: body`, by which a part of a definition can be named; it is its body."""

    label: str
    parameters: tuple[str, ...]
    body: "Expression"


@dataclass(frozen=True, slots=True)
class Junction(Node):
    r"""A list of `/\` or `\/` by column; the same operators between two operands are an `Apply`."""

    operator: str
    items: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Quantified(Node):
    r"""`quantifier` is `\A`, `\E`, `\AA` or `\EE`."""

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
    """`![a, b].c = value` in an EXCEPT: a step of the path is the arguments of an index, or the name of a field."""

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
    """LET; the units are definitions, RECURSIVE declarations and named instances."""

    units: tuple["Unit", ...]
    body: "Expression"


@dataclass(frozen=True, slots=True)
class Lambda(Node):
    """`LAMBDA x, y : body`."""

    parameters: tuple[str, ...]
    body: "Expression"


@dataclass(frozen=True, slots=True)
class Action(Node):
    """`[action]_subscript`, or `<<action>>_subscript` where it must change something."""

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
    r"""`name[x \in domain, …] == body`, in which the name may occur."""

    name: str
    bounds: tuple[Bound, ...]
    body: Expression
    local: bool = False


@dataclass(frozen=True, slots=True)
class Instance(Node):
    """`name(parameters) == INSTANCE module WITH a <- x, …`; without a name the operators come in under their own."""

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
    """`THEOREM name == body`; no body where it is an ASSUME/PROVE."""

    name: str
    body: Expression | None


@dataclass(frozen=True, slots=True)
class Module(Node):
    """A module; THEOREMs without a name and proofs are not kept. A module within another is one of its units."""

    name: str
    extends: tuple[str, ...]
    units: tuple["Unit", ...]

    def definitions(self) -> Sequence[Definition | FunctionDefinition]:
        """What the module itself defines, in its order."""
        return [unit for unit in self.units if isinstance(unit, Definition | FunctionDefinition)]


Unit = Variables | Constants | Recursive | Definition | FunctionDefinition | Instance | Assume | Theorem | Module
