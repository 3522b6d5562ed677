"""The values of expressions, written down by hand from the definition of TLA+"""

import pytest

from schedcheck.checker.language.evaluation.evaluator import Session

LOGIC = r"""
TRUE /\ FALSE                                              == FALSE
TRUE \/ FALSE                                              == TRUE
FALSE => FALSE                                             == TRUE
TRUE => FALSE                                              == FALSE
FALSE <=> FALSE                                            == TRUE
TRUE <=> FALSE                                             == FALSE
~TRUE                                                      == FALSE
FALSE /\ (1 \div 0 = 1)                                    == FALSE
TRUE \/ (1 \div 0 = 1)                                     == TRUE
FALSE => (1 \div 0 = 1)                                    == TRUE
IF TRUE THEN 1 ELSE 1 \div 0                               == 1
IF 1 > 2 THEN "a" ELSE "b"                                 == "b"
CASE FALSE -> 1 [] TRUE -> 2                               == 2
CASE FALSE -> 1 [] OTHER -> 3                              == 3
CASE TRUE -> 1 [] 1 \div 0 = 1 -> 2                        == 1
\A x \in {} : FALSE                                        == TRUE
\E x \in {} : TRUE                                         == FALSE
\A x \in 1..3 : x < 4                                      == TRUE
\E x \in 1..3 : x > 2                                      == TRUE
\A x, y \in 1..3 : x + y \in 2..6                          == TRUE
\E x \in 1..3, y \in {7} : x = y                           == FALSE
\E <<x, y>> \in {<<1, 2>>, <<3, 4>>} : x + y = 7           == TRUE
\E x \in 1..3 : x = 1 \/ x = "a"                           == TRUE
BOOLEAN                                                    == {FALSE, TRUE}
TRUE \in BOOLEAN                                           == TRUE
{x \in BOOLEAN : x}                                        == {TRUE}
"""

NUMBERS = r"""
2 + 3 * 4                                                  == 14
(2 + 3) * 4                                                == 20
7 - 10                                                     == -3
-3                                                         == -3
-(2 - 5)                                                   == 3
7 \div 2                                                   == 3
(-7) \div 2                                                == -4
-7 \div 2                                                  == -3
(-7) % 2                                                   == 1
7 % 4                                                      == 3
2 ^ 10                                                     == 1024
2 ^ 100                                                    == 1267650600228229401496703205376
2147483647 + 1                                             == 2147483648
1..3                                                       == {1, 2, 3}
3..1                                                       == {}
-1..1                                                      == {-1, 0, 1}
3 < 4                                                      == TRUE
4 <= 4                                                     == TRUE
4 >= 5                                                     == FALSE
0 \in Nat                                                  == TRUE
-1 \in Nat                                                 == FALSE
-1 \in Int                                                 == TRUE
\b101                                                      == 5
\hFF                                                       == 255
1..3 \subseteq Nat                                         == TRUE
Nat \subseteq Int                                          == TRUE
Nat \subseteq 1..3                                         == FALSE
"""

SETS = r"""
{}                                                         == {}
{3, 1, 2, 1}                                               == {1, 2, 3}
{"b", "a"}                                                 == {"a", "b"}
{{2}, {}, {1, 2}, {1}}                                     == {{}, {1}, {2}, {1, 2}}
{1, 2} = {2, 1, 1}                                         == TRUE
{1, 2} # {1}                                               == TRUE
1 \in {1, 2}                                               == TRUE
3 \notin {1, 2}                                            == TRUE
"a" \in {}                                                 == FALSE
{1, 2} \cup {2, 3}                                         == {1, 2, 3}
{1, 2} \cap {2, 3}                                         == {2}
{1, 2} \ {2, 3}                                            == {1}
{1} \subseteq {1, 2}                                       == TRUE
{1, 3} \subseteq {1, 2}                                    == FALSE
SUBSET {1, 2}                                              == {{}, {1}, {2}, {1, 2}}
SUBSET {}                                                  == {{}}
UNION {{1}, {2, 3}, {}}                                    == {1, 2, 3}
UNION {}                                                   == {}
{x * x : x \in 1..3}                                       == {1, 4, 9}
{x + y : x \in 1..2, y \in {10, 20}}                       == {11, 12, 21, 22}
{x + y : <<x, y>> \in {<<1, 2>>, <<3, 4>>}}                == {3, 7}
{x \in 1..10 : x % 3 = 0}                                  == {3, 6, 9}
{<<x, y>> \in {1, 2} \X {1, 2} : x < y}                    == {<<1, 2>>}
{1, 2} \X {"a"}                                            == {<<1, "a">>, <<2, "a">>}
{1} \X {2} \X {3}                                          == {<<1, 2, 3>>}
<<1, 2>> \in {1} \X {2}                                    == TRUE
<<1, 2, 3>> \in {1} \X {2}                                 == FALSE
<<<<1, 2>>, 3>> \in ({1} \X {2}) \X {3}                    == TRUE
Cardinality({1, 1, 2})                                     == 2
Cardinality(SUBSET (1..40))                                == 1099511627776
{1, 2} \in SUBSET (1..40)                                  == TRUE
{0} \in SUBSET (1..40)                                     == FALSE
1..3 = {1, 2, 3}                                           == TRUE
{1..2, {1, 2}}                                             == {{1, 2}}
SUBSET {1} = {{}, {1}}                                     == TRUE
IsFiniteSet({1})                                           == TRUE
IsFiniteSet(Nat)                                           == FALSE
5 \in {x \in Nat : x > 3}                                  == TRUE
2 \in {x \in Nat : x > 3}                                  == FALSE
3 \in Nat \cup {-1}                                        == TRUE
-1 \in Nat \cup {-1}                                       == TRUE
0 \in Nat \ {0}                                            == FALSE
Nat \cap {-1, 0, 1}                                        == {0, 1}
{-1, 0, 1} \ Nat                                           == {-1}
"a" \in STRING                                             == TRUE
{STRING, STRING} = {STRING}                                == TRUE
"""

CHOOSING = r"""
CHOOSE x \in {3, 1, 2} : TRUE                              == 1
CHOOSE x \in {3, 1, 2} : x > 1                             == 2
CHOOSE x \in {"b", "a"} : TRUE                             == "a"
CHOOSE x \in BOOLEAN : TRUE                                == FALSE
CHOOSE x \in SUBSET {1, 2} : Cardinality(x) = 1            == {1}
CHOOSE x \in {<<2>>, <<1, 1>>} : TRUE                      == <<2>>
CHOOSE <<x, y>> \in {1, 2} \X {1, 2} : x # y               == <<1, 2>>
CHOOSE f \in [1..2 -> 1..2] : f[1] # f[2]                  == <<1, 2>>
(CHOOSE x : x \notin {1}) \in {1}                          == FALSE
(CHOOSE x : x \notin {1}) = (CHOOSE x : x \notin {1})      == FALSE
"""

FUNCTIONS = r"""
[x \in {"a", "b"} |-> 1]                                   == [a |-> 1, b |-> 1]
[x \in 1..3 |-> x * x]                                     == <<1, 4, 9>>
[x \in 2..3 |-> x]                                         == (2 :> 2 @@ 3 :> 3)
[x \in {} |-> x]                                           == <<>>
[x \in {TRUE} |-> 5]                                       == (TRUE :> 5)
[x \in 1..2 |-> x] = <<1, 2>>                              == TRUE
[x \in {"a"} |-> 1] = [a |-> 1]                            == TRUE
[x \in 1..2, y \in {5} |-> x + y][2, 5]                    == 7
[<<x, y>> \in {1} \X {2} |-> x + y][<<1, 2>>]              == 3
[x \in 1..3 |-> x][2]                                      == 2
[x \in {TRUE, FALSE} |-> ~x][TRUE]                         == FALSE
DOMAIN [a |-> 1, b |-> 2]                                  == {"a", "b"}
DOMAIN <<5, 6>>                                            == {1, 2}
DOMAIN <<>>                                                == {}
[a |-> 1, b |-> 2].b                                       == 2
[a |-> 1]["a"]                                             == 1
[a |-> 1, b |-> 2] = [b |-> 2, a |-> 1]                    == TRUE
[a |-> 1] = [a |-> 1, b |-> 2]                             == FALSE
[{1, 2} -> {0}]                                            == {<<0, 0>>}
[1..2 -> {0, 1}]                                           == {<<0, 0>>, <<0, 1>>, <<1, 0>>, <<1, 1>>}
[{} -> {1}]                                                == {<<>>}
[{1} -> {}]                                                == {}
<<0, 1>> \in [1..2 -> Nat]                                 == TRUE
<<0, -1>> \in [1..2 -> Nat]                                == FALSE
<<0>> \in [1..2 -> Nat]                                    == FALSE
[a |-> 3] \in [{"a"} -> Nat]                               == TRUE
[a : {1, 2}, b : {3}]                                      == {[a |-> 1, b |-> 3], [a |-> 2, b |-> 3]}
[a |-> 7, b |-> "x"] \in [a : Nat, b : STRING]             == TRUE
[a |-> 7] \in [a : Nat, b : STRING]                        == FALSE
[a |-> 7, b |-> "x", c |-> 1] \in [a : Nat, b : STRING]    == FALSE
[<<1, 2>> EXCEPT ![1] = 5]                                 == <<5, 2>>
[<<1, 2>> EXCEPT ![1] = @ + 1, ![1] = @ * 10]              == <<20, 2>>
[<<1, 2>> EXCEPT ![9] = 5]                                 == <<1, 2>>
[[a |-> 1] EXCEPT !.a = 2]                                 == [a |-> 2]
[[a |-> <<1, [b |-> 2]>>] EXCEPT !.a[2].b = @ + 1]         == [a |-> <<1, [b |-> 3]>>]
[[x \in 1..2, y \in 1..2 |-> 0] EXCEPT ![1, 2] = 9][1, 2]  == 9
[[n \in Nat |-> n] EXCEPT ![3] = 0][3]                     == 0
[[n \in Nat |-> n] EXCEPT ![3] = 0][4]                     == 4
[n \in Nat |-> n + 1][41]                                  == 42
1 :> "a" @@ 2 :> "b"                                       == <<"a", "b">>
(1 :> 2) @@ (1 :> 3)                                       == <<2>>
LET f[n \in Nat] == IF n = 0 THEN 1 ELSE n * f[n - 1] IN f[5]           == 120
LET f[n \in 1..3] == IF n = 1 THEN 1 ELSE 2 * f[n - 1] IN f             == <<1, 2, 4>>
LET f[n \in Nat, m \in Nat] == IF n = 0 THEN m ELSE f[n - 1, m + 1] IN f[2, 3]  == 5
"""

SEQUENCES = r"""
Len(<<1, 2>>)                                              == 2
Head(<<1, 2>>)                                             == 1
Tail(<<1, 2>>)                                             == <<2>>
Append(<<1>>, 2)                                           == <<1, 2>>
<<1>> \o <<2, 3>>                                          == <<1, 2, 3>>
"ab" \o "c"                                                == "abc"
SubSeq(<<1, 2, 3>>, 2, 3)                                  == <<2, 3>>
SubSeq(<<1, 2, 3>>, 3, 2)                                  == <<>>
SelectSeq(<<1, 2, 3, 4>>, LAMBDA x : x % 2 = 0)            == <<2, 4>>
<<1, 2>> \in Seq(Nat)                                      == TRUE
<<>> \in Seq({})                                           == TRUE
Seq({})                                                    == {<<>>}
ToSet(<<1, 2, 1>>)                                         == {1, 2}
SetToSeq({3, 1})                                           == <<1, 3>>
SetToSeqs({1, 2})                                          == {<<1, 2>>, <<2, 1>>}
Reverse(<<1, 2, 3>>)                                       == <<3, 2, 1>>
Remove(<<1, 2, 1>>, 1)                                     == <<2>>
InsertAt(<<1, 3>>, 2, 2)                                   == <<1, 2, 3>>
RemoveAt(<<1, 2, 3>>, 2)                                   == <<1, 3>>
ReplaceAt(<<1, 2>>, 1, 7)                                  == <<7, 2>>
Cons(1, <<2>>)                                             == <<1, 2>>
Front(<<1, 2>>)                                            == <<1>>
Last(<<1, 2>>)                                             == 2
IsPrefix(<<1>>, <<1, 2>>)                                  == TRUE
IsStrictPrefix(<<1>>, <<1>>)                               == FALSE
IsSuffix(<<2>>, <<1, 2>>)                                  == TRUE
Prefixes(<<1, 2>>)                                         == {<<>>, <<1>>, <<1, 2>>}
Suffixes(<<1, 2>>)                                         == {<<>>, <<2>>, <<1, 2>>}
FlattenSeq(<<<<1>>, <<>>, <<2, 3>>>>)                      == <<1, 2, 3>>
Zip(<<1, 2>>, <<"a", "b">>)                                == <<<<1, "a">>, <<2, "b">>>>
FoldLeft(LAMBDA x, y : x - y, 10, <<1, 2>>)                == 7
FoldRight(LAMBDA x, y : x - y, <<1, 2>>, 10)               == 9
FoldSeq(+, 0, <<1, 2, 3>>)                                 == 6
SortSeq(<<3, 1, 2>>, LAMBDA x, y : x < y)                  == <<1, 2, 3>>
SetToSortSeq({3, 1, 2}, >)                                 == <<3, 2, 1>>
Contains(<<1, 2>>, 2)                                      == TRUE
SelectInSeq(<<5, 6, 7>>, LAMBDA x : x > 5)                 == 2
SelectInSeq(<<5>>, LAMBDA x : x > 5)                       == 0
SelectLastInSeq(<<5, 6, 7>>, LAMBDA x : x > 5)             == 3
BoundedSeq({1}, 2)                                         == {<<>>, <<1>>, <<1, 1>>}
LongestCommonPrefix({<<1, 2, 3>>, <<1, 2, 4>>})            == <<1, 2>>
SubSeqs(<<1, 2>>)                                          == {<<>>, <<1>>, <<2>>, <<1, 2>>}
"""

FOLDS_AND_BAGS = r"""
FoldSet(+, 0, {1, 2, 3})                                   == 6
FoldSet(LAMBDA x, y : x - y, 0, {1, 2, 3})                 == 2
SumSet({1, 2, 3})                                          == 6
ProductSet({2, 3})                                         == 6
MapThenSumSet(LAMBDA x : x * x, {1, 2, 3})                 == 14
Quantify(1..5, LAMBDA x : x > 3)                           == 2
kSubset(2, 1..3)                                           == {{1, 2}, {1, 3}, {2, 3}}
Max({3, 1, 2})                                             == 3
Min({3, 1, 2})                                             == 1
SymDiff({1, 2}, {2, 3})                                    == {1, 3}
Choices({{1, 2}, {3}})                                     == {{1, 3}, {2, 3}}
ChooseUnique({1, 2, 3}, LAMBDA x : x > 2)                  == 3
Range(<<1, 2, 1>>)                                         == {1, 2}
Restrict([a |-> 1, b |-> 2], {"a"})                        == [a |-> 1]
IsInjective(<<1, 2>>)                                      == TRUE
IsInjective(<<1, 1>>)                                      == FALSE
Inverse([a |-> 1, b |-> 2], {"a", "b"}, {1, 2})            == <<"a", "b">>
AntiFunction([a |-> 1, b |-> 2])                           == <<"a", "b">>
Injection({1}, {1, 2})                                     == {<<1>>, <<2>>}
Surjection({1, 2}, {7})                                    == {<<7, 7>>}
Bijection({1, 2}, {1, 2})                                  == {<<1, 2>>, <<2, 1>>}
FoldFunction(+, 0, <<1, 2, 3>>)                            == 6
FoldFunctionOnSet(+, 0, <<1, 2, 3>>, {1, 3})               == 4
FoldSet(LAMBDA a, b : <<a, b>>, 0, {3, 1, 2})              == <<3, <<2, <<1, 0>>>>>>
FoldSet(LAMBDA a, b : <<a, b>>, 0, SUBSET {1, 2})          == <<{1, 2}, <<{2}, <<{1}, <<{}, 0>>>>>>>>
ReduceSet(LAMBDA a, b : <<a, b>>, {3, 1, 2}, 0)            == <<3, <<2, <<1, 0>>>>>>
FoldFunction(LAMBDA a, b : <<a, b>>, 0, <<5, 6, 7>>)       == <<7, <<6, <<5, 0>>>>>>
FoldFunctionOnSet(LAMBDA a, b : <<a, b>>, 0, <<5, 6, 7>>, {3, 2}) == <<7, <<6, 0>>>>
FoldSeq(LAMBDA a, b : <<a, b>>, 0, <<5, 6, 7>>)            == <<7, <<6, <<5, 0>>>>>>
FoldRight(LAMBDA a, b : <<a, b>>, <<5, 6, 7>>, 0)          == <<5, <<6, <<7, 0>>>>>>
FoldLeft(LAMBDA a, b : <<a, b>>, 0, <<5, 6, 7>>)           == <<<<<<0, 5>>, 6>>, 7>>
FoldLeftDomain(LAMBDA a, b : <<a, b>>, 0, <<5, 6, 7>>)     == <<<<<<0, 1>>, 2>>, 3>>
FoldRightDomain(LAMBDA a, b : <<a, b>>, <<5, 6, 7>>, 0)    == <<1, <<2, <<3, 0>>>>>>
Permutations({1, 2})                                       == {<<1, 2>>, <<2, 1>>}
SetToBag({"a"}) (+) SetToBag({"a", "b"})                   == [a |-> 2, b |-> 1]
(SetToBag({"a"}) (+) SetToBag({"a"})) (-) SetToBag({"a"})  == [a |-> 1]
BagToSet([a |-> 2])                                        == {"a"}
BagCardinality([a |-> 2, b |-> 1])                         == 3
CopiesIn("a", [a |-> 2])                                   == 2
CopiesIn("c", [a |-> 2])                                   == 0
EmptyBag                                                   == <<>>
BagUnion({[a |-> 1], [a |-> 2]})                           == [a |-> 3]
IsABag([a |-> 0])                                          == FALSE
SubBag([a |-> 1])                                          == {<<>>, [a |-> 1]}
BagOfAll(LAMBDA x : 1, [a |-> 2, b |-> 1])                 == <<3>>
[a |-> 1] \sqsubseteq [a |-> 2]                            == TRUE
ToString(<<1, "a", {TRUE}>>)                               == "<<1, \"a\", {TRUE}>>"
Assert(TRUE, "no")                                         == TRUE
TLCEval({x \in 1..2 : TRUE})                               == {1, 2}
"""

OPERATORS = r"""
LET x == 2 IN x + x                                        == 4
LET f(x) == x + 1 g(y) == f(f(y)) IN g(1)                  == 3
LET f(x, y) == IF x THEN 1 ELSE y IN f(TRUE, 1 \div 0)     == 1
LET x == 1 \div 0 IN 5                                     == 5
LET F(G(_), x) == G(G(x)) IN F(LAMBDA z : z * 2, 5)        == 20
LET F(G(_, _)) == G(3, 4) IN F( + )                        == 7
LET F(G(_)) == G({1, 2}) IN F(SUBSET)                      == {{}, {1}, {2}, {1, 2}}
LET F(G(_)) == G({1, 2}) IN F(Cardinality)                 == 2
LET a ++ b == a * 10 + b IN 1 ++ 2                         == 12
LET RECURSIVE f(_) f(n) == IF n = 0 THEN 0 ELSE n + f(n - 1) IN f(100)  == 5050
LET RECURSIVE even(_), odd(_) even(n) == IF n = 0 THEN TRUE ELSE odd(n - 1) odd(n) == IF n = 0 THEN FALSE ELSE even(n - 1) IN even(11)  == FALSE
LET f(x) == {y \in 1..3 : y < x} IN f(Cardinality(f(4)))   == {1, 2}
LET f(x) == \E y \in {1, 2} : y = x IN \E y \in {2, 3} : f(y)           == TRUE
LET f(x) == {x + y : y \in {1, 2}} IN {f(y) : y \in {10, 20}}           == {{11, 12}, {21, 22}}
{LET s == x * x IN s + s : x \in 1..2}                     == {2, 8}
LET f(g(_)) == {g(x) : x \in {1, 2}} IN {f(LAMBDA z : z + y) : y \in {10}}  == {{11, 12}}
"""

TABLES = (LOGIC, NUMBERS, SETS, CHOOSING, FUNCTIONS, SEQUENCES, FOLDS_AND_BAGS, OPERATORS)


def rows() -> list[tuple[str, str]]:
    lines = [line for table in TABLES for line in table.strip().splitlines()]
    return [tuple(part.strip() for part in line.rsplit("==", 1)) for line in lines]  # type: ignore[misc]


@pytest.fixture(scope="module")
def session() -> Session:
    return Session({}, None)


@pytest.mark.parametrize(("expression", "expected"), rows())
def test_an_expression_has_its_value(session: Session, expression: str, expected: str) -> None:
    assert session.answer(expression) == expected


@pytest.mark.parametrize(("expression", "expected"), rows())
def test_a_printed_value_is_read_back_as_the_same_value(session: Session, expression: str, expected: str) -> None:
    if "CHOOSE x : " not in expression:
        assert session.answer(f"({expression}) = {expected}") == "TRUE"
