"""The best placement of all pending pods, and the placements that the scheduler can reach: `optimum`, `Optimum`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from schedcheck.api.answer import Answer, within
from schedcheck.api.label_selectors import with_pending
from schedcheck.api.preparing import Prepared, prepared
from schedcheck.api.values import GIGABYTES, SECONDS, SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.extenders.unasked import asked, unasked
from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.checker.placement import optimum as best
from schedcheck.checker.placement.outcomes import outcomes
from schedcheck.checker.placement.worth import Worth, priorities
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster
from schedcheck.model.profiles import has_claims, profile_of
from schedcheck.model.scenario import Scenario
from schedcheck.report.json.pieces import Json
from schedcheck.report.text import optimum as text_form
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.spec.kubernetes.control_loop import UNMODELLED
from schedcheck.spec.kubernetes.group_decisions import UNMODELLED as UNMODELLED_OF_GROUPS
from schedcheck.spec.objects import Pod
from schedcheck.spec.placement import placed_at


@dataclass(frozen=True)
class Optimum(Answer):
    """The best placement of all pending pods at once.

    placement
        The node of each pod that is placed, by NAMESPACE/NAME.
    proved
        Whether no placement is better.
    complete
        Whether that is proved, every reachable placement was found, and nothing is unknown.
    answer, prepared
        What this was made of; not part of the stable interface.
    """

    placement: Mapping[str, str]
    proved: bool
    complete: bool
    notes: tuple[str, ...]
    answer: text_form.Answer = field(repr=False)
    prepared: Prepared = field(repr=False)

    @property
    def exit_code(self) -> int:
        """0, or 2 where something is not proved or unknown."""
        return 0 if self.complete else 2

    def to_json(self) -> Json:
        """Return what `schedcheck optimum --format json` prints."""
        return text_form.optimum_json(self.answer) | left_aside_json(self.prepared.scenario)


def optimum(
    cluster: Cluster,
    *,
    selector: str | None = None,
    namespace: str | None = None,
    profile: Profile | str | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Optimum:
    """Find the best placement of all pending pods, and every outcome that the scheduler can reach one step at a time.

    The best places the most pods of the highest priority, then of the next; then the sum of viability counts.
    No pod is evicted for it. Everything in the cluster counts as being there, and nothing happens but scheduling.

    selector, namespace
        Place only the pending pods with these labels, as kubectl takes them (`app=web,tier!=test`), in this namespace. The
        other pending pods are left out of the cluster.

    Raises: InputError, Unanswerable, GaveUp.
    """
    limits = limits or Limits(SECONDS, GIGABYTES)
    with within(limits):
        told, said = noting(observer)
        cluster = with_pending(cluster, selector, namespace, told)
        return _optimum(prepared(cluster, as_profile(profile), told, gangs=True), limits, tuple(said))


def _optimum(made: Prepared, limits: Limits, notes: tuple[str, ...]) -> Optimum:
    scenario = made.scenario
    if asked(scenario):
        raise InputError(
            "the scores of extenders have no bound, so that no placement is proved best", path="ask_extenders"
        )
    model = profile_of(scenario)
    snapshot = made.cluster.snapshot()
    spent = Spent(Effort(limits.rounds, limits.seconds or SECONDS, limits.memory or GIGABYTES))
    found = best.optimum(snapshot, model, spent)
    waiting = best.waiting(snapshot, model)
    reached = outcomes(scenario, waiting, model, spent)
    claiming = tuple(pod for pod in waiting if has_claims(pod, scenario))
    told = text_form.Answer(
        scenario.profile,
        waiting,
        found,
        Worth(tuple((each, placed_at(each, found.placement)) for each in priorities(waiting)), found.score),
        reached,
        _unasked(waiting, scenario),
        UNMODELLED if claiming else UNMODELLED_OF_GROUPS if reached.unknown else "",
        claiming,
    )
    complete = found.proved and not reached.stopped and not told.unasked and not told.unmodelled
    placement = {
        "/".join(pod.key): node.name for pod, node in sorted(found.placement.items(), key=lambda each: each[0].key)
    }
    return Optimum(placement, found.proved, complete, notes, told, made)


def _unasked(waiting: tuple[Pod, ...], scenario: Scenario) -> tuple[str, ...]:
    """Return the extenders that were not asked and are asked about some of these pods."""
    return tuple(dict.fromkeys(each.url_prefix for each in unasked(replace(scenario, pods=waiting))))
