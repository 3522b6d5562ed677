"""The smallest cluster on which a program does what a profile, or another program, may not do."""

from collections.abc import Sequence
from contextlib import ExitStack

from schedcheck.api.answer import within
from schedcheck.api.asking import Foreign
from schedcheck.api.check_scheduler import driven_by
from schedcheck.api.compare import Comparison, comparable
from schedcheck.api.compare_scheduler import Spoken, compare_scheduler, differing, one_or_two, spoken_by
from schedcheck.api.judge import Judging
from schedcheck.api.preparing import prepared
from schedcheck.api.smallest_difference import SmallestDifference, answered, common_name, named
from schedcheck.api.values import SILENT, Limits, Observer, Profile, noting
from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.comparing import first_case
from schedcheck.checker.foreign.program import ANSWER_TIME
from schedcheck.manifests import Cluster


def smallest_scheduler_difference(
    commands: str | Sequence[str],
    *,
    profile: Profile | str | None = None,
    answer_time: float = ANSWER_TIME,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> SmallestDifference:
    """Find the smallest cluster on which a program does what a profile, or another program, may not do.

    Every cluster of the domains is tried, and a program is asked about each. The parameters are those of
    `compare_scheduler`.

    Raises: InputError, also if a program cannot be started; Unanswerable, GaveUp.
    """
    asked = one_or_two(commands)
    limits = limits or Limits()
    with within(limits), ExitStack() as stack:
        told, notes = noting(observer)
        chosen = comparable(profile)
        judging = Judging(prepared(Cluster(), chosen, told), "best", False, limits)
        name = common_name([judging.profile])
        programs = [stack.enter_context(driven_by(each, answer_time)) for each in asked]
        schedulers = [Foreign(each, judging) for each in programs]

        def differs(case: Case) -> bool | None:
            each = named(case, name)
            said = [spoken_by(foreign, each.pod, each.snapshot) for foreign in schedulers]
            spoken = [one for one in said if isinstance(one, Spoken)]
            return differing(spoken) if len(spoken) == len(said) else None

        def explained(cluster: Cluster) -> Comparison:
            return compare_scheduler(asked, cluster, profile=chosen, answer_time=answer_time)

        found = first_case(differs)
        ends = [each.command for each in programs]
        first = ends[0] if len(ends) > 1 else chosen
        return answered((first, ends[-1]), found, name, explained, tuple(notes))
