"""The answer of a witness compared with the specification and the production scheduler: `compared`"""

from dataclasses import dataclass, replace
from typing import Any

from schedcheck.checker.differential.decisions import cycled
from schedcheck.errors import InputError
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.recordings.arrival import SORTED_IN_PLACE
from schedcheck.recordings.conformance import compares, comparisons, not_answered
from schedcheck.recordings.recorded import Question, Record, question
from schedcheck.spec.importance import importance
from schedcheck.spec.profiles import by_scheduler_name
from tests.live.versions import profiles

Json = dict[str, Any]
NOT_MODELLED = "not modelled: "
"""The begin of a refusal that stands for something that no definition models."""
SPECIFICATION = "specification"
PRODUCTION = "production"


@dataclass(frozen=True)
class Difference:
    """A value that the witness gives otherwise than `who`, with the place where it is found in the answer."""

    who: str
    field: str
    place: str
    witness: object
    said: object

    @property
    def kind(self) -> tuple[str, str, str]:
        """What a smaller case has to show again: who differs, in which field, and in which plugins or words."""
        return self.who, self.field, ", ".join(sorted(_parts(self.witness, self.said)))

    def __str__(self) -> str:
        where = f" ({self.place})" if self.place else ""
        return f"{self.field}{where}: the witness {self.witness}, the {self.who} {self.said}"


@dataclass(frozen=True)
class Compared:
    """The number of values compared for one case, the differences, and why it is unknown; empty if it is known."""

    values: int
    differences: tuple[Difference, ...] = ()
    unknown: str = ""


def _parts(one: object, other: object) -> set[str]:
    """The plugins in which two answers differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        differing = {key for key in {*one, *other} if one.get(key) != other.get(key)}
        return {str(one.get("plugin") or other.get("plugin"))} if "plugin" in {*one, *other} else differing
    if isinstance(one, list) and isinstance(other, list):
        differing = [each for each in (*one, *other) if (each in one) != (each in other)]
        return {str(each.get("plugin")) if isinstance(each, dict) else str(each) for each in differing} - {"None"}
    return set()


def compared(case: Json, answer: Json, version: str) -> Compared:
    """Compare the answer about a stored case with the specification of that version and the production scheduler.

    Raises: InputError for a case that cannot be read.
    """
    if not case.get("nodes"):
        # kube-scheduler says only that there are no nodes, and asks no plugin about preemption.
        answer = {key: value for key, value in answer.items() if key != "preemption"}
    line = {"id": "live-1", "case": case, "expected": answer}
    whole = Field(Document("live", 1, line, is_line=True), line)
    record = Record("live-1", "live", whole["case"], answer)
    asked = question(whole["case"])
    of_version = profiles(version, case.get("configuration"))
    if not any(each.scheduler_name == asked.pod.scheduler_name for each in of_version):
        return Compared(0, unknown="no profile has the name of the pod's scheduler")
    unknown = not_answered(asked, *of_version)
    if unknown:
        return Compared(0, unknown=unknown)
    every = [each for each in comparisons(record, asked, *of_version) if compares(each, record)]
    beyond = next((str(each.said) for each in every if NOT_MODELLED in str(each.said)), "")
    if beyond:
        return Compared(0, unknown=beyond[beyond.index(NOT_MODELLED) :].split("'")[0])
    found = [
        Difference(SPECIFICATION, each.field, each.place, each.recorded, each.said)
        for each in every
        if each.recorded != each.said
    ]
    scored = bool(by_scheduler_name(asked.pod, of_version).at("score"))
    made = cycled(asked.pod, as_known(asked), *of_version)[0].concluded
    return Compared(len(every) + 1, (*found, *differing(made, answer, asked, scored)))


def as_known(asked: Question) -> Any:
    """Return the snapshot that the production scheduler is given."""
    return replace(asked.snapshot, pods=(*asked.snapshot.pods, asked.pod))


def differing(made: Conclusion | None, answer: Json, asked: Question, scored: bool) -> list[Difference]:
    """Return how the production scheduler's cycle ends otherwise than the witness's.

    Without scores the search ends with the first feasible node, which may be any. A gated pod is not scheduled.
    """
    if made is None:
        gated = "gated" in answer
        return [] if gated else [Difference(PRODUCTION, "gated", "", None, "the pod is kept out of the queue")]
    decision, preemption = answer["decision"], answer.get("preemption") or {}
    hosts = sorted(made.hosts)
    first = not scored and hosts and set(hosts) <= set(decision["hosts"])
    if hosts != sorted(decision["hosts"]) and not first:
        return [Difference(PRODUCTION, "decision", "", decision["hosts"], hosts)]
    if made.nominated:
        victims = ["/".join(each.key) for each in made.victims]
        there = {each["node"]: each["victims"] for each in preemption.get("candidates", [])}
        if made.nominated not in preemption.get("selected", []):
            return [Difference(PRODUCTION, "preemption.selected", "", preemption.get("selected"), made.nominated)]
        if sorted(victims) != sorted(there[made.nominated]) and not unsorted(asked, made.nominated):
            return [Difference(PRODUCTION, "preemption.candidates", made.nominated, there[made.nominated], victims)]
    elif preemption.get("selected"):
        return [Difference(PRODUCTION, "preemption.selected", "", preemption["selected"], [])]
    elif not hosts and made.message != answer["real"].get("message"):
        return [Difference(PRODUCTION, "real.message", "", answer["real"].get("message"), made.message)]
    return []


def unsorted(asked: Question, node: str) -> bool:
    """Whether the order of equally important victims on the node is not what the production scheduler was told.

    It learns of pods by name, and kube-scheduler in the order of the case; with many Go leaves their order open.
    """
    there = {each.key: each for each in asked.snapshot.pods if each.node_name == node}
    victims = [there[key] for key in asked.arrival if key in there and there[key].priority < asked.pod.priority]
    alike = len({importance(each) for each in victims}) < len(victims)
    told = sorted(victims, key=lambda each: each.key)
    return alike and (len(victims) > SORTED_IN_PLACE or told != victims)


def examined(case: Json, answer: Json, version: str) -> Compared:
    """Compare as `compared` does; a case that cannot be read is unknown."""
    try:
        return compared(case, answer, version)
    except InputError as error:
        return Compared(0, unknown=f"not read: {error}")
