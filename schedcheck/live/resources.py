"""What is read of a live cluster: `RESOURCES`."""

from typing import NamedTuple


class Resource(NamedTuple):
    """A resource of the API: its group and version (`v1` for the core), its plural name, and the kind of its objects.

    `needed`: without it nothing can be said.
    """

    version: str
    name: str
    kind: str
    needed: bool = False

    @property
    def path(self) -> str:
        """The path of the list of all its objects."""
        return f"/{'api' if '/' not in self.version else 'apis'}/{self.version}/{self.name}"


RESOURCES = (
    Resource("v1", "nodes", "Node", needed=True),
    Resource("v1", "pods", "Pod", needed=True),
    Resource("v1", "namespaces", "Namespace"),
    Resource("v1", "services", "Service"),
    Resource("v1", "replicationcontrollers", "ReplicationController"),
    Resource("v1", "limitranges", "LimitRange"),
    Resource("v1", "persistentvolumes", "PersistentVolume"),
    Resource("v1", "persistentvolumeclaims", "PersistentVolumeClaim"),
    Resource("apps/v1", "deployments", "Deployment"),
    Resource("apps/v1", "replicasets", "ReplicaSet"),
    Resource("apps/v1", "statefulsets", "StatefulSet"),
    Resource("apps/v1", "daemonsets", "DaemonSet"),
    Resource("batch/v1", "jobs", "Job"),
    Resource("batch/v1", "cronjobs", "CronJob"),
    Resource("autoscaling/v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler"),
    Resource("policy/v1", "poddisruptionbudgets", "PodDisruptionBudget"),
    Resource("scheduling.k8s.io/v1", "priorityclasses", "PriorityClass"),
    Resource("node.k8s.io/v1", "runtimeclasses", "RuntimeClass"),
    Resource("storage.k8s.io/v1", "storageclasses", "StorageClass"),
    Resource("storage.k8s.io/v1", "csinodes", "CSINode"),
    Resource("storage.k8s.io/v1", "csidrivers", "CSIDriver"),
    Resource("storage.k8s.io/v1", "csistoragecapacities", "CSIStorageCapacity"),
    Resource("storage.k8s.io/v1", "volumeattachments", "VolumeAttachment"),
    Resource("resource.k8s.io/v1", "resourceclaims", "ResourceClaim"),
    Resource("resource.k8s.io/v1", "resourceclaimtemplates", "ResourceClaimTemplate"),
    Resource("resource.k8s.io/v1", "resourceslices", "ResourceSlice"),
    Resource("resource.k8s.io/v1", "deviceclasses", "DeviceClass"),
)
"""Every kind that an answer may depend on, in the order in which they are read. None of them holds secrets."""
