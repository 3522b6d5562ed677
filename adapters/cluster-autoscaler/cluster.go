package main

import (
	"fmt"
	"math/rand"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kube_util "k8s.io/autoscaler/cluster-autoscaler/utils/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
)

// defaultLabel is the label that names the pool of a node unless the document says another.
const defaultLabel = "node-pool"

// terminating are the two times of deletion of which each loop chooses one for a pod that terminates.
var terminating = [2]time.Time{
	time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC),
}

// A cluster is what the autoscaler lists.
type cluster struct {
	label    string
	pools    []pool
	draining []string
	deleting []string
	nodes    []*corev1.Node
	ready    []*corev1.Node
	pods     []*corev1.Pod
	budgets  []*policyv1.PodDisruptionBudget
}

// read is the cluster of a question. Pods that have ended are left out, as the autoscaler's lister does.
func read(asked question) (cluster, error) {
	made := cluster{label: asked.Pools.Label, pools: asked.Pools.Pools, draining: asked.Draining, deleting: asked.Deleting}
	if made.label == "" {
		made.label = defaultLabel
	}
	for _, text := range asked.Objects {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
		if err != nil {
			return made, err
		}
		switch each := object.(type) {
		case *corev1.Node:
			made.nodes = append(made.nodes, each)
		case *corev1.Pod:
			if each.Status.Phase != corev1.PodSucceeded && each.Status.Phase != corev1.PodFailed {
				made.pods = append(made.pods, each)
			}
		case *policyv1.PodDisruptionBudget:
			made.budgets = append(made.budgets, each)
		default:
			return made, fmt.Errorf("unexpected object %T", object)
		}
	}
	return made, nil
}

// shuffled is a copy with all lists in another order. The ready nodes are those of utils/kubernetes/listers.go, readyNodeLister. Pods that terminate have done so for long, or their time has not come.
func (given cluster) shuffled(chance *rand.Rand) cluster {
	made := given
	made.pools = mixed(given.pools, chance, func(each pool) pool { return each })
	made.nodes = mixed(given.nodes, chance, (*corev1.Node).DeepCopy)
	made.pods = mixed(given.pods, chance, (*corev1.Pod).DeepCopy)
	made.budgets = mixed(given.budgets, chance, (*policyv1.PodDisruptionBudget).DeepCopy)
	made.ready = nil
	for _, node := range made.nodes {
		if kube_util.IsNodeReadyAndSchedulable(node) {
			made.ready = append(made.ready, node)
		}
	}
	for _, pod := range made.pods {
		if pod.DeletionTimestamp != nil {
			pod.DeletionTimestamp = &metav1.Time{Time: terminating[chance.Intn(2)]}
		}
	}
	return made
}

// reorder brings what is listed into another order.
func (given cluster) reorder(chance *rand.Rand) {
	for _, nodes := range [][]*corev1.Node{given.nodes, given.ready} {
		chance.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	}
	chance.Shuffle(len(given.pods), func(i, j int) { given.pods[i], given.pods[j] = given.pods[j], given.pods[i] })
}

// mixed are copies of things in another order.
func mixed[T any](things []T, chance *rand.Rand, copied func(T) T) []T {
	made := make([]T, len(things))
	for to, from := range chance.Perm(len(things)) {
		made[to] = copied(things[from])
	}
	return made
}

// listers list the cluster. The controllers of pods exist, with replicas enough; the DaemonSets have no pods on new nodes.
//
// What is looked up of a controller: simulator/drainability/rules/replicacount/rule.go.
func (given cluster) listers() (kube_util.ListerRegistry, error) {
	many := int32(99)
	var daemons []*appsv1.DaemonSet
	var jobs []*batchv1.Job
	var sets []*appsv1.ReplicaSet
	var stateful []*appsv1.StatefulSet
	for _, pod := range given.pods {
		owner := metav1.GetControllerOf(pod)
		if owner == nil {
			continue
		}
		meta := metav1.ObjectMeta{Namespace: pod.Namespace, Name: owner.Name, UID: owner.UID}
		switch owner.Kind {
		case "DaemonSet":
			elsewhere := corev1.PodSpec{NodeSelector: map[string]string{"no-such": "node"}}
			spec := appsv1.DaemonSetSpec{Template: corev1.PodTemplateSpec{Spec: elsewhere}}
			daemons = append(daemons, &appsv1.DaemonSet{ObjectMeta: meta, Spec: spec})
		case "Job":
			jobs = append(jobs, &batchv1.Job{ObjectMeta: meta})
		case "ReplicaSet":
			sets = append(sets, &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: &many}})
		case "StatefulSet":
			stateful = append(stateful, &appsv1.StatefulSet{ObjectMeta: meta})
		}
	}
	daemonSets, err := kube_util.NewTestDaemonSetLister(daemons)
	if err != nil {
		return nil, err
	}
	jobLister, err := kube_util.NewTestJobLister(jobs)
	if err != nil {
		return nil, err
	}
	replicaSets, err := kube_util.NewTestReplicaSetLister(sets)
	if err != nil {
		return nil, err
	}
	statefulSets, err := kube_util.NewTestStatefulSetLister(stateful)
	if err != nil {
		return nil, err
	}
	controllers, err := kube_util.NewTestReplicationControllerLister(nil)
	if err != nil {
		return nil, err
	}
	return kube_util.NewListerRegistry(
		kube_util.NewTestNodeLister(given.nodes), kube_util.NewTestNodeLister(given.ready), kube_util.NewTestPodLister(given.pods),
		kube_util.NewTestPodDisruptionBudgetLister(given.budgets), daemonSets, controllers, jobLister, replicaSets, statefulSets,
	), nil
}
