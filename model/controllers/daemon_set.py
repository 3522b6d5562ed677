"""The DaemonSet controller: a pod on each of its nodes, replaced by a rolling update.

Kubernetes 1.34: pkg/controller/daemon: daemon_controller.go, manage and podsShouldBeOnNode; update.go, rollingUpdate,
findUpdatedPodsOnNode and updatedDesiredNodeCounts. Differs: nodes are taken in any order, as in Go's maps, one by one.
"""

from collections.abc import Collection, Iterator, Mapping

from schedcheck.model.controllers.replica_set import active, available, ready
from schedcheck.model.rollouts import Key, Rollout
from schedcheck.spec.objects import Pod


def host(pod: Pod) -> str:
    """Return the node of a pod of a DaemonSet, which its affinity names before it is bound."""
    named = (
        each.values[0] for term in pod.affinity.node_required for each in term.match_fields if each.key == "metadata.name"
    )  # fmt: skip
    return pod.node_name or pod.template_node_name or next(named, "")


def steps(rollout: Rollout, pods: Mapping[Key, Pod], timed: Collection[Key] = ()) -> Iterator[tuple[Pod, bool]]:
    """Yield what may come next: a form and True to create it, or a pod and False to delete it.

    `timed` are the ready pods that are not available yet.
    """
    crowds: dict[str, list[Pod]] = {host(form): [] for form in rollout.forms}
    for key in sorted(rollout.keys & pods.keys()):
        crowds.setdefault(host(pods[key]), []).append(pods[key])
    forms = {host(form): form for form in rollout.forms}
    absent = [form for name, form in forms.items() if not crowds[name]]
    yield from ((form, True) for form in absent)
    # Pods on nodes that are no longer wanted.
    yield from ((pod, False) for name, crowd in crowds.items() if name not in forms for pod in crowd if active(pod))
    if absent or not rollout.rolling:
        return
    wanted = [crowds[name] for name in forms]
    if rollout.surge:
        yield from _surged(rollout, forms, wanted, timed)
    else:
        yield from ((pod, False) for pod in _replaceable(rollout, wanted, timed))


def _of(rollout: Rollout, crowd: list[Pod]) -> tuple[Pod | None, Pod | None]:
    """Return the former and the present pod of a node; pods that are being deleted do not count."""
    here = [pod for pod in crowd if active(pod)]
    former = next((pod for pod in here if not rollout.updated(pod)), None)
    return former, next((pod for pod in here if rollout.updated(pod)), None)


def _replaceable(rollout: Rollout, wanted: list[list[Pod]], timed: Collection[Key]) -> Iterator[Pod]:
    """Yield the former pods that may be deleted: the unavailable ones, and others while few enough are unavailable."""
    pairs = [_of(rollout, crowd) for crowd in wanted]
    stand = [available(former, timed) or available(present, timed) for former, present in pairs]
    few = stand.count(False) < rollout.unavailable
    yield from (former for former, present in pairs if former and not present and (few or not available(former, timed)))


def _surged(
    rollout: Rollout, forms: Mapping[str, Pod], wanted: list[list[Pod]], timed: Collection[Key]
) -> Iterator[tuple[Pod, bool]]:
    """Yield the former pods whose successors are available or that are not ready, and the successors that may be created."""
    pairs = dict(zip(forms, (_of(rollout, crowd) for crowd in wanted), strict=True))
    surging = 0
    for former, present in pairs.values():
        if former and present:
            if available(present, timed) or not ready(former):
                yield former, False
            else:
                surging += 1
    for name, (former, present) in pairs.items():
        if former and not present and (surging < rollout.surge or not available(former, timed)):
            yield forms[name], True
