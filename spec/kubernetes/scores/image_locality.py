"""The score ImageLocality: the more and the larger images of the pod a node already has, the better.

The images of a pod are those that its containers run, and those that it mounts as volumes.
"""

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.scores.arithmetic import HIGHEST, Scores, quotient
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import ImageSource

MEBIBYTE = 1024 * 1024
LEAST = 23 * MEBIBYTE
MOST_OF_AN_IMAGE = 1000 * MEBIBYTE


def with_tag(name: str) -> str:
    """Return the name of an image with its tag, `latest` if it has none; the port of a registry is not a tag.

    Kubernetes 1.34: pkg/scheduler/framework/plugins/imagelocality/image_locality.go, normalizedImageName.
    """
    return name if name.rfind(":") > name.rfind("/") else f"{name}:latest"


def image_names(node: Node) -> frozenset[str]:
    r"""Return the names of the images on `node`, as reported: no tag is added.

    TLA+: ImageNames(Node) == UNION {Node.Status.Images[i].Names : i \in DOMAIN Node.Status.Images}
    """
    return frozenset(name for image in node.images for name in image.names)


def image_size(name: str, snapshot: Snapshot) -> int:
    r"""Return the size of the image in bytes, as reported by the node with it that the cache saw first.

    TLA+: ImageSize(Name, Snapshot) ==
            LET Holders == {Node \in Nodes(Snapshot) : Name \in ImageNames(Node)}
                First == CHOOSE Node \in Holders : \A Other \in Holders : SeenAs[Node.Name] <= SeenAs[Other.Name]
                Images == First.Status.Images
            IN IF Holders = {} THEN 0 ELSE Images[Min({i \in DOMAIN Images : Name \in Images[i].Names})].Size
    Kubernetes 1.34: pkg/scheduler/backend/cache/cache.go, addNodeImageStates.
    Differs: the cache is assumed to have seen the nodes in the order of their names.
    """
    return next((image.size for node in snapshot.nodes for image in node.images if name in image.names), 0)


def worth(size: int, holders: int, nodes: int) -> int:
    """Return the size of an image, scaled by the share of the `nodes` that hold it."""
    return int(float(size) * (float(holders) / float(nodes)))


def images_of(pod: Pod, departures: Departures) -> tuple[str, ...]:
    r"""Return the names of the images that count: those of containers, then those that are mounted.

    TLA+: RatedImages(Pod) ==
            LET Containers == Pod.Spec.InitContainers \o Pod.Spec.Containers
                Run == [i \in DOMAIN Containers |-> Containers[i].Image]
            IN IF "image-volumes-unrated" \in Departures THEN Run ELSE Run \o Pod.Spec.ImageVolumes
    """
    run = tuple(with_tag(container.image) for container in (*pod.init_containers, *pod.containers))
    if Departure.IMAGE_VOLUMES_UNRATED in departures:
        return run
    return run + tuple(with_tag(each.source.reference) for each in pod.volumes if isinstance(each.source, ImageSource))


def number_of_images(pod: Pod, departures: Departures) -> int:
    r"""Return the number of images by which the greatest score is scaled.

    TLA+: NumberOfImages(Pod) ==
            IF "image-volumes-uncounted" \in Departures THEN Len(Pod.Spec.InitContainers) + Len(Pod.Spec.Containers)
            ELSE Len(RatedImages(Pod))
    """
    if Departure.IMAGE_VOLUMES_UNCOUNTED in departures:
        return len(pod.init_containers) + len(pod.containers)
    return len(images_of(pod, departures))


def locality(here: int, images: int) -> int:
    """Return the score of a node, given the worth of the images of the pod that it holds, and their number."""
    most = MOST_OF_AN_IMAGE * images
    return quotient(HIGHEST * (max(min(here, most), LEAST) - LEAST), most - LEAST)


@looks_at("nodes.images")
def image_locality(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> Scores:
    r"""Return the score: the bounded sum of the pod's image sizes on the node, each scaled by the share of its nodes.

    TLA+: ImageLocalityScore(Pod, Among, Snapshot) ==
            LET Rated == RatedImages(Pod)
                Holders(Name) == Cardinality({Node \in Nodes(Snapshot) : Name \in ImageNames(Node)})
                Worth(Name) == (ImageSize(Name, Snapshot) * Holders(Name)) \div Cardinality(Nodes(Snapshot))
                Least == 23 * Mebibyte
                Most == 1000 * Mebibyte * NumberOfImages(Pod)
                Here(Node) == Sum([i \in DOMAIN Rated |-> IF Rated[i] \in ImageNames(Node) THEN Worth(Rated[i]) ELSE 0])
            IN [Node \in Among |-> Quotient(Highest * (Max({Min({Here(Node), Most}), Least}) - Least), Most - Least)]
    Kubernetes 1.37: pkg/scheduler/framework/plugins/imagelocality/image_locality.go, sumImageScores, calculatePriority.
    """
    wanted = images_of(pod, plugins.departures)
    has = {node.name: image_names(node) & frozenset(wanted) for node in snapshot.nodes}
    holders = {name: sum(name in names for names in has.values()) for name in wanted}
    worths = {name: worth(image_size(name, snapshot), holders[name], len(has)) for name in wanted}
    here = {name: sum(worths[each] for each in wanted if each in names) for name, names in has.items()}
    number = number_of_images(pod, plugins.departures)
    return {node.name: locality(here[node.name], number) for node in nodes}
