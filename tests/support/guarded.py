"""Guards from their texts, and random scenarios with guarded events"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.guards import guards_of
from schedcheck.model.guards import Guard
from schedcheck.model.scenario import POD_EVENTS, Rule, Scenario
from schedcheck.spec.objects import Node, Pod
from schedcheck.tla_export.formulas import Asked
from schedcheck.tla_export.guards import read
from tests.support.building import node, pod

NAMED = (
    "pod_absent(p1)",
    "!pod_absent(p2)",
    "pod_bound(p1)",
    "pod_completed(p2)",
    "node_absent(n1)",
    "!node_cordoned(n1)",
    "node_cordoned(this)",
    "!node_cordoned(this)",
    "at_most_out(0)",
    "at_most_out(1)",
    "at_least_out(1)",
    "free_below(this, cpu, 60%)",
    "!free_below(n1, cpu, 100%)",
    "at_most_present(1)",
    "at_most_unbound(1)",
    "!at_most_bound(0)",
)
"""Named guards about the pods p1 and p2 and the node n1, which every random scenario has."""

FORMULAS = (
    r"{n \in Nodes : n.Spec.Unschedulable} \subseteq {This}",
    r"\A p \in Pods : p.Name # \"p1\" \/ p.Spec.NodeName = \"\"".replace('\\"', '"'),
    r"Cardinality(Pods) < 2",
    r"\E n \in Nodes : ~n.Spec.Unschedulable /\ n # This",
    r'This.Kind = "Node" => This.Name # "n2"',
    r"IF Unbound = {} THEN TRUE ELSE \E p \in Pods : Bound(p)",
)
"""Guards in TLA+ that read no amounts."""

UNREADABLE = (
    r"\A n \in Nodes : n = CHOOSE each \in Nodes : TRUE",
    r'Cardinality({p \in Pods : p.Labels = [x \in {} |-> ""]}) < 2',
)
"""Guards that may tell any objects apart."""


def guards(texts: Sequence[str], pods: Sequence[Pod], nodes: Sequence[Node], of_pods: bool) -> tuple[Guard, ...]:
    """The guards with these texts, of which formulas have no meaning yet."""
    return guards_of(Field(Document("-", 1, None), list(texts)), pods, nodes, of_pods, True)


def with_meaning(scenario: Scenario) -> Scenario:
    """The scenario with the meaning of its formulas."""
    rules = (
        replace(rule, guards=tuple(each if each.name else read(each, scenario, Asked()) for each in rule.guards))
        for rule in scenario.rules
    )
    return replace(scenario, rules=tuple(rules))


def drawn(seed: int, texts: Sequence[str] = (*NAMED, *FORMULAS), profile: str = "corrected") -> Scenario:
    """Two or three pods and nodes, and some events, most of them guarded."""
    random = Random(seed)
    pods = tuple(
        pod(f"p{number}", 1, on=random.choice(("", "", "n1"))) for number in range(1, random.randint(2, 3) + 1)
    )
    nodes = tuple(node(f"n{number}", random.choice((1, 2, 2))) for number in range(1, random.randint(2, 3) + 1))
    keys, names = tuple(each.key for each in pods), tuple(each.name for each in nodes)
    rules = []
    for event in random.sample(("arrive", "complete", "delete", "evict", "fail", "return", "cordon", "uncordon"), 4):
        of_pods = event in POD_EVENTS
        chosen = random.sample(texts, random.choice((0, 1, 1, 2)))
        bound = random.choice((None, None, 1))
        rules.append(
            Rule(
                event,
                pods=keys if of_pods else (),
                nodes=() if of_pods else names,
                bound=bound,
                guards=guards(chosen, pods, nodes, of_pods),
            )
        )
    absent = frozenset(each.key for each in pods if not each.node_name and random.random() < 0.5)
    made = Scenario(
        "guarded",
        pods,
        nodes,
        absent=absent,
        rules=tuple(rules),
        profile=profile,
        completed=random.choice(("absent", "kept")),
        properties=("type_correct", "no_overcommit"),
    )
    return with_meaning(made)
