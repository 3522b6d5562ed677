"""Waiting for what a control plane does: `wait_for`, `settled`"""

import time
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, TypeVar

from tests.control_plane.api import Api

Json = dict[str, Any]
Found = TypeVar("Found")
EVERY: Final = 0.5


class Late(Exception):
    """What was waited for has not happened in time."""


def wait_for(ask: Callable[[], Found], what: str, seconds: float = 120) -> Found:
    """Return the first answer that is true. Raises: Late."""
    limit = time.monotonic() + seconds
    while not (found := ask()):
        if time.monotonic() > limit:
            raise Late(f"not after {seconds:.0f} s: {what}")
        time.sleep(EVERY)
    return found


def nodes_ready(api: Api) -> bool:
    """Whether every node is ready, and has no taint of a condition any more."""
    return all(
        any(each["type"] == "Ready" and each["status"] == "True" for each in node["status"].get("conditions", ()))
        and not any(each["key"].startswith("node.kubernetes.io/not-ready") for each in node["spec"].get("taints", ()))
        for node in api.list("Node")
    )


def decided(pod: Json, silent: Collection[str] = ()) -> bool:
    """Whether a pod is bound, or was found unschedulable and has no nomination. On silent nodes pods do not change."""
    if pod["spec"].get("nodeName") in silent:
        return True
    if pod["metadata"].get("deletionTimestamp"):
        return False
    if pod["spec"].get("nodeName"):
        return pod["status"]["phase"] != "Pending"
    conditions = pod["status"].get("conditions", ())
    return not pod["status"].get("nominatedNodeName") and any(each["type"] == "PodScheduled" for each in conditions)


def settled(api: Api, seconds: float = 180, quiet: float = 4, silent: Collection[str] = ()) -> Sequence[Json]:
    """Return the pods once each is decided and none has moved for some seconds. Raises: Late."""
    seen: dict[str, str] = {}
    since = time.monotonic()

    def at_rest() -> Sequence[Json]:
        nonlocal seen, since
        pods = api.list("Pod")
        now = {each["metadata"]["uid"]: each["spec"].get("nodeName", "") for each in pods}
        if now != seen or not all(decided(each, silent) for each in pods):
            seen, since = now, time.monotonic()
        return pods if pods and time.monotonic() - since >= quiet else []

    return wait_for(at_rest, "all pods are decided", seconds)
