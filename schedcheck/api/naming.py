"""Pods, workloads and budgets by the names that kubectl takes: `form_named`, `pod_named`, `budget_named`.

`web-1`, `pod/web-1` and `deploy/web` are in the namespace that is given, else in `default`; `shop/web-1` and
`shop/deploy/web` name their own. A workload stands for one of its pods: the first that is pending, else the first.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster
from schedcheck.manifests.forms import DAEMONS, Form, form_of
from schedcheck.manifests.names import called, nearest_three
from schedcheck.manifests.of_workloads import KINDS, owner, pods_of, workload_named
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod, PodDisruptionBudget

SHORTEST = ("pod", "deploy", "rs", "sts", "ds", "rc", "dc", "job", "cj")
"""One name of each type, for messages."""

WITHOUT_PODS = frozenset(
    f"{name}{ending}"
    for name in (
        "service",
        "node",
        "namespace",
        "configmap",
        "secret",
        "ingresse",
        "horizontalpodautoscaler",
        "persistentvolume",
        "persistentvolumeclaim",
        "priorityclasse",
        "poddisruptionbudget",
        "serviceaccount",
        "endpoint",
        "event",
    )
    for ending in ("", "s")
) | {
    "svc",
    "no",
    "ns",
    "cm",
    "ing",
    "ingress",
    "hpa",
    "pv",
    "pvc",
    "pc",
    "priorityclass",
    "pdb",
    "sa",
    "ep",
    "ev",
    "all",
}
"""Types of kubectl that are neither pods nor workloads."""

OF_BUDGETS = dict.fromkeys(("poddisruptionbudget", "poddisruptionbudgets", "pdb"), "PodDisruptionBudget")


@dataclass(frozen=True)
class Name:
    """The kind, the namespace and the name that a text stands for."""

    kind: str
    namespace: str
    name: str


def form_named(text: str, namespace: str | None, cluster: Cluster) -> Form:
    """Return the form of a pod, or of the pods of a workload. Raises: InputError with the three nearest names."""
    wanted = parsed(text, namespace, _is_pod(cluster), KINDS, "Pod", parameter("pod"))
    if wanted.kind == "Pod":
        for pod in cluster.pods:
            if pod.key == (wanted.namespace, wanted.name):
                return Form(pod, called("Pod", pod.namespace, pod.name))
    elif wanted.kind == DAEMONS:
        raise InputError(
            "a DaemonSet has one pod for each node; name one of its pods", path=parameter("pod"), value=text
        )
    else:
        made_by = workload_named(wanted.kind, wanted.namespace, wanted.name, cluster.workloads)
        if made_by is not None:
            form = form_of(made_by, cluster.admits)
            asked = called(wanted.kind, wanted.namespace, wanted.name)
            through = "" if made_by.kind == wanted.kind else f" ({made_by.kind.lower()}/{made_by.name})"
            return Form(form.pod, f"{asked}{through}")
    raise _unknown(text, wanted, cluster, parameter("pod"))


def pod_named(text: str, namespace: str | None, cluster: Cluster, place: str) -> Pod:
    """Return a pod, by its name or by that of its workload. `place` is named by errors.

    Raises: InputError with the three nearest names, and for a workload that has no pod.
    """
    wanted = parsed(text, namespace, _is_pod(cluster), KINDS, "Pod", place)
    if wanted.kind == "Pod":
        for pod in cluster.pods:
            if pod.key == (wanted.namespace, wanted.name):
                return pod
        raise _unknown(text, wanted, cluster, place)
    found = pods_of(wanted.kind, wanted.namespace, wanted.name, cluster)
    if found:
        return min(found, key=lambda pod: (completed(pod), bool(pod.node_name), pod.key))
    if _full(wanted) in _names(wanted.kind, cluster):
        raise InputError("it has no pod", path=place, value=text)
    raise _unknown(text, wanted, cluster, place)


def budget_named(
    text: str, namespace: str | None, budgets: Sequence[PodDisruptionBudget], place: str
) -> PodDisruptionBudget:
    """Return a budget. Raises: InputError with the three nearest names."""
    keys = {budget.key for budget in budgets}
    kind = "PodDisruptionBudget"
    spaces = {space for space, _ in keys}
    wanted = parsed(
        text, namespace, lambda space, name: (space, name) in keys if name else space in spaces, OF_BUDGETS, kind, place
    )
    for budget in budgets:
        if budget.key == (wanted.namespace, wanted.name):
            return budget
    near = nearest_three(f"{wanted.namespace}/{wanted.name}", ["/".join(key) for key in sorted(keys)])
    raise InputError(f"no {kind} has this name{near}", path=place, value=text)


def parsed(
    text: str,
    namespace: str | None,
    there: Callable[[str, str], bool],
    kinds: dict[str, str],
    default: str,
    place: str,
) -> Name:
    """Return what the text stands for; the first part is a kind only if nothing is `there` in a namespace of that name.

    `there` is asked with a namespace and a name; with an empty name, whether anything is in the namespace.

    Raises: InputError for a namespace that is given twice, and for another type.
    """
    *before, name = text.split("/")
    kind = kinds.get(before[-1].lower().partition(".")[0]) if before else None
    if before and name and kind is None and (len(before) == 2 or not there(before[0], "")):
        _refuse_type(before[-1], kinds, text, place, sure=len(before) == 2 and before[0].lower() not in kinds)
    if kind is not None and not (len(before) == 1 and there(before[0], name)):
        before = before[:-1]
    else:
        kind = default
    if len(before) > 1 or not name:
        raise InputError("expected NAME, TYPE/NAME, NAMESPACE/NAME or NAMESPACE/TYPE/NAME", path=place, value=text)
    if before and namespace not in (None, before[0]):
        raise InputError(f"names another namespace than {place}", path=parameter("namespace"), value=namespace)
    return Name(kind, before[0] if before else namespace or "default", name)


def in_namespace(text: str, namespace: str | None, place: str, kinds: Mapping[str, str] = KINDS) -> str:
    """Return the name of a pod or budget with its namespace, which -n gives. Raises: InputError if it names another.

    `kinds` are the types that it may have, for the error.
    """
    if namespace is None:
        return text
    first, slash, _ = text.partition("/")
    if not slash or first.lower().partition(".")[0] in {**KINDS, **OF_BUDGETS}:
        return f"{namespace}/{text}"
    if first != namespace:
        _refuse_type(first, kinds, text, place)
        raise InputError(f"names another namespace than {place}", path=parameter("namespace"), value=namespace)
    return text


def _refuse_type(text: str, kinds: Mapping[str, str], whole: str, place: str, *, sure: bool = False) -> None:
    """Raises: InputError if the text is a type that is none of `kinds`, or nearly one, or `sure` to be meant as one."""
    word = text.lower().partition(".")[0]
    if (
        sure
        or word in WITHOUT_PODS - set(kinds)
        or word in set(KINDS) - set(kinds)
        or get_close_matches(word, kinds, 1, 0.8)
    ):
        known = ", ".join(SHORTEST if kinds is KINDS else sorted(kinds, key=len)[:1])
        raise InputError(f"expected a type ({known}), not {text!r}", path=place, value=whole)


def _is_pod(cluster: Cluster) -> Callable[[str, str], bool]:
    def there(namespace: str, name: str) -> bool:
        if name:
            return any(pod.key == (namespace, name) for pod in cluster.pods)
        return namespace in {each.namespace for each in cluster.pods} | {each.namespace for each in cluster.workloads}

    return there


def _unknown(text: str, wanted: Name, cluster: Cluster, place: str) -> InputError:
    what = "pod" if wanted.kind == "Pod" else wanted.kind
    names = set(_names(wanted.kind, cluster))
    if wanted.kind == "Pod":
        made = {name for kind in KINDS.values() for name in _names(kind, cluster) if kind != "Pod"}
        names |= {name for name in made if name.rpartition("/")[2] == wanted.name.lower()}
    near = nearest_three(_full(wanted), sorted(names))
    return InputError(f"no {what} has this name{near}", path=place, value=text)


def _full(wanted: Name) -> str:
    kind = "" if wanted.kind == "Pod" else f"{wanted.kind.lower()}/"
    return f"{wanted.namespace}/{kind}{wanted.name}"


def _names(kind: str, cluster: Cluster) -> Iterator[str]:
    if kind == "Pod":
        yield from ("/".join(pod.key) for pod in cluster.pods)
        return
    things: Iterable[tuple[str, str, tuple[str, str]]] = (
        *((each.namespace, each.kind, (each.name, "")) for each in cluster.workloads),
        *((each.namespace, owner(each)[0], (owner(each)[1], "")) for each in cluster.workloads),
        *((pod.namespace, owner(pod)[0], (owner(pod)[1], "")) for pod in cluster.pods),
    )
    yield from (_full(Name(kind, namespace, name)) for namespace, of, (name, _) in things if of == kind)
