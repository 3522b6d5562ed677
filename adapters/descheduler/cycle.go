package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/testing"
	"sigs.k8s.io/descheduler/cmd/descheduler/app/options"
	"sigs.k8s.io/descheduler/pkg/descheduler"
	"sigs.k8s.io/descheduler/pkg/features"
	"sigs.k8s.io/descheduler/pkg/framework/pluginregistry"
)

// settling is how long an informer is given to see that a pod is gone, also on a busy machine.
const settling = 100 * time.Millisecond

// run is one cycle of the descheduler on the cluster of a question.
func run(asked question) ([]eviction, error) {
	objects := make([]runtime.Object, 0, len(asked.Objects))
	for _, text := range asked.Objects {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	client := fake.NewClientset(objects...)
	evictions := &api{client: client, done: []eviction{}}
	client.PrependReactor("create", "pods", evictions.asked)
	client.PrependWatchReactor("pods", func(testing.Action) (bool, watch.Interface, error) {
		evictions.watched = true
		return false, nil, nil
	})

	folder, err := os.MkdirTemp("", "policy")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "policy.json")
	if err := os.WriteFile(file, asked.Policy, 0o600); err != nil {
		return nil, err
	}
	policy, err := descheduler.LoadPolicyConfig(file, client, pluginregistry.PluginRegistry)
	if err != nil {
		return nil, err
	}
	server, err := options.NewDeschedulerServer()
	if err != nil {
		return nil, err
	}
	server.Client, server.EventClient = client, client
	server.DefaultFeatureGates = features.DefaultMutableFeatureGate
	server.DeschedulingInterval = 0
	// Without an interval it ends by itself after one cycle.
	within, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := descheduler.RunDeschedulerStrategies(within, server, policy, "policy/v1"); err != nil {
		return nil, err
	}
	if within.Err() == context.DeadlineExceeded {
		return nil, fmt.Errorf("the cycle did not end within a minute")
	}
	if evictions.late {
		return run(asked)
	}
	return evictions.done, nil
}

// api is the eviction API: it asks the budgets' statuses, as kube-apiserver does, and deletes the pod.
type api struct {
	client  *fake.Clientset
	done    []eviction
	watched bool
	// late is whether a pod was evicted before the informer watched pods: the fake client tells nobody of that.
	late bool
}

func (each *api) asked(action testing.Action) (bool, runtime.Object, error) {
	if action.GetSubresource() != "eviction" {
		return false, nil, nil
	}
	each.late = each.late || !each.watched
	asked := action.(testing.CreateAction).GetObject().(*policyv1.Eviction)
	err := each.evict(asked.Namespace, asked.Name)
	each.done = append(each.done, eviction{asked.Namespace + "/" + asked.Name, err == nil})
	return true, nil, err
}

func (each *api) evict(namespace, name string) error {
	pods, budgets := v1.SchemeGroupVersion.WithResource("pods"), policyv1.SchemeGroupVersion.WithResource("poddisruptionbudgets")
	found, err := each.client.Tracker().Get(pods, namespace, name)
	if err != nil {
		return err
	}
	listed, err := each.client.Tracker().List(budgets, policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget"), namespace)
	if err != nil {
		return err
	}
	pod, protecting := found.(*v1.Pod), []*policyv1.PodDisruptionBudget{}
	if ended(pod) {
		listed = &policyv1.PodDisruptionBudgetList{}
	}
	for place := range listed.(*policyv1.PodDisruptionBudgetList).Items {
		budget := &listed.(*policyv1.PodDisruptionBudgetList).Items[place]
		selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
		if err != nil {
			return err
		}
		if selector.Matches(labels.Set(pod.Labels)) {
			protecting = append(protecting, budget)
		}
	}
	if len(protecting) > 1 {
		return apierrors.NewInternalError(fmt.Errorf("more than one budget protects the pod"))
	}
	if len(protecting) == 1 {
		budget := protecting[0]
		if budget.Status.DisruptionsAllowed <= 0 {
			return apierrors.NewTooManyRequests("the budget allows no disruption", 0)
		}
		budget.Status.DisruptionsAllowed--
		if err := each.client.Tracker().Update(budgets, budget, namespace); err != nil {
			return err
		}
	}
	if err := each.client.Tracker().Delete(pods, namespace, name); err != nil {
		return err
	}
	time.Sleep(settling)
	return nil
}

// ended is whether no budget is asked about a pod: it has succeeded or failed, and its eviction disrupts nothing.
// Kubernetes 1.37: pkg/registry/core/pod/storage/eviction.go, canIgnorePDB.
func ended(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}
