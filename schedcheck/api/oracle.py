"""Many decisions judged, line by line: `oracle`, `Line`."""

import json
import marshal
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from schedcheck.api.judge import EXIT_CODES, Judging
from schedcheck.api.naming import pod_named
from schedcheck.api.preparing import prepared
from schedcheck.api.values import SILENT, Limits, Observer, Profile, as_profile
from schedcheck.checker.judging.judged import STRICTNESSES, Strictness
from schedcheck.checker.judging.reply import Reply
from schedcheck.checker.limits import timer
from schedcheck.errors import InputError, SchedcheckError
from schedcheck.manifests import Cluster
from schedcheck.manifests.documents import Document, line_value
from schedcheck.manifests.fields import Field
from schedcheck.manifests.replies import reply as reply_of
from schedcheck.manifests.stored import stored
from schedcheck.report.json.pieces import FORMAT, Json
from schedcheck.spec.objects import Pod

LONGEST: Final = 64 * 2**20
"""The bytes of the longest line that is read by default."""

FIELDS: Final = ("id", "cluster", "pod", "decision", "strictness", "format")
INPUT: Final = "input"


@dataclass(frozen=True)
class Line:
    """The answer to one line: a verdict, the allowed decisions, or an error.

    exit_code
        0 allowed or only asked, 1 refused, 2 unknown, 3 an error in the line.
    """

    answer: Json
    exit_code: int

    def text(self) -> str:
        """Return the answer as one line of JSON."""
        return json.dumps(self.answer, ensure_ascii=False, separators=(",", ":"))


def oracle(
    lines: Iterable[bytes],
    *,
    profile: Profile | str | None = None,
    strictness: Strictness = "best",
    least: bool = False,
    limits: Limits | None = None,
    longest: int = LONGEST,
    observer: Observer = SILENT,
) -> Iterator[Line]:
    """Yield the verdict on each line: a cluster, a pod and what a scheduler decided (docs/oracle.md).

    A line that cannot be read is answered by its error, and the next line is read. A line without a cluster is about that
    of the line before; one without a decision asks for the allowed decisions.

    limits
        Of each line; one that takes longer is unknown.
    longest
        The most bytes of a line.

    Raises: InputError for the profile and the strictness.
    """
    made = Judging(prepared(Cluster(), as_profile(profile), observer), strictness, least, limits or Limits())
    reader = _Reader(made, longest)
    # The first limit of a command begins with the command, and the first line may come much later.
    with timer.limited():
        pass
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield reader.answer(line, number)


class _Reader:
    """The judgement of lines, which keeps the cluster of the last one."""

    def __init__(self, judging: Judging, longest: int) -> None:
        self.judging, self.longest = judging, longest
        self.items: list[Any] | None = None
        self.read = b""
        self.cluster: Cluster | None = None

    def answer(self, line: bytes, number: int) -> Line:
        """Return the answer to a line."""
        given: Any = None
        limits = self.judging.limits
        try:
            given = self._parsed(line, number)
            with timer.limited(limits.seconds, limits.memory):
                answer, code = self._answer(given, number)
        except timer.LimitReached as end:
            answer, code = {"verdict": "unknown", "reasons": [timer.ended(end)]}, EXIT_CODES["unknown"]
        except SchedcheckError as error:
            answer, code = {"error": str(error)}, 3
        number_of = given.get("id") if isinstance(given, dict) else None
        return Line({"format": FORMAT, "id": number_of} | answer, code)

    def _parsed(self, line: bytes, number: int) -> object:
        if len(line) > self.longest:
            raise InputError(f"expected at most {self.longest:,} bytes in a line", file=INPUT, line=number)
        return line_value(line, INPUT, number)

    def _answer(self, given: object, number: int) -> tuple[Json, int]:
        whole = Field(Document(INPUT, number, given, is_line=True), given)
        if not isinstance(given, dict):
            raise whole.error("expected a map")
        whole.only(*FIELDS)
        strictness = _strictness(whole["strictness"])
        cluster, pod = self._question(whole, number)
        if whole["decision"]:
            found = self.judging.judged(cluster, pod, reply_of(whole["decision"]), strictness, cluster.notes)
            return found.to_json(), found.exit_code
        found = self.judging.judged(cluster, pod, Reply("unschedulable"), strictness, cluster.notes)
        unknown = found.verdict == "unknown"
        reasons = list(found.reasons) if unknown or not found.allowed else []
        only_asked: Json = {"verdict": "unknown" if unknown else None, "clause": None, "reasons": reasons, "judged": {}}
        return found.to_json() | only_asked, found.exit_code if unknown else 0

    def _question(self, whole: Field, number: int) -> tuple[Cluster, Pod]:
        """Return the cluster of the line, or of the line before, and the pod."""
        given = whole["pod"]
        if not given:
            raise given.error("expected a pod, or its namespace/name")
        if whole["cluster"]:
            items = [each.value for each in whole["cluster"]["items"].items()]
            read = _bytes(items)
            if read != self.read:
                self.items, self.read, self.cluster = items, read, None
        elif self.items is None:
            raise whole["cluster"].error("expected a cluster, as no line before has one")
        if isinstance(given.value, dict):
            return self._with(given, number)
        if self.cluster is None:
            self.cluster = _cluster(self.items or [], number)
        return self.cluster, pod_named(given.text(), None, self.cluster, f"{INPUT}: line {number}: pod")

    def _with(self, given: Field, number: int) -> tuple[Cluster, Pod]:
        """Return the cluster with the pod in place of the one of its name, and this pod."""
        assert isinstance(given.value, dict)
        own = Field(Document(INPUT, number, given.value, is_line=True, within="pod"), given.value)
        kind = own["kind"].one_of(("Pod",), "Pod")
        key = own["metadata"]["namespace"].text("default"), own["metadata"]["name"].required("the name of a pod")
        there = [each for each in self.items or () if _is_pod(each, key)]
        if [_bytes(each) for each in there] == [_bytes(given.value)]:
            cluster = self.cluster = self.cluster or _cluster(self.items or [], number)
        else:
            others = [None if _is_pod(each, key) else each for each in self.items or ()]
            cluster = _cluster(others, number, Document(INPUT, number, given.value | {"kind": kind}, (), True, "pod"))
        for pod in cluster.pods:
            if pod.key == key:
                return cluster, pod
        raise own["apiVersion"].error("expected v1")


def _bytes(value: Any) -> bytes:
    """Return bytes that are equal for the same JSON alone, unlike 1 and true."""
    return marshal.dumps(value, 2)


def _cluster(items: list[Any], number: int, *more: Document) -> Cluster:
    """Return the cluster of these objects. Raises: InputError."""
    listed = {"kind": "List", "items": items}
    return stored((Document(INPUT, number, listed, (), True, "cluster"), *more))


def _is_pod(item: Any, key: tuple[str, str]) -> bool:
    """Whether the object is the pod of this namespace and name."""
    if not isinstance(item, dict) or item.get("kind") != "Pod" or not isinstance(item.get("metadata"), dict):
        return False
    return (item["metadata"].get("namespace") or "default", item["metadata"].get("name")) == key


def _strictness(field: Field) -> Strictness | None:
    """Return the strictness of a line; None without one."""
    for each in STRICTNESSES:
        if field.value == each:
            return each
    if field:
        raise field.error(f"expected one of {', '.join(STRICTNESSES)}")
    return None
