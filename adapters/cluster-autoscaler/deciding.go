package main

import (
	"fmt"
	"math/rand"
	"reflect"
	"sort"
	"strings"
	"time"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	clusterstate "k8s.io/autoscaler/cluster-autoscaler/clusterstate/utils"
	"k8s.io/autoscaler/cluster-autoscaler/config"
	"k8s.io/autoscaler/cluster-autoscaler/config/flags"
	autoscaling "k8s.io/autoscaler/cluster-autoscaler/context"
	"k8s.io/autoscaler/cluster-autoscaler/core"
	"k8s.io/autoscaler/cluster-autoscaler/core/podlistprocessor"
	"k8s.io/autoscaler/cluster-autoscaler/core/scaledown"
	"k8s.io/autoscaler/cluster-autoscaler/core/scaledown/budgets"
	"k8s.io/autoscaler/cluster-autoscaler/core/scaledown/deletiontracker"
	"k8s.io/autoscaler/cluster-autoscaler/core/scaledown/status"
	"k8s.io/autoscaler/cluster-autoscaler/debuggingsnapshot"
	"k8s.io/autoscaler/cluster-autoscaler/expander"
	"k8s.io/autoscaler/cluster-autoscaler/processors"
	"k8s.io/autoscaler/cluster-autoscaler/processors/nodeinfosprovider"
	"k8s.io/autoscaler/cluster-autoscaler/processors/nodes"
	"k8s.io/autoscaler/cluster-autoscaler/processors/scaledowncandidates"
	"k8s.io/autoscaler/cluster-autoscaler/processors/scaledowncandidates/emptycandidates"
	"k8s.io/autoscaler/cluster-autoscaler/processors/scaledowncandidates/previouscandidates"
	"k8s.io/autoscaler/cluster-autoscaler/simulator"
	"k8s.io/autoscaler/cluster-autoscaler/simulator/clustersnapshot"
	"k8s.io/autoscaler/cluster-autoscaler/simulator/clustersnapshot/predicate"
	"k8s.io/autoscaler/cluster-autoscaler/simulator/clustersnapshot/store"
	"k8s.io/autoscaler/cluster-autoscaler/simulator/drainability/rules"
	"k8s.io/autoscaler/cluster-autoscaler/simulator/framework"
	"k8s.io/autoscaler/cluster-autoscaler/simulator/options"
	"k8s.io/autoscaler/cluster-autoscaler/simulator/scheduling"
	"k8s.io/autoscaler/cluster-autoscaler/utils/errors"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"
)

// configured are the defaults of the flags, without writes, and with any number of unready nodes.
func configured() config.AutoscalingOptions {
	made := flags.AutoscalingOptions()
	made.OkTotalUnreadyCount = 1000
	made.MaxBulkSoftTaintCount = 0
	made.WriteStatusConfigMap = false
	return made
}

// decided is what a loop decides: StaticAutoscaler.RunOnce, with the processors of main.go, buildAutoscaler.
//
// Up to two loops come before it, on the same cluster and without effect, of which the autoscaler remembers nodes that it found
// unremovable or unneeded, and places of pods.
func decided(given cluster, chance *rand.Rand, client kubernetes.Interface, handle *framework.Handle) (decision, error) {
	settings, seen := configured(), &recorder{}
	cloud := given.provider(settings, func(group string, number int) { seen.grown = append(seen.grown, fmt.Sprint(group, number)) })
	listers, err := given.listers()
	if err != nil {
		return decision{}, err
	}
	events := &record.FakeRecorder{}
	log, err := clusterstate.NewStatusMapRecorder(client, "kube-system", events, false, "")
	if err != nil {
		return decision{}, err
	}
	snapshot := predicate.NewPredicateSnapshot(store.NewDeltaSnapshotStore(1), handle, settings.DynamicResourceAllocationEnabled)
	rule := options.NewNodeDeleteOptions(settings)
	opts := core.AutoscalerOptions{
		AutoscalingOptions:   settings,
		KubeClient:           client,
		CloudProvider:        cloud,
		FrameworkHandle:      handle,
		ClusterSnapshot:      snapshot,
		ExpanderStrategy:     &choosing{seen: seen, chance: chance},
		Processors:           processing(settings, snapshot, rule, chance),
		DebuggingSnapshotter: debuggingsnapshot.NewDebuggingSnapshotter(false),
		DeleteOptions:        rule,
		DrainabilityRules:    rules.Default(rule),
		AutoscalingKubeClients: &autoscaling.AutoscalingKubeClients{
			ListerRegistry: listers, ClientSet: client, Recorder: events, LogRecorder: log,
		},
	}
	made, failed := core.NewAutoscaler(opts, nil)
	if failed != nil {
		return decision{}, failed
	}
	seen.laid(made.(*core.StaticAutoscaler), given, chance)
	for before := max(chance.Intn(4)-1, 0); ; before-- {
		seen.last = before == 0
		if failed := made.RunOnce(time.Now()); failed != nil {
			return decision{}, failed
		}
		if seen.last {
			return seen.decision()
		}
		given.reorder(chance)
	}
}

// processing are the processors of an autoscaler with default flags. Often some nodes are no candidates for removal, as if they
// had been found unremovable shortly before.
func processing(
	settings config.AutoscalingOptions, snapshot clustersnapshot.ClusterSnapshot, rule options.NodeDeleteOptions, chance *rand.Rand,
) *processors.AutoscalingProcessors {
	made := processors.DefaultProcessors(settings)
	made.TemplateNodeInfoProvider = nodeinfosprovider.NewDefaultTemplateNodeInfoProvider(&settings.NodeInfoCacheExpireTime, settings.ForceDaemonSets)
	made.PodListProcessor = podlistprocessor.NewDefaultPodListProcessor(scheduling.ScheduleAnywhere)
	previous := previouscandidates.NewPreviousCandidates()
	made.ScaleDownCandidatesNotifier.Register(previous)
	candidates := scaledowncandidates.NewCombinedScaleDownCandidatesProcessor()
	candidates.Register(scaledowncandidates.NewScaleDownCandidatesSortingProcessor([]scaledowncandidates.CandidatesComparer{
		emptycandidates.NewEmptySortingProcessor(emptycandidates.NewNodeInfoGetter(snapshot), rule, rules.Default(rule)), previous,
	}))
	made.ScaleDownNodeProcessor = candidates
	if often := chance.Intn(3); often > 0 {
		made.ScaleDownNodeProcessor = skipping{candidates, chance, often}
	}
	if chance.Intn(4) == 0 {
		made.ScaleDownSetProcessor = waiting{made.ScaleDownSetProcessor, chance}
	}
	return made
}

// waiting leaves out some nodes that were found removable, as if they had not been unneeded for long enough.
type waiting struct {
	nodes.ScaleDownSetProcessor
	chance *rand.Rand
}

func (given waiting) FilterUnremovableNodes(
	ctx *autoscaling.AutoscalingContext, scaleDown *nodes.ScaleDownContext, found []simulator.NodeToBeRemoved,
) ([]simulator.NodeToBeRemoved, []simulator.UnremovableNode) {
	var kept []simulator.NodeToBeRemoved
	for _, each := range found {
		if given.chance.Intn(2) == 0 {
			kept = append(kept, each)
		}
	}
	return given.ScaleDownSetProcessor.FilterUnremovableNodes(ctx, scaleDown, kept)
}

// skipping leaves out a quarter or half of the candidates for removal.
type skipping struct {
	nodes.ScaleDownNodeProcessor
	chance *rand.Rand
	often  int
}

func (given skipping) GetScaleDownCandidates(ctx *autoscaling.AutoscalingContext, all []*corev1.Node) ([]*corev1.Node, errors.AutoscalerError) {
	found, err := given.ScaleDownNodeProcessor.GetScaleDownCandidates(ctx, all)
	kept := []*corev1.Node{}
	for _, node := range found {
		if given.chance.Intn(4) >= given.often {
			kept = append(kept, node)
		}
	}
	return kept, err
}

// choosing notes all options of growth, and takes any in the last loop, like the expander random.
type choosing struct {
	seen   *recorder
	chance *rand.Rand
}

func (given *choosing) BestOption(found []expander.Option, _ map[string]*framework.NodeInfo) *expander.Option {
	if !given.seen.last {
		return nil
	}
	given.seen.up = map[string]int{}
	for _, each := range found {
		given.seen.up[each.NodeGroup.Id()] = each.NodeCount
	}
	chosen := found[given.chance.Intn(len(found))]
	given.seen.chosen = fmt.Sprint(chosen.NodeGroup.Id(), chosen.NodeCount)
	return &chosen
}

// A recorder notes what the last loop decides. As an actuator it begins no deletion, but notes what the budgets of the real one leave:
// core/scaledown/actuation/actuator.go, startDeletion.
type recorder struct {
	scaledown.Actuator
	last   bool
	up     map[string]int
	chosen string
	grown  []string
	down   []string
	begun  *deletiontracker.NodeDeletionTracker
	limits *budgets.ScaleDownBudgetProcessor
}

// laid puts the recorder into an autoscaler. Deletions that are under way are noted, and the taints of an earlier process stay.
// A node without pods may have been drained.
func (seen *recorder) laid(into *core.StaticAutoscaler, given cluster, chance *rand.Rand) {
	seen.Actuator, seen.limits = into.ScaleDownActuator, budgets.NewScaleDownBudgetProcessor(into.AutoscalingContext)
	seen.begun = deletiontracker.NewNodeDeletionTracker(0)
	group := map[string]string{}
	for _, node := range given.nodes {
		group[node.Name] = node.Labels[given.label]
	}
	for _, name := range given.draining {
		seen.begun.StartDeletionWithDrain(group[name], name)
	}
	for _, name := range given.deleting {
		if chance.Intn(4) == 0 {
			seen.begun.StartDeletionWithDrain(group[name], name)
		} else {
			seen.begun.StartDeletion(group[name], name)
		}
	}
	into.ScaleDownActuator = seen
	*hidden[scaledown.Actuator](into, "scaleDownActuator") = seen
	*hidden[bool](into, "initialized") = true
}

// hidden is a field of an autoscaler that only its package may set.
func hidden[T any](of *core.StaticAutoscaler, name string) *T {
	return (*T)(unsafe.Pointer(reflect.ValueOf(of).Elem().FieldByName(name).UnsafeAddr()))
}

// CheckStatus has the deletions that are under way.
func (seen *recorder) CheckStatus() scaledown.ActuationStatus { return seen.begun.Snapshot() }

// StartDeletion notes the nodes whose deletion would begin.
func (seen *recorder) StartDeletion(empty, drain []*corev1.Node) (status.ScaleDownResult, []*status.ScaleDownNode, errors.AutoscalerError) {
	if !seen.last {
		return status.ScaleDownNoNodeDeleted, nil, nil
	}
	emptied, drained := seen.limits.CropNodes(seen.begun, empty, drain)
	for _, views := range [][]*budgets.NodeGroupView{emptied, drained} {
		for _, view := range views {
			for _, node := range view.Nodes {
				seen.down = append(seen.down, node.Name)
			}
		}
	}
	return status.ScaleDownNoNodeDeleted, nil, nil
}

// decision is what was noted. The growth of the chosen pool must be what was estimated, and nothing be removed then.
func (seen *recorder) decision() (decision, error) {
	if len(seen.up) == 0 {
		down := append([]string{}, seen.down...)
		sort.Strings(down)
		return decision{Down: down}, nil
	}
	if told := strings.Join(seen.grown, ","); told != seen.chosen || len(seen.down) > 0 {
		return decision{}, fmt.Errorf("%s was chosen, %s grown, %v removed", seen.chosen, told, seen.down)
	}
	return decision{Up: seen.up}, nil
}
