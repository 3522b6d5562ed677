//go:build kube136 || kube137

package main

import (
	"encoding/json"
	"fmt"
	"sync"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/scheduler"
	strict "sigs.k8s.io/json"
)

// A groupQuestion is a cluster with PodGroups and the pending pods of one of them, in the order in which they were created.
type groupQuestion struct {
	question
	PodGroups []podGroup `json:"podGroups"`
}

// A groupAnswer says where the cycle of the group puts its pods, by name; none if the group does not fit.
//
// Kept: the group does not enter the queue. Error: the cycle ended in an error, whose text this is. Order: its pods in the
// order in which they were queued, where the version tells it. Evicted: the pods that were deleted. Nominated: the node of
// each pod that is nominated to one after the cycle.
type groupAnswer struct {
	ID      string            `json:"id"`
	Version string            `json:"version"`
	Kept    bool              `json:"kept,omitempty"`
	Nodes   map[string]string `json:"nodes"`
	Error   string            `json:"error,omitempty"`
	Order   []string          `json:"order,omitempty"`
	Evicted []string          `json:"evicted,omitempty"`
	Said    string            `json:"said,omitempty"`

	Nominated map[string]string `json:"nominated,omitempty"`
}

// alsoWatched are the kinds that the scheduler of this version watches besides.
func alsoWatched() []runtime.Object { return []runtime.Object{&podGroup{}} }

// patched answers calls for PodGroups, whose conditions the scheduler patches.
func patched(client *fake.Clientset, told func(*podGroup)) {
	client.PrependReactor("patch", "podgroups", func(action kubetesting.Action) (bool, runtime.Object, error) {
		found := &podGroup{}
		patch, fits := action.(kubetesting.PatchAction)
		if fits && json.Unmarshal(patch.GetPatch(), found) == nil && told != nil {
			told(found)
		}
		return true, found, nil
	})
}

// written answers the updates by which the claims of a pod are bound, so that its binding waits or goes on.
func written(client *fake.Clientset) {
	for _, each := range []string{"persistentvolumes", "persistentvolumeclaims", "resourceclaims"} {
		client.PrependReactor("update", each, func(action kubetesting.Action) (bool, runtime.Object, error) {
			update, fits := action.(kubetesting.UpdateAction)
			if !fits {
				return false, nil, nil
			}
			return true, update.GetObject(), nil
		})
	}
}

// group answers a question about the cycle of a PodGroup, with a scheduler of its own.
func (with *session) group(text []byte) any {
	asked := &groupQuestion{}
	if err := strict.UnmarshalCaseSensitivePreserveInts(text, asked); err != nil {
		return failure{Error: "not a question: " + err.Error()}
	}
	if err := with.switched(groupGates); err != nil {
		return failure{ID: asked.ID, Error: err.Error()}
	}
	asked.admitted()
	inNamespace(asked.PodGroups)
	objects := asked.inOrder()
	for _, each := range objects {
		legacyscheme.Scheme.Default(each)
	}
	if illegal := asked.refused(objects); len(illegal) > 0 {
		return failure{asked.ID, "illegal", illegal}
	}
	found, err := asked.answered(objects)
	if err != nil {
		return failure{ID: asked.ID, Error: err.Error()}
	}
	return found
}

// inOrder returns the objects as the scheduler learns of them: what pods refer to, nodes, bound pods, groups, pending pods
// as they are given.
func (asked *groupQuestion) inOrder() []runtime.Object {
	all := append(pointers[core.Namespace](asked.Namespaces), asked.claimed()...)
	all = append(all, pointers[core.Node](asked.Nodes)...)
	all = append(all, pointers[budget](asked.Budgets)...)
	var pending []runtime.Object
	for i := range asked.Pods {
		switch pod := &asked.Pods[i]; {
		case finished(pod):
		case pod.Spec.NodeName != "":
			all = append(all, pod)
		default:
			pending = append(pending, pod)
		}
	}
	all = append(all, pointers[podGroup](asked.PodGroups)...)
	return append(all, pending...)
}

// refused returns what the API server would refuse, as question.illegal does; PodGroups are validated by declarations.
func (asked *groupQuestion) refused(objects []runtime.Object) []string {
	var found []string
	for _, each := range objects {
		if _, is := each.(*podGroup); is {
			continue
		}
		for _, err := range errorsOf(each) {
			found = append(found, fmt.Sprintf("%s: %s", named(each), err.Error()))
		}
	}
	return found
}

// nominatedIn returns the node of each pod that is nominated to one of these nodes, by the names of the pods.
func nominatedIn(real *scheduler.Scheduler, nodes []core.Node) map[string]string {
	found := map[string]string{}
	for i := range nodes {
		for _, each := range real.SchedulingQueue.NominatedPodsForNode(nodes[i].Name) {
			found[each.GetPod().Name] = nodes[i].Name
		}
	}
	return found
}

func (asked *groupQuestion) answered(objects []runtime.Object) (*groupAnswer, error) {
	into := &groupAnswer{ID: asked.ID, Version: version, Nodes: map[string]string{}}
	var evicted []string
	var deleting sync.Mutex
	in, err := builtWith(asked.Configuration, func(client *fake.Clientset) {
		patched(client, func(group *podGroup) {
			for _, each := range group.Status.Conditions {
				into.Said = each.Reason + ": " + each.Message
				if each.Reason == "SchedulerError" {
					into.Error = each.Message
				}
			}
		})
		written(client)
		client.PrependReactor("delete", "pods", func(action kubetesting.Action) (bool, runtime.Object, error) {
			deleting.Lock()
			defer deleting.Unlock()
			if named, fits := action.(kubetesting.DeleteAction); fits {
				evicted = append(evicted, named.GetName())
			}
			return true, &core.Pod{}, nil
		})
	})
	if err != nil {
		return nil, err
	}
	defer in.end()
	if err := in.fill(objects); err != nil {
		return nil, err
	}
	if len(in.real.SchedulingQueue.PodsInActiveQ()) == 0 {
		into.Kept = true
		return into, nil
	}
	into.Order = queuedOrder(in.real, asked.Pods)
	in.real.ScheduleOne(in.ctx)
	for i := range asked.Pods {
		pod := &asked.Pods[i]
		if pod.Spec.NodeName != "" || finished(pod) {
			continue
		}
		placed, err := in.real.Cache.IsAssumedPod(pod)
		if err != nil {
			return nil, err
		}
		if !placed {
			continue
		}
		known, err := in.real.Cache.GetPod(pod)
		if err != nil {
			return nil, err
		}
		into.Nodes[pod.Name] = known.Spec.NodeName
	}
	into.Nominated = nominatedIn(in.real, asked.Nodes)
	deleting.Lock()
	defer deleting.Unlock()
	into.Evicted = sorted(evicted)
	return into, nil
}
