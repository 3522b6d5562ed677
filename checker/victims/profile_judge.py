"""The judge of victims in a profile: `judge`, from `JUDGES`."""

from collections.abc import Callable, Mapping

from frozendict import frozendict

from schedcheck.checker.victims.classic_judge import of_classic
from schedcheck.checker.victims.judges import Judge, of_model
from schedcheck.checker.victims.kubernetes_judge import of_kubernetes
from schedcheck.spec.objects import Pod
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler

JUDGES: Mapping[Scheduler, Callable[[Pod, Profile], Judge]] = frozendict(
    {
        PUBLISHED: lambda pod, profile: of_model(profile),
        KUBERNETES: lambda pod, profile: of_kubernetes(by_scheduler_name(pod, profile.plugins)),
        CLASSIC: lambda pod, profile: of_classic(profile.policy),
    }
)
"""The judge of each scheduler."""


def judge(pod: Pod, profile: Profile) -> Judge:
    """Return the judge of victims for `pod` in this profile."""
    return JUDGES[profile.scheduler](pod, profile)
