"""The operators of workloads that roll out with their twins: `TWINS`; and the pods that they are asked about: `settings`

The pods are p0 to p5. Of a StatefulSet all follow each other under the same names; of other workloads p0 to p2 are by the
present template, and p3 to p5 by the former one.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from frozendict import frozendict

from schedcheck.model.controllers import Create, Remove, daemon_set, deployment, stateful_set
from schedcheck.model.controllers.replica_set import available, missing, surplus
from schedcheck.model.controllers.rollouts import moves, placed
from schedcheck.model.rollouts import Key, Rollout, Scales
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.terms import Affinity, NodeSelectorTerm, Requirement
from schedcheck.tla_export.kubernetes_objects import kubernetes_pod_record
from schedcheck.tla_export.records import Object, Records
from schedcheck.tla_export.text import Record
from tests.support.building import node, pod
from tests.tla.operators.asking import Setting
from tests.tla.operators.cases import Case, NoSuch
from tests.tla.operators.settings import KUBERNETES, kubernetes
from tests.tla.operators.told import Fields
from tests.tla.operators.twin import Twin

HOSTS, NEW, MOST = 3, "new", 6


class UidRecords(Records):
    """Records whose pods also have their uid."""

    def written(self, given: Object) -> Record:
        if isinstance(given, Pod):
            return kubernetes_pod_record(given, self.scale, self.starts, uids=True)
        return super().written(given)


RECORDS = UidRecords(KUBERNETES.scale, kubernetes=True, starts=KUBERNETES.starts, image_unit=KUBERNETES.image_unit)


NO_ROLLOUT = Rollout("", "", "", 0, ())


@dataclass(frozen=True)
class Told(Fields):
    """A rollout as a record, and as it is."""

    rollout: Rollout = NO_ROLLOUT


def settings(seeds: Iterable[int]) -> Iterator[Setting]:
    """Yield one setting with these random snapshots."""
    given = kubernetes("rollouts", range(1), DEFAULT_PLUGINS)
    cases = {str(seed): Case(snapshot(Random(seed)), RECORDS, Random(seed), plugins=DEFAULT_PLUGINS) for seed in seeds}
    yield replace(given, cases=cases, extends=("StatefulPods", "DaemonPods"))


def form(number: int, uid: str = "") -> Pod:
    """A pod as it is created, whose affinity names a host."""
    term = NodeSelectorTerm((), (Requirement("metadata.name", "In", (f"n{number % HOSTS}",)),))
    return replace(pod(f"p{number}", uid=uid), affinity=Affinity(node_required=(term,)))


def snapshot(chance: Random) -> Snapshot:
    """Most of the pods, unbound or on a host, in any phase."""
    pods = (given(chance, number) for number in range(MOST) if chance.random() < 0.85)
    return Snapshot(tuple(pods), tuple(node(f"n{number}") for number in range(HOSTS)))


def given(chance: Random, number: int) -> Pod:
    uid = chance.choice(("", NEW)) if chance.random() < 0.3 else NEW if number < HOSTS else ""
    where = chance.choice(("", f"n{number % HOSTS}", f"n{number % HOSTS}", f"n{chance.randrange(HOSTS)}"))
    phase = chance.choice(("Pending", "Running", "Running", "Running", "Running", "Failed")) if where else "Pending"
    return replace(form(number, uid), node_name=where, phase=phase, terminating=chance.random() < 0.1)


def told(rollout: Rollout) -> Told:
    """The rollout as a record."""
    hosts = {(each.key, daemon_set.host(each)) for each in (*rollout.forms, *rollout.former)}
    return Told(
        frozendict(
            Kind=rollout.kind, Replicas=rollout.replicas, Forms=rollout.forms, Former=rollout.former,
            Revision=rollout.revision, Surge=rollout.surge, Unavailable=rollout.unavailable, Recreate=rollout.recreate,
            Ordered=rollout.ordered, Partition=rollout.partition, Costs=frozenset(rollout.costs.items()),
            Order=tuple(sorted(rollout.keys)), Hosts=frozenset(hosts),
        ),
        rollout,
    )  # fmt: skip


def of_kind(kind: str) -> Any:
    """The function that draws a rollout of the kind."""

    def drawn(case: Case) -> Told:
        one = case.one
        number, before = one((1, 2, 3)), one((0, 1, 2, 3))
        stateful = kind == "StatefulSet"
        forms = tuple(form(each, NEW) for each in range(one((2, 3, 4, 5)) if stateful else number))
        former = tuple(
            form(each if stateful else HOSTS + each) for each in range(one((2, 4, 5, 6)) if stateful else before)
        )
        rolling = case.random.random() < 0.8
        return told(
            Rollout(
                kind, "web", "default", len(forms) if stateful else one((0, 1, 2, 3)), forms, former,
                revision=NEW if rolling else "", surge=one((0, 1, 2)), unavailable=one((0, 1, 2)),
                recreate=one((True, False)), ordered=one((True, False)), partition=one((0, 0, 1, 2)),
                costs=frozendict({each.key: one((-1, 1)) for each in (*forms, *former) if case.random.random() < 0.2}),
            )
        )  # fmt: skip

    return drawn


def settled(case: Case) -> Snapshot:
    """The snapshot, often with no pod of the first ones missing or late, so that what comes after them is reached."""
    late = case.random.random() < 0.3
    chance = case.random
    ready = {
        number: replace(form(number, chance.choice(("", NEW))), node_name="n0", phase="Running")
        for number in range(MOST)
    }
    if late:
        return case.snapshot
    there = [ready[each] for each in range(chance.randint(2, MOST))]
    place = chance.randrange(len(there))
    there[place] = given(chance, place)
    return replace(case.snapshot, pods=tuple(there))


def on_hosts(case: Case) -> Snapshot:
    """The snapshot, often with all pods ready on their hosts but one."""
    chance = case.random
    if chance.random() < 0.4:
        return case.snapshot
    numbers = [each for each in range(MOST) if each < HOSTS or chance.random() < 0.5]
    there = [
        replace(
            form(each, "" if each >= HOSTS or chance.random() < 0.3 else NEW),
            node_name=f"n{each % HOSTS}",
            phase="Running",
        )
        for each in numbers
    ]
    place = chance.randrange(len(there))
    there[place] = given(chance, numbers[place])
    return replace(case.snapshot, pods=tuple(there))


def timed(case: Case) -> frozenset[Key]:
    return frozenset(pod.key for pod in case.snapshot.pods if case.random.random() < 0.2)


def scales(case: Case) -> Scales:
    return case.one((0, 1, 2, 3, 4)), case.one((0, 1, 2, 3))


def forms(case: Case) -> tuple[Pod, ...]:
    return case.one((tuple(form(each, NEW) for each in range(HOSTS)), tuple(form(each) for each in range(2, MOST))))


def ordinal(case: Case, rollout: Told) -> int:
    return case.random.randint(1, len(rollout.rollout.forms))


def wanted_host(case: Case, rollout: Told) -> str:
    return case.one(tuple(map(daemon_set.host, rollout.rollout.forms)))


def by_key(snapshot: Snapshot) -> dict[Key, Pod]:
    return {each.key: each for each in snapshot.pods}


def of_sets(rollout: Told, scale: Scales, snapshot: Snapshot, action: type) -> frozenset[Pod]:
    """The pods that are created, or deleted, by ReplicaSets."""
    done = moves(replace(rollout.rollout, kind="Deployment"), scale, by_key(snapshot))
    return frozenset(each for act, _, each in done if isinstance(act, action) and each is not None)


def synced(rollout: Told, asked: Scales, timed: Collection[Key], snapshot: Snapshot) -> Scales:
    def there(forms: Iterable[Pod]) -> list[Pod]:
        return [each for one in forms if (each := by_key(snapshot).get(one.key))]

    now = rollout.rollout
    former, present = there(now.former), there(now.forms)
    numbers = sum(available(each, timed) for each in former), sum(available(each, timed) for each in present)
    return deployment.synced(now, asked, numbers, bool(former))


def surplus_forms(rollout: Told, forms: tuple[Pod, ...], asked: int, snapshot: Snapshot) -> frozenset[Pod]:
    pods = by_key(snapshot)
    own = [pods[key] for key in rollout.rollout.keys if key in pods]
    return frozenset(surplus(forms, pods, asked, own, rollout.rollout.costs))


def own_forms(case: Case, rollout: Told) -> tuple[Pod, ...]:
    return case.one((rollout.rollout.forms, rollout.rollout.former))


def by_pods(steps: Any, rollout: Told, timed: Collection[Key], snapshot: Snapshot, *, create: bool) -> frozenset[Pod]:
    """The pods that are created, or deleted, without ReplicaSets."""
    return frozenset(each for each, creates in steps(rollout.rollout, by_key(snapshot), timed) if creates is create)


def beyond(rollout: Told, snapshot: Snapshot) -> frozenset[int]:
    there = {each.key for each in stateful_set._beyond(rollout.rollout, by_key(snapshot))}
    return frozenset(place for place, each in enumerate(rollout.rollout.former, 1) if each.key in there)


def pair_on(rollout: Told, host: str, snapshot: Snapshot) -> tuple[Pod | None, Pod | None]:
    own = sorted((each for each in snapshot.pods if each.key in rollout.rollout.keys), key=lambda each: each.key)
    return daemon_set._of(rollout.rollout, [each for each in own if daemon_set.host(each) == host])


def some_pod(case: Case, rollout: Told) -> Pod:
    own = [each for each in case.snapshot.pods if each.key in rollout.rollout.keys]
    if not own:
        raise NoSuch
    return case.one(own)


ASKED = {"Asked": lambda case: case.one((0, 1, 2, 3))}
SETS = {"Rollout": of_kind("Deployment"), "Asked": scales, "Timed": timed, "Numbers": scales}
STATEFUL = {"Rollout": of_kind("StatefulSet"), "Timed": timed, "i": ordinal, "Snapshot": settled}
DAEMON = {"Rollout": of_kind("DaemonSet"), "Timed": timed, "Host": wanted_host, "Pod": some_pod, "Snapshot": on_hosts}

TWINS = (
    Twin("IsAvailable", available, {"Timed": timed}),
    Twin("FormKeys", lambda forms: frozenset(each.key for each in forms), {"Forms": forms}),
    Twin("KeysOfRollout", lambda rollout: rollout.rollout.keys, SETS),
    Twin("PodsAmong", lambda keys, snapshot: frozenset(each for each in snapshot.pods if each.key in keys), {"Keys": timed}),
    Twin("FollowsTemplate", lambda rollout, pod: rollout.rollout.updated(pod), SETS),
    Twin("MissingForms", lambda forms, asked, snapshot: frozenset(filter(None, (missing(forms, by_key(snapshot), asked),))), {"Forms": forms} | ASKED),
    Twin("SurplusForms", surplus_forms, SETS | ASKED | {"Forms": own_forms}),
    Twin("ShrunkFormer", lambda rollout, asked, numbers: deployment._shrunk(rollout.rollout, asked, numbers), SETS),
    Twin("RolledScales", lambda rollout, asked, numbers: deployment._rolled(rollout.rollout, asked, numbers, True), SETS),
    Twin("RecreatedScales", lambda rollout, asked, left: deployment._recreated(rollout.rollout, asked, (0, 0), left), SETS | {"FormerLeft": lambda case: case.one((True, False))}),
    Twin("SyncedScales", synced, SETS),
    Twin("ToCreateBySets", lambda rollout, asked, snapshot: of_sets(rollout, asked, snapshot, Create), SETS),
    Twin("ToDeleteBySets", lambda rollout, asked, snapshot: of_sets(rollout, asked, snapshot, Remove), SETS),
    Twin("RolledOut", lambda rollout, snapshot: placed(rollout.rollout, {key: each for key, each in by_key(snapshot).items() if key in rollout.rollout.keys}), STATEFUL),
    Twin("FormOf", lambda rollout, i: stateful_set.form_of(rollout.rollout, i - 1), STATEFUL),
    Twin("BeyondOrdinals", beyond, STATEFUL),
    Twin("CondemnedPods", lambda rollout, timed, snapshot: frozenset(stateful_set._condemned(rollout.rollout, by_key(snapshot), timed)), STATEFUL),
    Twin("OutdatedPods", lambda rollout, timed, snapshot: frozenset(stateful_set._outdated(rollout.rollout, by_key(snapshot), timed)), STATEFUL),
    Twin("ToCreateByOrdinal", lambda rollout, timed, snapshot: by_pods(stateful_set.steps, rollout, timed, snapshot, create=True), STATEFUL),
    Twin("ToDeleteByOrdinal", lambda rollout, timed, snapshot: by_pods(stateful_set.steps, rollout, timed, snapshot, create=False), STATEFUL),
    Twin("HostFor", lambda rollout, pod: daemon_set.host(pod), DAEMON),
    Twin("FormerOn", lambda rollout, host, snapshot: pair_on(rollout, host, snapshot)[0], DAEMON),
    Twin("PresentOn", lambda rollout, host, snapshot: pair_on(rollout, host, snapshot)[1], DAEMON),
    Twin("ToCreateByHost", lambda rollout, timed, snapshot: by_pods(daemon_set.steps, rollout, timed, snapshot, create=True), DAEMON),
    Twin("ToDeleteByHost", lambda rollout, timed, snapshot: by_pods(daemon_set.steps, rollout, timed, snapshot, create=False), DAEMON),
)  # fmt: skip
