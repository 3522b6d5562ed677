"""A question for a scheduler that is a program: a cluster and a pod as objects, `question`."""

from schedcheck.manifests.manifests import Manifest
from schedcheck.manifests.snapshots import listed, stored_objects
from schedcheck.model.production.extenders.as_read import NOT_READ, AsRead
from schedcheck.spec.objects import Pod, Snapshot


def question(pod: Pod, snapshot: Snapshot, read: AsRead = NOT_READ) -> Manifest:
    """Return the snapshot as a List of objects, and the pod, which is one of them.

    Pods and nodes that were `read` are whole, with what has changed since.
    """
    items = stored_objects(snapshot)
    pods = iter(snapshot.pods)
    nodes = iter(snapshot.nodes)
    asked: Manifest = {}
    for place, item in enumerate(items):
        if item["kind"] == "Pod":
            each = next(pods)
            items[place] = {**item, **read.pod_object(each)} if each.key in read.pods else item
            if each.key == pod.key:
                asked = items[place]
        elif item["kind"] == "Node":
            node = next(nodes)
            items[place] = {**item, **read.node_object(node)} if node.name in read.nodes else item
    return {"cluster": listed(items), "pod": asked}
