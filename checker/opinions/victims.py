"""The opinion on the victims that a scheduler offers for each candidate node: `objections`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.checker.opinions.known import Known, Seen
from schedcheck.checker.vectors.filtering import prepared
from schedcheck.checker.vectors.trials import Run, Trials, renames
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.eligibility import ineligibility
from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Code, Refusal


@dataclass(frozen=True)
class Offered:
    """The victims that a scheduler offers on a node, None for a pod that is not known, and their number of violations."""

    victims: tuple[Pod | None, ...]
    violations: int


@dataclass(frozen=True)
class Victims:
    """The objections to candidates of preemption, by node, and what is open."""

    objections: Mapping[str, str]
    open: tuple[tuple[str, str], ...] = ()


def objections(pod: Pod, offered: Mapping[str, Offered], known: Known, plugins: Plugins) -> Victims:
    """Return the candidates that the specification does not have, each with the reason."""
    certain = {name: why for name, each in offered.items() if (why := _without_cluster(pod, name, each))}
    if known.snapshot is None:
        return Victims(frozendict(certain), (("victims", "the other pods of the nodes are not known"),))
    seen = known.seen(pod, (), plugins)
    if seen.open or not prepared(seen.plugins):
        return Victims(frozendict(certain), seen.open or (("victims", "the profile has plugins of its own"),))
    asked = _Asked(seen, known.pods)
    found, left_open = dict(certain), []
    for name, each in offered.items():
        why_open = asked.open(name, each)
        if why_open:
            left_open.append((name, why_open))
        elif name not in found and (why := asked.objection(name, each)):
            found[name] = why
    return Victims(frozendict(found), tuple(left_open))


class _Asked:
    """The trials of preemption on the nodes of a cluster, for one pod."""

    def __init__(self, seen: Seen, pods: Mapping[tuple[str, str], Pod]) -> None:
        judge, (filtering, _) = seen.judge, seen.judge.profile(seen.plugins)
        cycle = judge.cycle(seen.pod, seen.plugins)
        numbers = filtering.numbers(cycle)
        self.there, self.pods = judge.there, pods
        self.trials = Trials(cycle)
        self.run = Run(cycle, judge.verdicts(numbers, filtering), judge.potential(numbers, filtering))
        self.never = ineligibility(cycle, self.run.found)

    def open(self, name: str, offered: Offered) -> str:
        """Return why nothing is known of this candidate; empty if all of it is."""
        if name not in self.there.place:
            return "the node is not known"
        missing = any(each is None or each.key not in self.pods for each in offered.victims)
        return "a victim is not known" if missing else ""

    def objection(self, name: str, offered: Offered) -> str:
        """Return why the specification does not have this candidate; empty if it does."""
        if self.never is not None:
            return self.never
        refusal = self.run.found[name].refusal
        if refusal is None:
            return "no filter refuses the node without evictions"
        if refusal.code != Code.UNSCHEDULABLE:
            return f"no eviction helps: {refusal_text(refusal)}"
        outcome = self.trials.tried(self.there.infos[self.there.place[name]])
        if isinstance(outcome, Refusal):
            return f"evictions do not help: {refusal_text(outcome)}"
        victims = [self.pods[each.key] for each in offered.victims if each is not None]
        if not renames(outcome, victims, self.run) or len(victims) != len(outcome.victims):
            return f"the victims are {_names(outcome.victims)}, not {_names(victims)}"
        if offered.violations != outcome.violations:
            return f"{outcome.violations} violations of budgets, not {offered.violations}"
        return ""


def refusal_text(refusal: Refusal) -> str:
    """Return the plugin and the reasons of a refusal."""
    reasons = "; ".join(refusal.reasons)
    return f"{refusal.plugin}: {reasons}" if refusal.plugin else reasons


def _names(pods: Iterable[Pod]) -> str:
    return ", ".join(sorted(map(str, pods))) or "none"


def _without_cluster(pod: Pod, node: str, offered: Offered) -> str:
    """Return the objection that needs no other object."""
    known = [each for each in offered.victims if each is not None]
    elsewhere = next((each for each in known if each.node_name != node), None)
    if elsewhere is not None:
        return f"{elsewhere} is on {elsewhere.node_name or 'no node'}"
    higher = next((each for each in known if each.priority >= pod.priority), None)
    if higher is not None:
        return f"{higher} has the priority {higher.priority}, and {pod} {pod.priority}"
    if pod.preemption_policy == "Never":
        return f"{pod} has the preemptionPolicy Never"
    return ""
