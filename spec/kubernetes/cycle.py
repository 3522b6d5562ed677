"""The scheduling cycle of one pod, up to PreFilter: `cycle`.

A plugin that returns Skip at PreFilter is left out of the cycle. PreFilter may reject the pod for every node, or narrow
the nodes.

Kubernetes 1.34: pkg/scheduler/schedule_one.go, pkg/scheduler/framework/runtime/framework.go.

Not modelled: whether resource claims can be met (a pod that has any is rejected).
"""

from dataclasses import dataclass
from functools import cached_property

from frozendict import frozendict

from schedcheck.spec.kubernetes.cycle_state import CycleState
from schedcheck.spec.kubernetes.node_info import node_infos
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pre_filter import PRE_FILTERS, Outcome, final
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.refusal import Refusal


@dataclass(frozen=True)
class Cycle(CycleState):
    """The scheduling cycle of one pod after PreFilter; each result is computed only when it is needed."""

    @cached_property
    def outcomes(self) -> frozendict[str, Outcome]:
        """The result of each plugin enabled at PreFilter, taken by itself, in order; an unknown plugin passes."""
        names = self.plugins.at("preFilter")
        return frozendict({name: PRE_FILTERS[name](self) if name in PRE_FILTERS else Outcome() for name in names})

    @cached_property
    def asked(self) -> tuple[str, ...]:
        r"""The plugins that run at PreFilter: none runs after a plugin that returns UnschedulableAndUnresolvable.

        TLA+: Asked(Pod, Snapshot) ==
                LET Names == Enabled.preFilter
                    Last == {i \in DOMAIN Names : Final(Outcome(Names[i], Pod, Snapshot))}
                IN IF Last = {} THEN Names ELSE SubSeq(Names, 1, Min(Last))
        """
        names = tuple(self.outcomes)
        last = next((i for i, name in enumerate(names) if final(self.outcomes[name])), len(names))
        return names[: last + 1]

    @cached_property
    def rejection(self) -> Refusal | None:
        r"""The rejection of the pod at PreFilter, for every node: the last one returned; None if no plugin rejects.

        TLA+: Rejection(Pod, Snapshot) ==
                LET Names == Asked(Pod, Snapshot)
                    Rejecting == {i \in DOMAIN Names : Outcome(Names[i], Pod, Snapshot).Rejection # Null}
                IN IF Rejecting = {} THEN Null ELSE Outcome(Names[Max(Rejecting)], Pod, Snapshot).Rejection
        """
        rejections = [self.outcomes[name].rejection for name in self.asked]
        return next((each for each in reversed(rejections) if each is not None), None)

    @cached_property
    def skipped(self) -> frozenset[str]:
        r"""The plugins that return Skip and are left out of the cycle.

        TLA+: Skipped(Pod, Snapshot) ==
                LET Names == Asked(Pod, Snapshot)
                    Said == [i \in DOMAIN Names |-> Outcome(Names[i], Pod, Snapshot)]
                IN {Names[i] : i \in {j \in DOMAIN Names : Said[j].Skipped /\ Said[j].Rejection = Null}}
        """
        outcomes = ((name, self.outcomes[name]) for name in self.asked)
        return frozenset(name for name, outcome in outcomes if outcome.skipped and outcome.rejection is None)

    @cached_property
    def narrowing(self) -> tuple[str, ...]:
        """The plugins that narrow the nodes at PreFilter."""
        return tuple(name for name in self.asked if self.outcomes[name].named is not None)

    @cached_property
    def named(self) -> frozenset[str] | None:
        r"""The nodes that remain after PreFilter, by name; None means all.

        TLA+: Named(Pod, Snapshot) ==
                LET Names == Asked(Pod, Snapshot)
                    Said == {Outcome(Names[i], Pod, Snapshot).Named : i \in DOMAIN Names} \ {Null}
                IN IF Said = {} \/ Rejection(Pod, Snapshot) # Null THEN Null
                   ELSE {Name \in UNION Said : \A Some \in Said : Name \in Some}
        """
        names = [named for name in self.asked if (named := self.outcomes[name].named) is not None]
        return frozenset.intersection(*names) if names and self.rejection is None else None


def cycle(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Cycle:
    """Return the cycle that schedules `pod`, which must not be in the snapshot."""
    infos = node_infos(snapshot)
    return Cycle(pod, snapshot, plugins, infos, infos)
