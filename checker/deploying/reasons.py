"""Why pods stay pending: `Pending`, `pending`, node by node with the amounts that lack."""

from dataclasses import dataclass, replace

from schedcheck.checker.alike import nameless
from schedcheck.checker.capacity.question import Question
from schedcheck.checker.capacity.stopping import Stop, after_hosts, event
from schedcheck.checker.deploying.counting import freest, pin
from schedcheck.checker.deploying.deployed import Deployed
from schedcheck.checker.vectors.filtering import prepared
from schedcheck.model.profiles import has_claims, plugins_of
from schedcheck.spec.objects import Pod, Snapshot

MOST = 8
"""The most pods of different forms that are explained."""


@dataclass(frozen=True)
class Pending:
    """Pods that are alike and stay pending: the scheduler's message, and why each node refuses them."""

    pods: tuple[Pod, ...]
    event: str
    stops: tuple[Stop, ...]


def pending(found: Deployed) -> tuple[Pending, ...]:
    """Return why the pods that are asked about stay pending at the end of the bad behaviour, or in every behaviour.

    Of more than `MOST` groups of pods that are alike, the others have no reasons.
    """
    keys = found.asked.keys
    if found.bad is not None:
        end = found.bad.end
        pods = [pod for pod in end.pods if not pod.node_name and not pod.terminating]
        left = [pod for pod in pods if pod.key in keys] or pods
    else:
        end, left = freest(found.asked), list(found.counted.hopeless)
    groups: dict[Pod, list[Pod]] = {}
    for pod in left:
        groups.setdefault(replace(nameless(pod), nominated_node_name=""), []).append(pod)
    told = list(groups.values())
    return (
        *(_explained(tuple(pods), end, found) for pods in told[:MOST]),
        *(Pending(tuple(pods), "", ()) for pods in told[MOST:]),
    )


def _explained(pods: tuple[Pod, ...], end: Snapshot, found: Deployed) -> Pending:
    pod = pods[0]
    plugins = plugins_of(pod, found.asked.scenario)
    if plugins.extenders or plugins.unasked or has_claims(pod, found.asked.scenario) or not prepared(plugins):
        return Pending(pods, "", ())
    others = replace(end, pods=tuple(each for each in end.pods if each.key != pod.key))
    asked = Question(pod, others, plugins)
    stops = after_hosts(asked, ())
    return Pending(pods, event(asked, stops), tuple(each for each in stops if pin(pod) in ("", each.node)))
