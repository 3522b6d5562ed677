package main

import (
	"context"
	"sort"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/dynamicresources/deviceallocation"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/state/virtualpods"
)

// configured is a context with the default options.
func configured() context.Context {
	ctx := log.IntoContext(context.Background(), logr.Discard())
	return options.ToContext(ctx, &options.Options{
		CPURequests:       1000,
		BatchMaxDuration:  10 * time.Second,
		BatchIdleDuration: time.Second,
		PreferencePolicy:  options.PreferencePolicyRespect,
		MinValuesPolicy:   options.MinValuesPolicyStrict,
		IgnoreDRARequests: true,
		FeatureGates:      options.DefaultFeatureGates(),
	})
}

// decided is what the provisioner decides, and then the first disruption method that finds something to do.
func decided(asked question) (run, error) {
	ctx := configured()
	made, err := built(ctx, asked)
	if err != nil {
		return run{}, err
	}
	provisioner := provisioning.NewProvisioner(made.client, silent{}, made.provider, made.cluster, hasty{},
		deviceallocation.NewController(made.client), virtualpods.NewVirtualPodCache(made.client))
	results, err := provisioner.Schedule(ctx)
	if err != nil {
		return run{}, err
	}
	told := run{Claims: []claim{}, Placed: map[string][]string{}, Failed: []string{}}
	for _, each := range results.NewNodeClaims {
		told.Claims = append(told.Claims, claimed(each))
	}
	for _, each := range results.ExistingNodes {
		if len(each.Pods) > 0 {
			told.Placed[each.Name()] = named(each.Pods)
		}
	}
	for pod := range results.PodErrors {
		told.Failed = append(told.Failed, key(pod))
	}
	sort.Strings(told.Failed)
	told.Command, err = disrupted(ctx, made, provisioner)
	return told, err
}

// disrupted is what the disruption controller would start, method by method, as its Reconcile asks them.
func disrupted(ctx context.Context, made world, provisioner *provisioning.Provisioner) (*command, error) {
	queue := disruption.NewQueue(made.client, silent{}, made.cluster, hasty{}, provisioner)
	shared := disruption.MakeConsolidation(hasty{}, made.cluster, made.client, provisioner, made.provider, silent{}, queue)
	for _, method := range []disruption.Method{
		disruption.NewEmptiness(shared), disruption.NewMultiNodeConsolidation(shared), disruption.NewSingleNodeConsolidation(shared),
	} {
		candidates, err := disruption.GetCandidates(ctx, made.cluster, made.client, silent{}, hasty{}, made.provider, method.ShouldDisrupt, method.Class(), queue)
		if err != nil {
			return nil, err
		}
		if len(candidates) == 0 {
			continue
		}
		budgets, err := disruption.BuildDisruptionBudgetMapping(ctx, made.cluster, hasty{}, made.client, made.provider, silent{}, method.Reason())
		if err != nil {
			return nil, err
		}
		commands, err := method.ComputeCommands(ctx, budgets, candidates...)
		if err != nil {
			return nil, err
		}
		for _, each := range commands {
			if each.Decision() == disruption.NoOpDecision {
				continue
			}
			told := &command{Reason: string(method.Reason()), Nodes: each.SourceNodeNames()}
			sort.Strings(told.Nodes)
			if len(each.Replacements) > 0 {
				replacement := claimed(each.Replacements[0].NodeClaim)
				told.Replacement = &replacement
			}
			return told, nil
		}
	}
	return nil, nil
}

// claimed is a node that would be created.
func claimed(each *scheduling.NodeClaim) claim {
	told := claim{Pool: each.NodePoolName, Types: []string{}, Pods: named(each.Pods)}
	for _, one := range each.InstanceTypeOptions {
		told.Types = append(told.Types, one.Name)
	}
	sort.Strings(told.Types)
	told.Zones = values(each, corev1.LabelTopologyZone)
	told.CapacityTypes = values(each, v1.CapacityTypeLabelKey)
	return told
}

// values are the values that a label of a node may have; nil if they are not listed.
func values(each *scheduling.NodeClaim, key string) []string {
	requirement := each.Requirements.Get(key)
	if requirement.Operator() != corev1.NodeSelectorOpIn {
		return nil
	}
	found := requirement.Values()
	sort.Strings(found)
	return found
}

// named are the names of pods, sorted.
func named(pods []*corev1.Pod) []string {
	names := []string{}
	for _, pod := range pods {
		names = append(names, key(pod))
	}
	sort.Strings(names)
	return names
}

func key(pod *corev1.Pod) string {
	return client.ObjectKeyFromObject(pod).String()
}
