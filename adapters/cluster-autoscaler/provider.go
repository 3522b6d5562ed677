package main

import (
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/autoscaler/cluster-autoscaler/cloudprovider"
	testprovider "k8s.io/autoscaler/cluster-autoscaler/cloudprovider/test"
	"k8s.io/autoscaler/cluster-autoscaler/config"
	autoscaling "k8s.io/autoscaler/cluster-autoscaler/context"
	"k8s.io/autoscaler/cluster-autoscaler/simulator/framework"
)

// provider is the provider of the autoscaler's tests, with the pools of a cluster as its groups. It tells of growth.
func (given cluster) provider(options config.AutoscalingOptions, grown func(string, int)) *testprovider.TestCloudProvider {
	made := testprovider.NewTestCloudProviderBuilder().WithOnScaleUp(func(group string, number int) error {
		grown(group, number)
		return nil
	}).Build()
	templates := map[string]*framework.NodeInfo{}
	for _, each := range given.pools {
		own := options.NodeGroupDefaults
		own.ScaleDownUtilizationThreshold = each.Threshold
		// A node that the first loop finds unneeded has been so for long enough.
		own.ScaleDownUnneededTime, own.ScaleDownUnreadyTime = -time.Second, -time.Second
		var nodes []*corev1.Node
		for _, node := range given.nodes {
			if node.Labels[given.label] == each.Name {
				nodes = append(nodes, node)
			}
		}
		made.AddNodeGroupWithCustomOptions(each.Name, each.Min, each.Max, len(nodes), &own)
		for _, node := range nodes {
			made.AddNode(each.Name, node)
		}
		templates[each.Name] = framework.NewNodeInfo(each.fresh(given.label), nil)
	}
	made.SetMachineTemplates(templates)
	made.SetResourceLimiter(autoscaling.NewResourceLimiterFromAutoscalingOptions(options))
	return made
}

// fresh is a new node of a pool.
func (each pool) fresh(label string) *corev1.Node {
	made := each.Template.DeepCopy()
	made.Name = "template-" + each.Name
	made.Labels = maps.Clone(made.Labels)
	if made.Labels == nil {
		made.Labels = map[string]string{}
	}
	made.Labels[label], made.Labels[corev1.LabelHostname] = each.Name, made.Name
	made.Status.Capacity = made.Status.Allocatable
	made.Status.Conditions = cloudprovider.BuildReadyConditions()
	return made
}
