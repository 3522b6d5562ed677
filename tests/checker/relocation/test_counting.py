"""What counting proves is so in every behaviour; it proves as much as it should, and no broken count passes"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from frozendict import frozendict

from schedcheck.checker import followed
from schedcheck.checker.check import check
from schedcheck.checker.recovery import of_leaving
from schedcheck.checker.recovery.of_leaving import FURTHER, placed_nowhere
from schedcheck.checker.relocation import relocation as judged
from schedcheck.checker.relocation.counting import Counting
from schedcheck.checker.relocation.leaving import drained, failed
from schedcheck.checker.relocation.others import Blocking, Others
from schedcheck.checker.relocation.questions import placed, questions
from schedcheck.checker.relocation.relocation import Relocation, relocation
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import PodDisruptionBudget, SpreadConstraint, Toleration
from schedcheck.spec.storage import GCEPersistentDisk, PersistentVolume, PersistentVolumeClaim, Volume
from tests.support.building import apart, claiming, near, node, pod, scenario, selector, snapshot, stored, term

OWNED = {"owner": ("ReplicaSet", "web")}
TOLERATES_ALL = Toleration(operator="Exists")
HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"


def whole(scene: Scenario, asked: object) -> Scenario:
    return scene


def drain(scene: Scenario, *names: str) -> Relocation:
    return relocation(drained(scene, names), whole, Bounds(seconds=60))


def cluster(*free: int, pods: int = 2, cpu: int = 1, **fields: object) -> Scenario:
    """Pods of one ReplicaSet on the node old, and other nodes with this much cpu."""
    movers = [pod(f"web-{number}", cpu=cpu, on="old", **OWNED, **fields) for number in range(pods)]
    others = [node(f"n{number}", cpu=size, labels={HOST: f"n{number}"}) for number, size in enumerate(free)]
    return scenario(*movers, node("old", cpu=9, labels={HOST: "old"}), *others, profile="kubernetes")


@pytest.mark.parametrize(
    ("free", "pods", "proved"),
    [
        ((1, 1), 2, True),  # one other pod closes one node, two are needed
        ((1,), 2, False),
        ((2,), 2, True),
        ((1, 1), 3, False),
        ((3,), 3, True),
        ((), 1, False),
        ((1,), 1, True),
    ],
)
def test_a_place_is_proved_if_the_others_cannot_close_every_node(
    free: tuple[int, ...], pods: int, proved: bool
) -> None:
    found = drain(cluster(*free, pods=pods), "old")
    assert [each.proved for each in found.places.values()] == [proved] * pods
    assert found.verdict is (Verdict.HOLDS if proved else Verdict.VIOLATED)
    assert found.counted == proved


def test_a_node_at_its_pod_limit_is_closed_too() -> None:
    scene = cluster(9, pods=3)
    tight = [node("n0", cpu=9, pods=2) if each.name == "n0" else each for each in scene.nodes]
    found = relocation(drained(Scenario("test", scene.pods, tuple(tight), profile="kubernetes"), ("old",)), whole)
    assert [each.proved for each in found.places.values()] == [False] * 3
    assert found.verdict is Verdict.VIOLATED


def test_anti_affinity_closes_a_whole_domain() -> None:
    fields = {"labels": {"app": "web"}, "affinity": apart(term(ZONE, selector(app="web")))}
    movers = [pod(f"web-{number}", cpu=1, on="old", **OWNED, **fields) for number in range(2)]
    for zones, proved in ((("a", "a"), False), (("a", "b"), True)):
        others = [node(f"n{number}", cpu=9, labels={ZONE: zone}) for number, zone in enumerate(zones)]
        found = drain(scenario(*movers, node("old", cpu=9), *others, profile="kubernetes"), "old")
        # Two nodes of one zone are closed by one other pod; two zones are not.
        assert [each.proved for each in found.places.values()] == [proved] * 2
        assert found.verdict is (Verdict.HOLDS if proved else Verdict.VIOLATED)


def test_a_budget_without_any_spare_pod_blocks_a_drain() -> None:
    budget = PodDisruptionBudget("pdb", selector=selector(app="web"), min_available=2, expected=2)
    scene = cluster(4, labels={"app": "web"})
    found = drain(Scenario("test", scene.pods, scene.nodes, profile="kubernetes", budgets=(budget,)), "old")
    assert found.verdict is Verdict.VIOLATED and [each.budget for each in found.blocked] == [budget]


def test_a_budget_with_a_spare_pod_lets_a_drain_end() -> None:
    budget = PodDisruptionBudget(
        "pdb", selector=selector(app="web"), min_available=1, expected=2, disruptions_allowed=1
    )
    scene = cluster(4, labels={"app": "web"})
    found = drain(Scenario("test", scene.pods, scene.nodes, profile="kubernetes", budgets=(budget,)), "old")
    assert found.verdict is Verdict.HOLDS and found.counted


def related(chance: Random, app: str) -> dict[str, object]:
    """Required anti-affinity, affinity or topology spread to the pods of an application, or nothing of these."""
    key, selected = chance.choice((ZONE, HOST)), selector(app=app)
    match chance.choice(("", "", "apart", "apart", "near", "spread", "spread")):
        case "apart":
            return {"affinity": apart(term(key, selected))}
        case "near":
            return {"affinity": near(term(key, selected))}
        case "spread":
            several = tuple(
                SpreadConstraint(chance.choice((1, 1, 2)), each, True, selected, chance.choice((1, 1, 2)))
                for each in ((ZONE, HOST) if chance.random() < 0.3 else (key,))
            )
            return {"spread": several}
    return {}


def drawn(seed: int) -> Scenario:
    """A small cluster: movers on the node old, pods elsewhere, pending pods, budgets, affinity and topology spread."""
    chance = Random(seed)
    nodes = [node("old", cpu=9, labels={ZONE: "a", HOST: "old"})]
    for number in range(chance.randint(1, 3)):
        labels = {ZONE: chance.choice("ab"), HOST: f"n{number}"}
        nodes.append(node(f"n{number}", cpu=chance.randint(1, 4), labels=labels, pods=chance.choice((1, 2, 9))))
    pods = []
    for number in range(chance.randint(1, 3)):
        app = chance.choice(("web", "db"))
        fields = related(chance, app)
        owner = {"owner": ("ReplicaSet", app)} if chance.random() < 0.9 else {}
        priority = chance.choice((0, 0, 5))
        cpu = chance.randint(1, 2)
        fields |= {"tolerations": (TOLERATES_ALL,)} if chance.random() < 0.15 else {}
        pods.append(pod(f"m{number}", cpu=cpu, on="old", labels={"app": app}, priority=priority, **owner, **fields))
    for number in range(chance.randint(0, 2)):
        on = chance.choice([each.name for each in nodes[1:]] + [""])
        labels = {"app": chance.choice(("web", "db"))}
        fields = related(chance, chance.choice(("web", "db")))
        pods.append(pod(f"p{number}", cpu=1, on=on, labels=labels, priority=chance.choice((0, 5)), **fields))
    least, allowed = chance.choice((0, 1, 2)), chance.choice((0, 1, 2))
    budget = PodDisruptionBudget("pdb", selector=selector(app="web"), min_available=least, disruptions_allowed=allowed)
    budgets = (budget,) if chance.random() < 0.6 else ()
    return scenario(*pods, *nodes, profile="kubernetes", budgets=budgets)


def agree(seed: int, counted: list[bool]) -> None:
    """Compare the answer with an exploration of everything."""
    scene = drawn(seed)
    for leaving in (drained(scene, ("old",)), failed(scene, ("old",))):
        asked = questions(leaving)
        if not asked:
            continue
        everything = check(leaving.scenario, rules=asked, alone=True, bounds=Bounds(max_states=4000))
        if everything.result.stopped:
            continue
        found = relocation(leaving, whole, further=FURTHER)
        well = not everything.result.violations
        assert found.verdict is (Verdict.HOLDS if well else Verdict.VIOLATED), seed
        counted.append(found.counted and well)
        # A proved place is a place in every behaviour, whatever becomes of the others.
        broken = {each.property.name for each in everything.result.violations}
        nowhere = () if found.blocked else placed_nowhere(leaving)
        assert not nowhere or broken, seed
        for each in nowhere:
            question = (placed(each),)
            assert check(leaving.scenario, rules=question, alone=True).result.violations, (seed, str(each))
        if not found.evicting:
            for each in leaving.movers:
                assert not (found.places[each.key].proved and f"placed({each})" in broken), seed


@pytest.mark.medium
def test_random_answers_are_those_of_an_exploration_of_everything() -> None:
    counted: list[bool] = []
    for seed in range(60):
        agree(seed, counted)
    assert sum(counted) >= 5 and len(counted) - sum(counted) >= 10


def without_slots(self: Blocking, info: NodeInfo) -> int:
    found = [self.never]
    for name, size in self.wants.items():
        left = info.node.allocatable.get(name, 0) - info.requested(self.departures).get(name, 0) - size
        found.append(next((n for n, total in enumerate(self.sums[name], 1) if total > left), self.never))
    return min(found)


BROKEN: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "amounts": lambda patch: patch.setattr(Blocking, "fewest", lambda self, info: self.never),
    "slots": lambda patch: patch.setattr(Blocking, "fewest", without_slots),
    "domains": lambda patch: patch.setattr(Counting, "_by_domains", lambda *given: 0),
    "spare": lambda patch: patch.setattr(judged, "spare_of", lambda budget, number: -1),
    "lost": lambda patch: patch.setattr(judged, "spare", lambda budget, snapshot, kubelet: 9),
    "cordons": lambda patch: patch.setattr(judged, "may_return", lambda pod, leaving: False),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_count_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BROKEN[broken](monkeypatch)
    with pytest.raises(AssertionError):
        for seed in range(300):
            agree(seed, [])


@pytest.mark.parametrize(
    ("tolerations", "verdict"),
    [
        ((), Verdict.HOLDS),
        ((Toleration(operator="Exists"),), Verdict.VIOLATED),
        ((Toleration("node.kubernetes.io/unschedulable", "Exists", effect="NoSchedule"),), Verdict.VIOLATED),
        ((Toleration("node.kubernetes.io/unschedulable", "Exists", effect="NoExecute"),), Verdict.HOLDS),
    ],
)
def test_a_pod_that_tolerates_the_cordon_may_come_back(tolerations: tuple[Toleration, ...], verdict: Verdict) -> None:
    scene = cluster(3, pods=1, tolerations=tolerations)
    found = drain(scene, "old")
    assert found.verdict is verdict
    assert [str(each) for each in found.returned] == ["Bind(web-0, old)"] * (verdict is Verdict.VIOLATED)
    assert found.stuck == ()
    # A node that has failed is gone.
    assert relocation(failed(scene, ("old",)), whole).verdict is Verdict.HOLDS


def test_a_pod_may_come_back_if_the_profile_does_not_look_at_cordons() -> None:
    filters = tuple(name for name in DEFAULT_PLUGINS.at("filter") if name != "NodeUnschedulable")
    blind = replace(DEFAULT_PLUGINS, points=DEFAULT_PLUGINS.points.set("filter", filters))
    scene = replace(cluster(3, pods=1), plugins=(blind,))
    assert drain(scene, "old").returned


def evicting() -> Scenario:
    """A pending pod can only take the place of two others, and these would then take the places of the pod that moves."""
    own = {"owner": ("ReplicaSet", "x")}
    return scenario(
        pod("web-0", cpu=1, on="old", **OWNED),
        pod("big", cpu=2, priority=5, node_selector={"disk": "ssd"}),
        pod("x-1", cpu=1, on="n0", **own),
        pod("x-2", cpu=1, on="n0", **own),
        node("old", cpu=9),
        node("n0", cpu=2, labels={"disk": "ssd"}),
        node("n1", cpu=1),
        node("n2", cpu=1),
        profile="kubernetes",
    )


def test_pods_that_others_evict_take_places_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    found = drain(evicting(), "old")
    assert [str(each) for each in found.evicting] == ["big"]
    assert found.places["default", "web-0"].proved
    assert found.verdict is Verdict.VIOLATED and [str(each) for each in found.waiting] == ["web-0"]
    places = judged._places
    monkeypatch.setattr(judged, "_places", lambda leaving: (places(leaving)[0], ()))
    assert drain(evicting(), "old").verdict is Verdict.HOLDS


def test_a_pod_that_must_be_beside_others_is_left_to_exploration() -> None:
    beside = pod("a", cpu=1, affinity=apart(term(ZONE, selector(app="web"))))
    assert Counting(snapshot(node("n", cpu=4)), ()).place(beside, DEFAULT_PLUGINS, Others(())).proved
    wants = pod("a", cpu=1, affinity=near(term(ZONE, selector(app="web"))))
    stays = pod("b", on="n", labels={"app": "web"})
    there = Counting(snapshot(node("n", cpu=4, labels={ZONE: "a"}), stays), ())
    assert there.place(wants, DEFAULT_PLUGINS, Others(())).proved
    may_leave = there.place(wants, DEFAULT_PLUGINS, Others((), (stays,)))
    assert may_leave.unproved == "it must be placed beside other pods, which may leave"


def test_pods_that_differ_only_in_their_overhead_have_places_of_their_own() -> None:
    light, heavy = (
        pod(name, cpu=1, on="old", overhead=frozendict({"cpu": size * 10**6}), **OWNED)
        for name, size in (("a", 0), ("b", 4000))
    )
    found = drain(
        scenario(light, heavy, node("old", cpu=9), node("n1", cpu=2), node("n2", cpu=2), profile="kubernetes"), "old"
    )
    # No node has room for the overhead of b; a fits beside nothing.
    assert found.places["default", "b"].feasible == 0
    assert found.places["default", "a"].feasible == 2


def test_pods_with_claims_are_counted_unless_others_have_uncountable_volumes() -> None:
    asked = claiming("data", name="a")
    bound = PersistentVolumeClaim("data", volume_name="pv", bind_completed=True)
    there = replace(
        snapshot(node("n", cpu=4), node("m", cpu=4)), storage=stored(bound, PersistentVolume("pv", phase="Bound"))
    )
    disk = pod("b", volumes=(Volume("disk", GCEPersistentDisk("pd")),))
    # One other with volumes may close one node, by the limit of volumes, but not both.
    for other, proved in ((claiming("data", name="b"), True), (disk, False)):
        assert Counting(there, ()).place(asked, DEFAULT_PLUGINS, Others((other,))).proved == proved


def lonely(number: int, allowed: int) -> Scenario:
    """Pods beside others that do not exist, of which a budget lets so many be evicted, and pods that find a place."""
    beside = {**OWNED, "affinity": near(term(ZONE, selector(app="gone"))), "labels": {"app": "web"}}
    pods = [pod(f"web-{each}", cpu=1, on="old", **beside) for each in range(number)]
    others = [pod(f"p{each}", cpu=1, on="old", owner=("ReplicaSet", "p")) for each in range(2)]
    budget = PodDisruptionBudget(
        "web",
        selector=selector(app="web"),
        min_available=number - allowed,
        disruptions_allowed=allowed,
        expected=number,
    )
    nodes = [node(name, cpu=9, labels={ZONE: "a"}) for name in ("old", "new")]
    return scenario(*pods, *others, *nodes, profile="kubernetes", budgets=(budget,))


@pytest.mark.parametrize("fails", [False, True])
def test_pods_that_no_node_takes_again_are_explored_alone_in_a_large_cluster(
    fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaving = (failed if fails else drained)(lonely(2, 1), ("old",))
    everything = relocation(leaving, whole, Bounds(seconds=60))
    monkeypatch.setattr(followed, "SOON", 1)
    alone = relocation(leaving, whole, Bounds(seconds=60), further=FURTHER)
    assert everything.verdict is alone.verdict is Verdict.VIOLATED
    assert everything.explored is not None and alone.explored is not None
    assert len(everything.explored.scenario.pods) == 4
    # The budget lets one of them go, and the other one once that is healthy again.
    leaves = ["web-0", "web-1"] if fails else ["web-0"]
    assert [each.name for each in alone.explored.scenario.pods] == leaves
    assert [each.name for each in alone.waiting] == leaves
    # The behaviour is one of the whole cluster.
    steps = [str(stage.action) for stage in alone.violations[0].trace[1:]]
    machine = Reference(leaving.scenario, profile_of(leaving.scenario))
    (state,) = machine.initial_states()
    for text in steps:
        state = next(reached for action, reached in machine.steps(state) if str(action) == text)


def test_a_pod_that_its_budget_keeps_on_the_node_is_not_explored_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(followed, "SOON", 1)
    found = drain(lonely(2, 0), "old")
    assert found.blocked or (found.explored is not None and len(found.explored.scenario.pods) == 4)
    monkeypatch.setattr(of_leaving, "allows", lambda budgets, pod: True)
    assert placed_nowhere(found.leaving), "without the budget both would leave"
    monkeypatch.undo()
    assert placed_nowhere(found.leaving) == ()
