package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	provider "sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/scheduling"
	_ "sigs.k8s.io/karpenter/pkg/test/v1alpha1"
	"sigs.k8s.io/karpenter/pkg/utils/resources"
)

// providerLabels are the labels that a provider adds to those that Karpenter knows.
var providerLabels = []string{"example.com/family"}

func init() {
	v1.WellKnownLabels.Insert(providerLabels...)
}

// silent drops events.
type silent struct{}

func (silent) Publish(...events.Event) {}

// hasty is a clock on which every delay has passed.
type hasty struct{ clock.RealClock }

func (hasty) After(time.Duration) <-chan time.Time {
	passed := make(chan time.Time)
	close(passed)
	return passed
}

// A world is a cluster as Karpenter sees it.
type world struct {
	client   client.Client
	provider *provider.CloudProvider
	cluster  *state.Cluster
}

// built makes the world of a question. A node of a pool that has not initialized is a NodeClaim that has been launched.
func built(ctx context.Context, asked question) (world, error) {
	made := world{provider: provider.NewCloudProvider()}
	for _, each := range asked.Catalogue {
		made.provider.InstanceTypes = append(made.provider.InstanceTypes, each.made())
	}
	pools, objects := map[string]*v1.NodePool{}, []client.Object{}
	for _, pool := range asked.Pools {
		pool = pool.DeepCopy()
		pool.StatusConditions().SetTrue(v1.ConditionTypeValidationSucceeded)
		pool.StatusConditions().SetTrue(v1.ConditionTypeNodeClassReady)
		pools[pool.Name] = pool
		objects = append(objects, pool)
	}
	var nodes []*corev1.Node
	var pods []*corev1.Pod
	var claims []*v1.NodeClaim
	for _, text := range asked.Objects {
		object, _, err := scheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
		if err != nil {
			return made, err
		}
		switch each := object.(type) {
		case *corev1.Node:
			each.Spec.ProviderID = "fake:///" + each.Name
			if pool := pools[each.Labels[v1.NodePoolLabelKey]]; pool != nil {
				claims = append(claims, claimOf(each, pool))
				if each.Labels[v1.NodeInitializedLabelKey] != "true" {
					continue
				}
			}
			nodes = append(nodes, each)
			objects = append(objects, each)
		case *corev1.Pod:
			pods = append(pods, each)
			objects = append(objects, each)
		case *corev1.Namespace, *policyv1.PodDisruptionBudget:
			objects = append(objects, object.(client.Object))
		default:
			return made, fmt.Errorf("unexpected object %T", object)
		}
	}
	for _, each := range claims {
		objects = append(objects, each)
	}
	made.client = fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(objects...).
		WithStatusSubresource(&v1.NodeClaim{}, &v1.NodePool{}).
		WithIndex(&corev1.Pod{}, "spec.nodeName", func(o client.Object) []string { return []string{o.(*corev1.Pod).Spec.NodeName} }).
		WithIndex(&corev1.Node{}, "spec.providerID", func(o client.Object) []string { return []string{o.(*corev1.Node).Spec.ProviderID} }).
		WithIndex(&v1.NodeClaim{}, "status.providerID", func(o client.Object) []string { return []string{o.(*v1.NodeClaim).Status.ProviderID} }).
		Build()
	made.cluster = state.NewCluster(hasty{}, made.client, made.provider)
	for _, each := range claims {
		made.cluster.UpdateNodeClaim(each)
	}
	for _, each := range nodes {
		if err := made.cluster.UpdateNode(ctx, each); err != nil {
			return made, err
		}
	}
	for _, each := range pods {
		if err := made.cluster.UpdatePod(ctx, each); err != nil {
			return made, err
		}
	}
	for _, each := range nodes {
		for _, taint := range each.Spec.Taints {
			if taint.MatchTaint(&v1.DisruptedNoScheduleTaint) {
				made.cluster.MarkForDeletion(each.Spec.ProviderID)
			}
		}
	}
	return made, nil
}

// claimOf is the NodeClaim of a node.
func claimOf(node *corev1.Node, pool *v1.NodePool) *v1.NodeClaim {
	made := &v1.NodeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: node.Name, UID: node.UID, Labels: node.Labels, Annotations: node.Annotations, CreationTimestamp: metav1.Now()},
		Spec: v1.NodeClaimSpec{
			Taints:        pool.Spec.Template.Spec.Taints,
			StartupTaints: pool.Spec.Template.Spec.StartupTaints,
			NodeClassRef:  pool.Spec.Template.Spec.NodeClassRef,
		},
		Status: v1.NodeClaimStatus{
			ProviderID:  node.Spec.ProviderID,
			Capacity:    node.Status.Capacity,
			Allocatable: node.Status.Allocatable,
		},
	}
	made.StatusConditions().SetTrue(v1.ConditionTypeLaunched)
	if node.Labels[v1.NodeInitializedLabelKey] == "true" {
		made.Status.NodeName = node.Name
		made.StatusConditions().SetTrue(v1.ConditionTypeRegistered)
		made.StatusConditions().SetTrue(v1.ConditionTypeInitialized)
		made.StatusConditions().SetTrue(v1.ConditionTypeConsolidatable)
	}
	return made
}

// made is an entry of the catalogue as Karpenter takes it.
func (each instanceType) made() *cloudprovider.InstanceType {
	var zones, capacityTypes []string
	made := &cloudprovider.InstanceType{Name: each.Name, Capacity: each.Allocatable, Overhead: &cloudprovider.InstanceTypeOverhead{}}
	if len(each.Capacity) != 0 {
		made.Capacity = each.Capacity
		made.Overhead.KubeReserved = resources.Subtract(each.Capacity, each.Allocatable)
	}
	for _, one := range each.Offerings {
		available := one.Available == nil || *one.Available
		if available {
			zones, capacityTypes = append(zones, one.Zone), append(capacityTypes, one.CapacityType)
		}
		made.Offerings = append(made.Offerings, &cloudprovider.Offering{
			Price:     one.Price,
			Available: available,
			Requirements: scheduling.NewLabelRequirements(map[string]string{
				corev1.LabelTopologyZone: one.Zone, v1.CapacityTypeLabelKey: one.CapacityType,
			}),
		})
	}
	made.Requirements = scheduling.NewLabelRequirements(each.Labels)
	made.Requirements.Add(
		scheduling.NewRequirement(corev1.LabelInstanceTypeStable, corev1.NodeSelectorOpIn, each.Name),
		scheduling.NewRequirement(corev1.LabelTopologyZone, corev1.NodeSelectorOpIn, zones...),
		scheduling.NewRequirement(v1.CapacityTypeLabelKey, corev1.NodeSelectorOpIn, capacityTypes...),
	)
	for _, key := range providerLabels {
		if _, ok := each.Labels[key]; !ok {
			made.Requirements.Add(scheduling.NewRequirement(key, corev1.NodeSelectorOpDoesNotExist))
		}
	}
	return made
}
