"""A descheduler in TLA+: its operators and steps agree with Python on drawn clusters; broken ones do not

The checker of the language runs the modules; TLC's own counts of the examples are in tla/manifest.json.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.errors import InputError
from schedcheck.manifests import read, scenario
from schedcheck.model.descheduling import Descheduler, PodLifeTime, RemoveDuplicates, Run
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import PodDisruptionBudget
from schedcheck.tla_export.descheduling import _named
from schedcheck.tla_export.module import NotExportable, model_module
from schedcheck.tla_export.node_usage import _most
from schedcheck.tla_export.shipped import FOLDER
from tests.support.building import node, pod, selector
from tests.support.building import scenario as cluster
from tests.tla.exported import of_check, of_module, result_of_module
from tests.tla.operators.asking import Tally, unlike
from tests.tla.operators.descheduler import TWINS
from tests.tla.operators.descheduler_cases import of_seed, settings
from tests.tla.operators.test_steps import as_exported, walked

EXAMPLES = Path(__file__).parents[2] / "examples"
FEW = 1
"""The number of clusters that are asked about by default."""
CLUSTERS = 600
"""The number of those that are asked about in all; some are refused."""
PART = 40


def example(name: str) -> Scenario:
    return scenario(read([EXAMPLES / name]), frozenset())


OFTEN, SELDOM = (
    ("descheduler-packing",),
    (
        "descheduler-duplicates",
        "descheduler-duplicates-kept",
        "descheduler-levelling",
        "descheduler-spread",
        "descheduler-spread-kept",
        "maintenance-balanced",
    ),
)


@pytest.mark.parametrize("name", [*OFTEN, *(pytest.param(each, marks=pytest.mark.slow) for each in SELDOM)])
def test_the_module_of_an_example_has_the_counts_of_check(name: str, tmp_path: Path) -> None:
    whole = replace(example(name), properties=("type_correct",))
    assert of_module(whole, tmp_path) == of_check(whole)


def test_operators_agree_with_their_twins_on_a_few_clusters() -> None:
    tallies: dict[str, Tally] = {}
    assert [each for setting in settings(range(FEW)) for each in unlike(TWINS, setting, tallies)] == []
    assert len(tallies) == len(TWINS)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(FEW, CLUSTERS, PART))
def test_operators_agree_with_their_twins(first: int) -> None:
    assert [each for setting in settings(range(first, first + PART)) for each in unlike(TWINS, setting, {})] == []


WALKED = (
    56, 6, 10, 13, 15, 18, 34, 39, 40, 43, 46, 53, 61, 68, 72, 73, 75, 76, 86, 87, 92, 95, 98, 99, 102, 114, 126, 131, 132,
    133, 136, 138, 143, 147, 153, 155, 157, 158, 159, 163, 165, 166, 169, 170, 172, 174, 182, 186, 195, 199,
)  # fmt: skip
"""Clusters in which the descheduler decides within a few steps: all such among the first 200. The first is walked by default."""


@pytest.mark.parametrize("seed", [WALKED[0], *(pytest.param(each, marks=pytest.mark.slow) for each in WALKED[1:])])
def test_a_drawn_cluster_takes_the_same_steps_in_tla_and_python(seed: int, tmp_path: Path) -> None:
    assert {"Deschedule", "EvictDescheduled"} <= walked(as_exported(of_seed(seed)), tmp_path, seed, 8)


SEEDS = range(100)
"""The clusters on which a broken operator is asked."""

BROKEN: dict[str, tuple[tuple[str, str], ...]] = {
    "DeschedulerView": (
        ('Node.Status.Ready = "True" /\\ Selects(Selector, Node.Labels)}', "Selects(Selector, Node.Labels)}"),
        ("ReadyNodes(Descheduler.NodeSelector, Snapshot)", "ReadyNodes(Everything, Snapshot)"),
        ("IF Term.Namespaces = {} THEN {Pod.Namespace} ELSE Term.Namespaces", "{Pod.Namespace, Other.Namespace}"),
        ("/\\ Other.Name # Pod.Name", "/\\ TRUE"),
        ("/\\ Term.TopologyKey \\in DOMAIN Node.Labels\n", "/\\ TRUE\n"),
        ('Used(Node, Snapshot, "pods") < Allocatable(Node, "pods")', 'Used(Node, Snapshot, "pods") <= Allocatable(Node, "pods")'),
        ("Request(Pod, Resource) + Used(", "0 * Request(Pod, Resource) + Used("),
        ("/\\ ~Node.Spec.Unschedulable\n", "/\\ TRUE\n"),
        ("/\\ RequiredNodeAffinity(Pod, Node)\n", "/\\ TRUE\n"),
        ("/\\ TaintToleration(Pod, Node)\n", "/\\ TRUE\n"),
        ("/\\ ~RepelledBy(Pod, Node, Snapshot)\n", "/\\ TRUE\n"),
        ("Pod.Spec.NodeName = Node.Name \\/ HasRoom", "HasRoom"),
        ("{Node \\in Some : Node.Name # Pod.Spec.NodeName}", "Some"),
        ("{Owner.Kind : Owner \\in OwnersOf(Pod)}", "{}"),
        ("+ (IF Owner \\in DOMAIN OtherReplicas", "+ 1 + (IF Owner \\in DOMAIN OtherReplicas"),
        ("Replicas(Pod, Snapshot) < Evictor.MinReplicas", "Replicas(Pod, Snapshot) <= Evictor.MinReplicas"),
        ("Pod.Spec.Priority >= Evictor.Threshold", "Pod.Spec.Priority > Evictor.Threshold"),
        ("FactsSeen(Pod).LocalStorage", "FALSE"),
        ('"DaemonSet" \\in OwnerKinds(Pod)', "FALSE"),
        ('\\/ "PodsWithoutPDB" \\in On', "\\/ FALSE"),
        ("OwnersOf(Pod) = {} /\\ (", "FALSE /\\ ("),
        ("IN \\/ Facts.Evict\n", "IN \\/ FALSE\n"),
        ("Evictor.NoEvictionMandatory /\\ Facts.PrefersNoEviction", "Facts.PrefersNoEviction"),
        ("/\\ ~Pod.Terminating\n", "/\\ TRUE\n"),
        ("Evictor.LabelSelector = Null \\/ ", "TRUE \\/ "),
        ("Evictor.NodeFit => FitsAnother", "FitsAnother"),
        ("Evictor.NamespaceSelector \\in {Null, Everything}", "TRUE"),
        ("Run.Evictor.NodeFit \\/ Run.Evictor.MinReplicas > 1", "Run.Evictor.NodeFit"),
        ("ELSE Levelling(Run) => PassesFilter", "ELSE PassesFilter"),
        ("Levelling(Run) THEN PreEvictable(", "FALSE THEN PreEvictable("),
        ("Run.Namespaces.Include = {} \\/", "TRUE \\/"),
        ("/\\ Pod.Namespace \\notin Run.Namespaces.Exclude\n  /\\", "/\\"),
        ("Run.Selector = Null \\/", "TRUE \\/"),
    ),
    "DeschedulerPlans": (
        ("ELSE PodsOf(Item.Plan)", "ELSE {}"),
        ("IF Head(Plan) = {Item} THEN Tail(Plan) ELSE", "IF Head(Plan) = {Item} THEN <<>> ELSE"),
        ("{<<Next[1], Next[2] \\o Left(Item)>>", "{<<Next[1], Left(Item)>>"),
        ("IF Cardinality(Left) = 1 /\\ (CHOOSE", "IF FALSE /\\ (CHOOSE"),
        ("ELSE IF Item.Pod \\in Some THEN Item", "ELSE IF TRUE THEN Item"),
        ("Pruned(Plan, {Pair[1] : Pair \\in Repels})", "Plan"),
        ("{Pair \\in Repels : Pair[1] \\in PodsOf(Left)}", "Repels"),
        ("Next[1] \\notin {Pair[1], Pair[2]}", "Next[1] # Pair[1]"),
        ("Refused |-> VisitingWork(Work.Repels, Next[2])", "Refused |-> VisitingWork(Spared, Next[2])"),
        ('Work.Kind = "ageing"', "FALSE"),
    ),
    "DeschedulerViolations": (
        ("<<Number, Each.Name>> \\notin Done", "TRUE"),
        ("<<Taint.Key, Taint.Value>>}", "<<Taint.Key, \"\">>}"),
        ("IF Run.PreferNoSchedule THEN", "IF TRUE THEN"),
        ("Run.Included = Null \\/", "TRUE \\/"),
        ("TaintNames(Taint) \\intersect Run.Excluded = {}", "TRUE"),
        ("TaintCounts(Taint, Run) /\\ ~Tolerated(Taint, Pod)", "TaintCounts(Taint, Run)"),
        ("THEN Terms[i].Weight ELSE 0", "THEN 1 ELSE 0"),
        ("Preference(Pod, Other) > Preference(Pod, Node)", "Preference(Pod, Other) >= Preference(Pod, Node)"),
        ("Required # {} /\\ ~RequiredNodeAffinity(Pod, Node)", "Required # {}"),
        ("/\\ FitsAny(Pod, CycleNodes(Snapshot), Snapshot)}", "}"),
        ("Stage[1] <= i - 1", "TRUE"),
        ("FactsSeen(Pod).Qos,", "0,"),
        ("IF FactsSeen(Pod).PrefersNoEviction THEN 1 ELSE 0", "0"),
        ("Node.Name = OtherNode.Name \\/ SameDomain", "SameDomain"),
        ("IF Found = {} \\/ Done # {} THEN", "IF Found = {} THEN"),
        ("{Pod \\in Occupants(Node, Snapshot) : Considered(Pod, Run)}\n      Some", "Occupants(Node, Snapshot)\n      Some"),
    ),
    "DeschedulerDuplicates": (
        ("OwnerKinds(Pod) \\intersect Run.ExcludedKinds = {}", "TRUE"),
        ("Cardinality(Matching(Each)) > 1", "Cardinality(Matching(Each)) > 0"),
        ("IF Targets <= 1 THEN Cardinality(Some)", "IF Targets <= 1 THEN 1"),
        ("(Cardinality(Some) + Targets - 1) \\div Targets", "Cardinality(Some) \\div Targets"),
        ("IF Alike THEN {} ELSE Original)])", "Original)])"),
        ("TargetNodes(Some \\ Original, Snapshot)", "TargetNodes(Some, Snapshot)"),
        ("IF Done # {} THEN {} ELSE {<<<<0", "IF FALSE THEN {} ELSE {<<<<0"),
    ),
    "DeschedulerAges": (
        ("IF Run.IncludedKinds # {} THEN", "IF FALSE THEN"),
        ("ELSE OwnerKinds(Pod) \\intersect Run.ExcludedKinds = {}", "ELSE TRUE"),
        ("/\\ OwnedAsAsked(Pod, Run)}", "}"),
        ("IF Run.WithInitContainers THEN", "IF TRUE THEN"),
        ("RestartsCounted(Pod, Run) >= Run.Threshold", "RestartsCounted(Pod, Run) > Run.Threshold"),
        ("RestartsCounted(Other, Run) <= RestartsCounted(Pod, Run)}", "RestartsCounted(Other, Run) >= RestartsCounted(Pod, Run)}"),
        ("<<0, Each.Name>> \\notin Done /\\ ", ""),
    ),
    "DeschedulerSpread": (
        ("IF First = {} THEN FALSE", "IF First = {} THEN TRUE"),
        ("(Number + Divisor - 1) \\div Divisor", "Number \\div Divisor"),
        ("Sizes[High] * Number <= Whole", "Sizes[High] * Number < Whole"),
        ("Upwards(Skew - MaxSkew, 2)", "Skew"),
        ("\\/ Pod.Spec.Affinity.NodeAffinity.Preferred # <<>>", "\\/ FALSE"),
        ("IF ChoosesNodes(Pod) THEN 0 ELSE 1", "IF ChoosesNodes(Pod) THEN 1 ELSE 0"),
        ("<<IF FitsAnother(Pod, Below, Snapshot) THEN 1 ELSE 0", "<<IF FitsAnother(Pod, Below, Snapshot) THEN 0 ELSE 0"),
        ("IF Cardinality(Tier) > Number", "IF Cardinality(Tier) >= Number + 2"),
        ("Later |-> Chosen \\X (Tier \\ Chosen)", "Later |-> {}"),
        ("Constraint.AffinityHonored => ", "Constraint.AffinityHonored \\/ "),
        ("Constraint.TaintsHonored => ", "~Constraint.TaintsHonored => "),
        ("/\\ ~Pod.Terminating\n", "/\\ TRUE\n"),
        ("/\\ Selects(Constraint.Selector, Pod.Labels)\n", "/\\ TRUE\n"),
        ("Run.NodeFit => FitsAnother(Pod, Below, Snapshot)", "TRUE"),
        (" /\\ PassesFilter(Pod, Run.Evictor, Snapshot)}", "}"),
        ("\\in Run.Actions}", "\\in {\"DoNotSchedule\", \"ScheduleAnyway\"}}"),
        ("IF Done # {} THEN {}\n", "IF FALSE THEN {}\n"),
    ),
    "DeschedulerUtilization": (
        ('IF Resource = "pods" THEN 1 ELSE Request(Pod, Resource)', "Request(Pod, Resource)"),
        ("<= Low[Resource]", "< Low[Resource]"),
        ("> High[Resource]", ">= High[Resource]"),
        ("~Node.Spec.Unschedulable /\\ (LittleUsedBy", "TRUE /\\ (LittleUsedBy"),
        ("/\\ ToleratesOne(Pod, DestinationsOf(Run, Snapshot))\n", "/\\ TRUE\n"),
        ("EXCEPT !.Whole = @ - Usage(Resource)]]", "EXCEPT !.Whole = @]]"),
        ("Available[Resource].Whole > 0 \\/ (", "Available[Resource].Whole >= 0 \\/ ("),
        ("IF Setting.Most = Null THEN TRUE ELSE Number < Setting.Most", "TRUE"),
        ("!.Usage = LessAmounts(@, Requests),", "!.Usage = @,"),
        ("Names |-> Target(Name)],", "{} |-> Target(Name)],"),
    ),
    "DeschedulerCycle": (
        ("RelievingWork(Work, Pruned(Work.Plan, Some)) ELSE", "Work ELSE"),
        ('[] Kind = "namespace" -> Descheduler.PerNamespace', '[] Kind = "namespace" -> Descheduler.PerNode'),
        ('/\\ Limited # <<"node", "">>}', "}"),
        ("(IF Limited \\in LimitsOn(Pod) THEN 1 ELSE 0)]", "1]"),
        ("DeschedulerFacts[Id].Named \\/", "TRUE \\/"),
        ("Given(Cycle.Counted, Limited) < LimitOf(Limited[1])", "Given(Cycle.Counted, Limited) <= LimitOf(Limited[1])"),
        ("Cardinality(Over) <= 1 /\\", "TRUE /\\"),
        ("Budget.DisruptionsAllowed > 0", "TRUE"),
        ("/\\ AdmittedInTurn(Pod, Run, Snapshot)\n", "/\\ TRUE\n"),
        ("/\\ ~Pod.Terminating\n", "/\\ TRUE\n"),
        ("/\\ ~Completed(Pod)\n", "/\\ TRUE\n"),
        ("{Part[1] : Part \\in Now} \\ Vain", "{Part[1] : Part \\in Now}"),
        ("THEN Certain \\intersect Cycle.Owed ELSE Certain", "THEN Certain ELSE Certain"),
        ("{Stage \\in Stages : Stage[1] < Number}", "{}"),
        ("Owed |-> Due \\ {Part[1]}]", "Owed |-> Due]"),
        ("IF Place = Cycle.Place THEN Cycle.Done ELSE {}", "{}"),
        ("IF Work.Plan = <<>> THEN Null ELSE Work]", "Work]"),
        ("ELSE IF WaysOfCycle(Left, Snapshot).Found # {} THEN Left", "ELSE IF FALSE THEN Left"),
    ),
}  # fmt: skip
"""For each module, texts and what stands instead of them: a meaning of an operator that is broken."""
SOON = (("DeschedulerPlans", 5),)
EACH = [(module, number) for module, pairs in BROKEN.items() for number in range(len(pairs))]


@pytest.mark.parametrize(
    ("module", "number"), [pytest.param(*each, marks=[] if each in SOON else [pytest.mark.slow]) for each in EACH]
)
def test_a_broken_operator_differs_from_its_twin(module: str, number: int) -> None:
    old, new = BROKEN[module][number]
    text = (FOLDER / f"{module}.tla").read_text(encoding="utf-8")
    assert text.count(old) == 1
    changed = {module: text.replace(old, new)}
    assert any(True for each in settings(SEEDS) for _ in unlike(TWINS, each, {}, changed))


STEPS = {
    "every eviction counts as allowed": ("~Allowed(Pod) /\\ Cycle' =", "Cycle' ="),
    "an eviction is tried again": ("[Cycle EXCEPT !.Due = Next.Refused]", "Cycle"),
    "evictions are not taken off the plan": ("!.Due = Work, !.Counted", "!.Counted"),
    "a run is begun in the midst of another": ("IN IF Here.Due = Null THEN", "IN IF TRUE THEN"),
    "a recreated pod keeps its restarts": ("THEN WithoutRestarts(KubeNewlyArrived(Pod)) ELSE", "THEN KubeNewlyArrived(Pod) ELSE"),
}  # fmt: skip
"""A text of KubeDescheduledCluster and what stands instead of it, for each meaning of a step that is broken."""


@pytest.mark.slow
@pytest.mark.parametrize("broken", STEPS)
def test_a_broken_step_differs_on_some_walk(broken: str, tmp_path: Path) -> None:
    old, new = STEPS[broken]
    text = (FOLDER / "KubeDescheduledCluster.tla").read_text(encoding="utf-8")
    assert text.count(old) == 1
    (tmp_path / "KubeDescheduledCluster.tla").write_text(text.replace(old, new), encoding="utf-8")
    assert any(differs(seed, tmp_path) for seed in WALKED)


def differs(seed: int, folder: Path) -> bool:
    """Whether a walk in the modules of the folder meets other steps than Python's."""
    try:
        walked(as_exported(of_seed(seed)), folder, seed, 12)
    except AssertionError:
        return True
    except (InputError, NotExportable):
        return False
    return False


LARGE = {"owner": ("ReplicaSet", "large"), "labels": {"app": "large"}}
SMALL = {"owner": ("ReplicaSet", "small"), "labels": {"app": "small"}}
BUDGET = PodDisruptionBudget("b", selector=selector(app="small", kept="yes"), disruptions_allowed=0)
AGAIN = replace(
    cluster(
        pod("old", 1, "n1", **LARGE),
        pod("one", 1, "n1", **SMALL),
        pod("two", 1, "n1", **{**SMALL, "labels": {"app": "small", "kept": "yes"}}),
        node("n1", 9),
        node("n2", 1),
        profile="kubernetes",
        controllers=frozenset({"owners"}),
        descheduler=Descheduler(
            (
                Run("PodLifeTime", PodLifeTime(selector=selector(app="large"))),
                Run("RemoveDuplicates", RemoveDuplicates()),
            )
        ),
        properties=("type_correct",),
    ),
    budgets=(BUDGET,),
)
"""A cluster in which a cycle may end before its second plugin begins, as that may choose a pod which a budget protects."""


@pytest.mark.slow
def test_a_cycle_may_begin_again_instead_of_its_next_plugin(tmp_path: Path) -> None:
    assert of_module(AGAIN, tmp_path) == of_check(AGAIN)


@pytest.mark.slow
def test_a_cycle_that_does_not_begin_again_has_other_counts(tmp_path: Path) -> None:
    broken = ("KubeDescheduledCluster", "Next.Found \\union Again ELSE", "Next.Found ELSE")
    assert of_module(AGAIN, tmp_path, broken) != of_check(AGAIN)


CROWD = cluster(
    *(
        pod(f"{owner}-{number}", 1, "n1", owner=("ReplicaSet", owner))
        for owner in ("one", "two")
        for number in range(4)
    ),
    node("n1", 9),
    node("n2", 9),
    profile="kubernetes",
    descheduler=Descheduler((Run("RemoveDuplicates", RemoveDuplicates()),)),
    properties=("type_correct",),
)
"""A cluster with duplicates in excess of two owners."""


@pytest.mark.slow
def test_duplicates_of_two_owners_take_the_same_steps(tmp_path: Path) -> None:
    assert walked(CROWD, tmp_path, 0, 3) >= {"Deschedule", "EvictDescheduled"}


@pytest.mark.slow
def test_duplicates_that_are_not_told_apart_by_owner_take_other_steps(tmp_path: Path) -> None:
    text = (FOLDER / "DeschedulerDuplicates.tla").read_text(encoding="utf-8")
    old, new = "FactsSeen(Pod).Duplicates = Number}\n      OnOne", "TRUE}\n      OnOne"
    assert text.count(old) == 1
    (tmp_path / "DeschedulerDuplicates.tla").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(AssertionError):
        walked(CROWD, tmp_path, 0, 3)


PACKING = example("descheduler-packing")


@pytest.mark.slow
def test_an_eviction_of_the_descheduler_is_one(tmp_path: Path) -> None:
    asked = replace(PACKING, properties=("never_evicted(web-1)",))
    assert check(asked, symmetry=False).result.verdict == Verdict.VIOLATED
    assert result_of_module(asked, tmp_path).verdict == Verdict.VIOLATED


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"profile": "classic"}, "the controller descheduler together with the profile classic has no module in tla/"),
        ({"rules": (Rule("shutdown", nodes=("node-1",)),)}, "the event shutdown beside the controller descheduler"),
        ({"rules": (Rule("restart", pods=(("default", "web-1"),)),)}, "the event restart has no action in tla/"),
    ],
)
def test_what_tla_does_not_model_is_refused_by_name(fields: dict[str, object], told: str) -> None:
    with pytest.raises(NotExportable, match=told):
        model_module(replace(PACKING, **fields), "MC_packing")


def test_the_symmetry_of_a_descheduler_is_refused_by_name() -> None:
    with pytest.raises(NotExportable, match="the symmetry of scenarios with the controller descheduler"):
        model_module(PACKING, "MC_packing", symmetry=True)


@pytest.mark.parametrize(
    ("offered", "unit", "threshold", "most"),
    [(4000, 100, 50.0, 20), (3, 1, 50.0, 1), (10, 1, 70.0, 7), (7, 2, 0.0, 0), (0, 1, 10.0, 2**31 - 1)],
)
def test_the_most_of_a_little_used_node_is_the_last_share_not_above_the_threshold(
    offered: int, unit: int, threshold: float, most: int
) -> None:
    assert _most(offered, unit, threshold) == most


@pytest.mark.parametrize("text", ["dedicated", "dedicated=batch", "dedicated="])
@pytest.mark.parametrize("value", ["", "batch", "other"])
def test_the_names_of_taints_are_told_as_pairs(text: str, value: str) -> None:
    ours = {"dedicated", *([f"dedicated={value}"] if value else [])} & {text}
    assert bool({("dedicated", ""), ("dedicated", value)} & {*_named(frozenset({text})).elements}) == bool(ours)
