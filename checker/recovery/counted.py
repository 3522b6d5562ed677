"""The answer to a question about one pod or budget, if counting proves it: `by_counting`."""

from collections.abc import Iterable
from time import monotonic

from schedcheck.checker.by_events import at_most
from schedcheck.checker.check import Checked, by_text
from schedcheck.checker.recovery.recovery import Recovery
from schedcheck.checker.result import Result, Verdict
from schedcheck.model.profiles import judging, profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod
from schedcheck.spec.properties.kinds import Can, Step, premises


def by_counting(scenario: Scenario, pods: Iterable[Pod], events: int | None) -> Checked | Scenario | None:
    """Return the answer for the whole scenario with at most so many events; None if counting proves nothing.

    If the pod asked about is never bound, the answer is the scenario that is left to explore: the pod with the pods that
    never leave. The scenario asks one property: whether one pod is bound in the end, or can be, or whether none of `pods`
    is evicted.
    """
    if (
        not scenario.scheduler.has_plugins
        or scenario.fairness == "none"
        or scenario.constraints
        or scenario.descheduler
        or scenario.node_pools
        or scenario.karpenter
        or scenario.guarded
        or scenario.rollouts
        or scenario.jobs
    ):
        return None
    begun = monotonic()
    ((question,),) = by_text(scenario, judging(scenario), symmetry=False)
    recovery, asked = Recovery(scenario, events), list(pods)
    if isinstance(question, Step):
        # The premise of a property of one pod is that any pod is evicted.
        budget = next((each for each in scenario.budgets if question.name == f"budget_kept({each})"), None)
        proof = recovery.spares(asked, others=question.name.startswith("never_evicted("), budget=budget)
    else:
        proof = recovery.recovers(asked[0], can=isinstance(question, Can))
        if proof is None:
            return recovery.hopeless(asked[0])
    if proof is None:
        return None
    limited = scenario if events is None else at_most(events, scenario)
    untested = ((question.name, premises(question)[-1].unmet),) if proof.tested is False else ()
    verdict = Verdict.VACUOUS if proof.tested is False else Verdict.HOLDS
    result = Result(
        verdict, 0, 0, 0, 0, {}, 0, 0, (), (), "", monotonic() - begun, vacuous=untested, proof=proof.why
    )  # fmt: skip
    return Checked(limited, Reference(limited, profile_of(limited)), (question,), (), result, "counting")
