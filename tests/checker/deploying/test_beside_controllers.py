"""Applied manifests beside controllers: the answers are those of the same as the event `apply` in a scenario of `check`"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

import schedcheck
from schedcheck.api.preparing import prepared
from schedcheck.api.values import Observer, Profile
from schedcheck.checker.deploying import question
from schedcheck.checker.result import Verdict
from schedcheck.model.controllers import ApplyManifest
from schedcheck.model.controllers.rollouts import placed
from schedcheck.model.environment import Evict
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Fairness
from tests.checker.relocation.judging import Space, comes_to_rest, leads_to, space
from tests.checker.relocation.test_beside import Document, node, pod, policy, pools, written

MOST = 1500


def deployment(cpu: int, replicas: int, image: str, **strategy: Any) -> Document:
    container = {"name": "main", "image": image, "resources": {"requests": {"cpu": f"{cpu}00m"}}}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "strategy": strategy, "template": template},
    }  # fmt: skip


def standing(name: str, on: str, cpu: int) -> Document:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-5d9c", "uid": "w", "controller": True}
    container = {"name": "main", "image": "a", "resources": {"requests": {"cpu": f"{cpu}00m"}}}
    metadata = {"name": name, "uid": name, "labels": {"app": "web"}, "ownerReferences": [owner]}
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": {**metadata, "creationTimestamp": "2024-01-01T00:00:00Z"},
        "spec": {"nodeName": on, "containers": [container]},
        "status": {"phase": "Running", "startTime": "2024-01-01T00:00:00Z"},
    }  # fmt: skip


def drawn(seed: int) -> tuple[list[Document], Document, list[str], Document | None]:
    """The objects of a cluster, the manifest that is applied, the controllers, and the file of one of them."""
    chance = Random(seed)
    names = ["n1", "n2"]
    cpu, more, number = chance.choice((5, 9, 14)), chance.choice((5, 9, 14)), chance.randint(1, 2)
    ways = ({"type": "Recreate"}, *({"rollingUpdate": {"maxSurge": one, "maxUnavailable": 1 - one}} for one in (0, 1)))
    way: Document = chance.choice(ways)
    objects = [node(name, chance.randint(1, 3)) for name in names]
    objects += [standing(f"web-5d9c-{each}", chance.choice(names), cpu) for each in range(number)]
    objects.append(deployment(cpu, number, "a", **way))
    manifest = deployment(more, number, "b", **way)
    match chance.randrange(5):
        case 0 | 1:
            return objects, manifest, ["descheduler"], policy("RemoveDuplicates", fit=chance.random() < 0.3)
        case 2:
            return objects, manifest, ["descheduler"], policy("HighNodeUtilization", {"thresholds": {"cpu": 40}})
        case 3:
            return objects, manifest, ["nodePools"], pools(2)
        case _:
            return objects, manifest, ["podgc"], None


def beside_others(seed: int) -> tuple[list[Document], Document, list[str], Document | None]:
    """The same with pods of another owner, which a descheduler may move and whose room a new pod may take."""
    chance = Random(f"others {seed}")
    nodes = [node(name, chance.randint(1, 2)) for name in ("n1", "n2")]
    cpu, number = chance.choice((5, 9)), chance.randint(1, 2)
    others = [pod(f"api-{each}", chance.choice(("n1", "n2")), cpu, "ReplicaSet") for each in range(number)]
    for each in others:
        each["metadata"]["labels"] = {"app": "api"}
        each["metadata"]["ownerReferences"][0]["name"] = "api"
    before = [standing("web-5d9c-0", chance.choice(("n1", "n2")), 1), deployment(1, 1, "a", type="Recreate")]
    manifest = deployment(chance.choice((5, 9, 14)), 1, "b", type="Recreate")
    plugins = (policy("RemoveDuplicates"), policy("HighNodeUtilization", {"thresholds": {"cpu": 60}}))
    return [*nodes, *others, *before], manifest, ["descheduler"], chance.choice(plugins)


def others_placed(there: Space, keys: frozenset[tuple[str, str]]) -> bool:
    """Whether each of these pods that waits is bound, or gone, in every behaviour."""

    def waiting(view: Snapshot, key: tuple[str, str]) -> bool:
        return any(each.key == key and not each.node_name and not each.terminating for each in view.pods)

    return all(
        leads_to(there, partial(waiting, key=key), lambda view, of=key: not waiting(view, of)) for key in sorted(keys)
    )


def after_applying(
    folder: Path, manifest: Document, names: list[str], file: Document | None
) -> tuple[Space, Any] | None:
    """All states after the manifest was applied at once, by the machine of the scenario of `check`, and its workload."""
    own: list[Any] = ["owners", "kubelet", {names[0]: file} if file else names[0]]
    spec = {"controllers": own, "events": [{"event": "apply", "manifest": manifest}]}
    scenario = {"apiVersion": "schedcheck/v1alpha1", "kind": "Scenario", "metadata": {"name": "same"}, "spec": spec}
    documents = [*yaml.safe_load_all((folder / "cluster.yaml").read_text()), scenario]
    written(folder / "same", documents, [], None)
    made = prepared(schedcheck.read(folder / "same" / "cluster.yaml", whole=True), Profile(), Observer(), scaled=True)
    # Before the event other controllers may act as well: only what follows on it at once is asked about.
    there = space(made.scenario, MOST, first=ApplyManifest)
    return None if there is None else (there, made.scenario.rollouts[0])


Draw = Callable[[int], tuple[list[Document], Document, list[str], Document | None]]


def compared(seeds: Iterable[int], tmp_path: Path, draw: Draw = drawn) -> Counter[tuple[str, str, bool]]:
    seen: Counter[tuple[str, str, bool]] = Counter()
    for seed in seeds:
        objects, manifest, names, file = draw(seed)
        folder = tmp_path / str(seed)
        controllers = written(folder, objects, names, file)
        made = after_applying(folder, manifest, names, file)
        if made is None:
            continue
        there, rollout = made
        new = folder / "new"
        written(new, [manifest], [], None)
        found = schedcheck.deploy([new / "cluster.yaml"], onto=folder / "cluster.yaml", controllers=controllers)

        def complete(view: Snapshot, of: Any = rollout) -> bool:
            return placed(of, {each.key: each for each in view.pods if each.key in of.keys})

        completes = leads_to(there, lambda view: True, complete)
        rests = comes_to_rest(there)
        other = frozenset(
            ("default", name) for each in objects if (name := each["metadata"]["name"]).startswith("api-")
        )
        placed_again = others_placed(there, other)
        assert found.found.complete, f"{seed}: complete"
        assert found.found.explored is not None
        assert found.found.explored.result.distinct == len(there.views), f"{seed}: states"
        broken = {each.property.name.partition("(")[0] for each in found.found.explored.result.violations}
        answers = ("complete" not in broken, question.OTHERS not in broken, found.found.rests)
        assert answers == (completes, placed_again, "holds" if rests else "violated"), f"{seed}: answers"
        well = completes and placed_again and rests
        assert found.verdict is (Verdict.HOLDS if well else Verdict.VIOLATED), f"{seed}: verdict"
        seen.update(
            (names[0], *each) for each in (("completes", completes), ("rests", rests), ("others", placed_again))
        )
    return seen


def test_random_answers_are_those_of_the_same_scenario(tmp_path: Path) -> None:
    seen = compared(range(10), tmp_path)
    assert all(seen["descheduler", what, well] for what in ("completes", "rests") for well in (True, False)), seen
    assert seen["nodePools", "rests", True], seen


def test_random_answers_about_other_pods_are_those_of_the_same_scenario(tmp_path: Path) -> None:
    seen = compared(range(16, 20), tmp_path, beside_others)
    assert all(seen["descheduler", "others", well] for well in (True, False)), seen


def nothing_need_act(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(question, "FAIR", Fairness(strong=(Evict,)))


def no_descheduler(patch: pytest.MonkeyPatch) -> None:
    def without(made: Any, **fields: Any) -> Any:
        changed = replace(made, **fields)
        return replace(changed, descheduler=None) if "rollouts" in fields else changed

    patch.setattr(question, "replace", without)


def no_others(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(question, "_each_bound", lambda asked, keys: iter(()))


BROKEN: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], int, Draw, str]] = {
    "nothing need act": (nothing_need_act, 0, drawn, "answers"),
    "the descheduler does not run": (no_descheduler, 0, drawn, "states"),
    "other pods are not asked about": (no_others, 18, beside_others, "answers"),
}
"""Each broken answer, the seed that shows it, and what it is different in."""


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_answer_is_detected(broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    breaks, seed, draw, what = BROKEN[broken]
    compared([seed], tmp_path / "sound", draw)
    breaks(monkeypatch)
    with pytest.raises(AssertionError, match=rf"^{seed}: {what}"):
        compared([seed], tmp_path / "broken", draw)
