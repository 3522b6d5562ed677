package main

import (
	"encoding/json"
	"fmt"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	resource "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	strict "sigs.k8s.io/json"
)

// A question is a cluster, the pod to be scheduled, and the configuration of the scheduler.
//
// Pods with spec.nodeName are bound; any other pod is pending. The objects are as the API server stores them.
type question struct {
	ID            string          `json:"id"`
	Configuration json.RawMessage `json:"configuration,omitempty"`
	FeatureGates  map[string]bool `json:"featureGates,omitempty"`

	// ExtenderRefuses has the reason of an extender that refuses a node, by the name of the node.
	ExtenderRefuses map[string]string `json:"extenderRefuses,omitempty"`

	Nodes           []core.Node                  `json:"nodes,omitempty"`
	Pods            []core.Pod                   `json:"pods,omitempty"`
	Pod             core.Pod                     `json:"pod"`
	Namespaces      []core.Namespace             `json:"namespaces,omitempty"`
	Budgets         []policy.PodDisruptionBudget `json:"pdbs,omitempty"`
	PriorityClasses []scheduling.PriorityClass   `json:"priorityClasses,omitempty"`

	Services               []core.Service               `json:"services,omitempty"`
	ReplicaSets            []apps.ReplicaSet            `json:"replicaSets,omitempty"`
	StatefulSets           []apps.StatefulSet           `json:"statefulSets,omitempty"`
	ReplicationControllers []core.ReplicationController `json:"replicationControllers,omitempty"`

	Volumes     []core.PersistentVolume      `json:"persistentVolumes,omitempty"`
	Claims      []core.PersistentVolumeClaim `json:"persistentVolumeClaims,omitempty"`
	Classes     []storage.StorageClass       `json:"storageClasses,omitempty"`
	CSINodes    []storage.CSINode            `json:"csiNodes,omitempty"`
	CSIDrivers  []storage.CSIDriver          `json:"csiDrivers,omitempty"`
	Capacities  []storage.CSIStorageCapacity `json:"csiStorageCapacities,omitempty"`
	Attachments []storage.VolumeAttachment   `json:"volumeAttachments,omitempty"`

	ResourceClaims   []resource.ResourceClaim `json:"resourceClaims,omitempty"`
	ResourceSlices   []resource.ResourceSlice `json:"resourceSlices,omitempty"`
	DeviceClasses    []resource.DeviceClass   `json:"deviceClasses,omitempty"`
	DeviceTaintRules []deviceTaintRule        `json:"deviceTaintRules,omitempty"`
}

// read returns the question of a line; field names count in the case in which the API writes them.
//
// Unless the objects are as stored, they get the defaults of the API.
func read(line []byte, stored bool) (*question, error) {
	asked := &question{}
	if err := strict.UnmarshalCaseSensitivePreserveInts(line, asked); err != nil {
		return nil, err
	}
	asked.admitted()
	if !stored {
		for _, each := range asked.objects() {
			legacyscheme.Scheme.Default(each)
		}
	}
	return asked, nil
}

// admitted resolves priorities, and names what the API server would have named.
func (asked *question) admitted() {
	for i := range asked.Pods {
		asked.admit(&asked.Pods[i])
	}
	asked.admit(&asked.Pod)
	inNamespace(asked.Claims)
	inNamespace(asked.Budgets)
	inNamespace(asked.Services)
	inNamespace(asked.ReplicaSets)
	inNamespace(asked.StatefulSets)
	inNamespace(asked.ReplicationControllers)
	inNamespace(asked.ResourceClaims)
	inNamespace(asked.Capacities)
}

// inNamespace gives each object without a namespace the default one.
func inNamespace[T any, Object interface {
	*T
	meta.Object
}](objects []T) {
	for i := range objects {
		if each := Object(&objects[i]); each.GetNamespace() == "" {
			each.SetNamespace(core.NamespaceDefault)
		}
	}
}

// admit gives a pod what admission gives it: a namespace, an identity, and the priority of its class.
func (asked *question) admit(pod *core.Pod) {
	if pod.Namespace == "" {
		pod.Namespace = core.NamespaceDefault
	}
	if pod.UID == "" {
		pod.UID = types.UID(fmt.Sprintf("uid/%s/%s", pod.Namespace, pod.Name))
	}
	if pod.Spec.SchedulerName == "" {
		pod.Spec.SchedulerName = core.DefaultSchedulerName
	}
	if pod.Spec.Priority != nil {
		return
	}
	var value int32
	for _, class := range asked.PriorityClasses {
		if class.Name == pod.Spec.PriorityClassName || pod.Spec.PriorityClassName == "" && class.GlobalDefault {
			value = class.Value
			if pod.Spec.PreemptionPolicy == nil {
				pod.Spec.PreemptionPolicy = class.PreemptionPolicy
			}
		}
	}
	switch pod.Spec.PriorityClassName {
	case "system-node-critical":
		value = 2000001000
	case "system-cluster-critical":
		value = 2000000000
	}
	pod.Spec.Priority = &value
}

// finished tells whether the scheduler's informer leaves the pod out.
func finished(pod *core.Pod) bool {
	return pod.Status.Phase == core.PodSucceeded || pod.Status.Phase == core.PodFailed
}
