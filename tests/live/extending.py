"""Compare cycles in which an extender refuses nodes with kube-scheduler's own: `make live-extenders VERSION=1.36 COUNT=1000 SEED=0`

With --record the first cases and their answers are kept for tests without Go. Exit status: 0 no difference, 1 a
difference, 3 the witness cannot be built, or ends.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from random import Random
from typing import Any, Final

from frozendict import frozendict

from schedcheck.checker.differential.decisions import concluded
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.recordings.recorded import Question, question
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extenders import Extender, Failed, Filtered, Nodes
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.objects import Pod
from tests.live.building import CannotBuild, built
from tests.live.comparing import as_known, unsorted
from tests.live.drawn import quick_cases
from tests.live.recording import DATA, lines, write
from tests.live.versions import PATCHES, profiles
from tests.live.witness import AS_STORED, Gone, Program, Witness, plain
from tests.support.extending import Ruled, over_http

Json = dict[str, Any]
FOLDER: Final = DATA / "extenders"
RECORDED: Final = 50
REASON: Final = "refused outside"
"""What the extenders of `tests.support.extending` say."""
HIGHEST: Final = 1000
NEEDLESS: Final = "expected at least one victim pod"
"""The begin of what preemption says of a node from which no pod has to go."""


def drawn(start: int, place: int) -> Json:
    """Return a random case, with an extender that refuses most of the nodes, or all of them.

    In two of three cases there is often room, and a pod above others, so that no pod has to go.
    """
    roomy = place % 3 > 0
    case = next(quick_cases("quick questions" if roomy else "quick contests", start + place, 1)).content
    chance = Random(f"{start}/{place}/extender")
    odds = chance.choice((0.7, 1, 1))
    if roomy:
        case["pod"]["spec"]["priority"] = HIGHEST
    names = [each["metadata"]["name"] for each in case["nodes"]]
    return {
        **case,
        "id": f"{start}/{place}",
        "extenderRefuses": {name: REASON for name in names if chance.random() < odds},
    }


def asked_about(case: Json) -> Question:
    """Return the question that a case poses. Raises: InputError."""
    line = {"id": "live-1", "case": case, "expected": {}}
    return question(Field(Document("live", 1, line, is_line=True), line)["case"])


def allowed(asked: Question, refused: Json, version: str) -> frozenset[Decision]:
    """Return what the specification allows for the pod."""

    def filtered(pod: Pod, nodes: Nodes) -> Filtered | Failed:
        names = {node.name for node in nodes}
        return Filtered(
            frozenset(names - refused.keys()),
            frozendict({name: why for name, why in refused.items() if name in names}),
        )

    (plugins,) = profiles(version)
    extender = Extender(Offer("http://extender", filter_verb="filter"), filter=filtered)
    return decision(asked.pod, as_known(asked), replace(plugins, extenders=(extender,)))


def end(answer: Json) -> tuple[str, object]:
    """Return what the witness decides, in a word, and where: nodes with their victims, or what the event says."""
    preemption = answer.get("preemption") or {}
    if answer["real"].get("host"):
        return "bound", answer["real"]["host"]
    if preemption.get("selected"):
        there = {each["node"]: sorted(each["victims"]) for each in preemption["candidates"]}
        return "nominated", {name: there[name] for name in preemption["selected"]}
    return "waits", in_order(answer["real"]["message"])


def in_order(message: str) -> str:
    """Return the message with its several errors sorted: they are listed as the nodes were tried, in parallel."""
    before, bracket, listed = message.partition("[")
    return before + bracket + ", ".join(sorted(listed.rstrip("]").split(", "))) if bracket else message


def differences(case: Json, answer: Json, version: str) -> Iterator[str]:
    """Yield what the specification and the production scheduler say otherwise than the witness."""
    asked, refused = asked_about(case), case["extenderRefuses"]
    found = allowed(asked, refused, version)
    how, what = end(answer)
    if not fits(found, how, what, asked):
        yield f"the specification allows {sorted(map(str, found))} {[each.message for each in found if isinstance(each, Wait)]}"
    (plugins,) = profiles(version)
    http = over_http(Ruled(failing=lambda node: node.name in refused), as_known(asked))
    made = concluded(asked.pod, as_known(asked), plugins, extenders=(http,))
    if bool(made.hosts) != (how == "bound") or bool(made.nominated) != (how == "nominated"):
        yield f"the production scheduler decides {made.hosts} or {made.nominated}"
    elif how == "waits" and in_order(made.message) != what:
        yield f"the production scheduler says {made.message}"


def fits(found: frozenset[Decision], how: str, what: Any, asked: Question) -> bool:
    """Whether the specification allows just this."""
    if how == "bound":
        return what in {each.node.name for each in found if isinstance(each, Bind)}
    if how == "waits":
        return {in_order(each.message) if isinstance(each, Wait) else "" for each in found} == {what}
    nominated = [each for each in found if isinstance(each, Nominate)]
    there = {(each.node.name, tuple(sorted("/".join(pod.key) for pod in each.victims))) for each in nominated}
    return len(nominated) == len(found) and all(
        (name, tuple(victims)) in there or unsorted(asked, name) for name, victims in what.items()
    )


def stored(case: Json, witness: Witness) -> Json | None:
    """Return the case as the API server stores it; None if it would refuse it."""
    found = witness.stored(case)
    return None if "error" in found else {**found, "extenderRefuses": case["extenderRefuses"]}


def main(arguments: list[str] | None = None) -> int:
    """Draw, ask and compare, and return the exit status."""
    options = argparse.ArgumentParser(prog="make live-extenders", description=__doc__)
    options.add_argument("--version", choices=sorted(PATCHES), default="1.37", help="the minor version")
    options.add_argument("--count", type=int, default=1000, help="the number of clusters")
    options.add_argument("--seed", type=int, default=0, help="the same seed gives the same clusters")
    options.add_argument("--record", action="store_true", help="keep the first cases and answers")
    given = options.parse_args(arguments)
    patch = PATCHES[given.version]
    try:
        return compared([str(built(patch))], patch, given)
    except (CannotBuild, Gone) as error:
        print(f"make live-extenders: {error}", file=sys.stderr)
        return 3


def compared(command: list[str], patch: str, given: argparse.Namespace) -> int:
    """Ask about each cluster, and print what differs and the counts."""
    counts: Counter[str] = Counter()
    kept: list[tuple[Json, Json]] = []
    with Witness(command) as storing, closing(Program([*command, AS_STORED])) as program:
        for place in range(given.count):
            case = stored(drawn(given.seed, place), storing)
            if case is None:
                counts["illegal"] += 1
                continue
            answer = short(plain(program.ask(case)))
            kept.append((case, answer))
            how, what = end(answer)
            counts["needs no victim" if NEEDLESS in str(what) else how] += 1
            for each in differences(case, answer, patch):
                counts["differ"] += 1
                print(f"{case['id']}: the witness: {how} {what}; {each}", flush=True)
    print(f"kube-scheduler {patch}: " + ", ".join(f"{number:,} {name}" for name, number in sorted(counts.items())))
    if given.record:
        write(FOLDER / f"cases-{patch}.jsonl.gz", (case for case, _ in kept[:RECORDED]))
        write(FOLDER / f"{patch}.jsonl.gz", (answer for _, answer in kept[:RECORDED]))
    return 1 if counts["differ"] else 0


def short(answer: Json) -> Json:
    """Return what is compared of an answer."""
    preemption = answer.get("preemption") or {}
    return {
        "real": answer["real"],
        "preemption": {key: preemption[key] for key in ("candidates", "selected") if key in preemption},
    }


def pairs(patch: str) -> list[tuple[Json, Json]]:
    """Return the recorded cases with the answers of a version."""
    return list(zip(lines(FOLDER / f"cases-{patch}.jsonl.gz"), lines(FOLDER / f"{patch}.jsonl.gz"), strict=True))


if __name__ == "__main__":
    sys.exit(main())
