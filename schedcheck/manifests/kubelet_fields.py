"""The configuration of kubelets in a scenario: `shutdown_priorities`, those of graceful node shutdown."""

from collections.abc import Collection

from schedcheck.manifests.fields import INT32, Field
from schedcheck.model.scenario import SHUTDOWN, Rule
from schedcheck.spec.schedulers import VARIANTS

PERIODS = "shutdownGracePeriodByPodPriority"


def shutdown_priorities(
    spec: Field, rules: Collection[Rule], profile: str, controllers: Collection[str]
) -> tuple[int, ...]:
    """Return the priorities of graceful node shutdown, ascending; the periods are read, and any time is possible.

    Raises: InputError also for an event `shutdown` without them, or without the kubelet.
    """
    kubelet = spec["kubelet"]
    kubelet.only(PERIODS)
    found: list[int] = []
    for item in kubelet[PERIODS].items():
        item.only("priority", "shutdownGracePeriodSeconds")
        priority = item["priority"].integer()
        if priority in found:
            raise item["priority"].error("expected each priority no more than once")
        item["shutdownGracePeriodSeconds"].integer(0, INT32 - 1)
        found.append(priority)
    shut = any(rule.event == SHUTDOWN for rule in rules)
    if found and not shut:
        raise kubelet.error(f"belongs to the event {SHUTDOWN}, which the scenario does not have")
    if not shut:
        return ()
    if not VARIANTS[profile].scheduler.surroundings:
        raise spec["events"].error(f"the event {SHUTDOWN} is not modelled together with the profile {profile}")
    if not found:
        raise spec["events"].error(f"the event {SHUTDOWN} needs kubelet.{PERIODS}")
    if "kubelet" not in controllers:
        raise spec["controllers"].error(f"the event {SHUTDOWN} needs the controller kubelet")
    return tuple(sorted(found))
