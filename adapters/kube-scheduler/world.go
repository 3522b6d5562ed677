package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"unsafe"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	kubetesting "k8s.io/client-go/testing"
	"k8s.io/component-base/featuregate"
	"k8s.io/klog/v2"
	kube "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	configuration "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// kept is how many schedulers are kept for configurations that return.
const kept = 8

// everyCandidate says that preemption tries every node, whatever the configuration says.
var everyCandidate = true

const defaults = `{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}`

// A world is a real scheduler of one configuration, with informers that are filled by hand.
type world struct {
	ctx     context.Context
	end     context.CancelFunc
	real    *scheduler.Scheduler
	factory informers.SharedInformerFactory
	byKind  map[reflect.Type]*filled
	there   []runtime.Object
}

// worlds are the schedulers that are kept, by feature gates and configuration, the latest last.
type worlds struct {
	byKey map[string]*world
	order []string
	gates map[featuregate.Feature]bool
}

// of returns the scheduler for the configuration and the feature gates of the question.
func (all *worlds) of(asked *question) (*world, error) {
	if err := all.switched(asked.FeatureGates); err != nil {
		return nil, err
	}
	key := keyOf(asked)
	if found, known := all.byKey[key]; known {
		return found, nil
	}
	made, err := built(asked.Configuration)
	if err != nil {
		return nil, err
	}
	if len(all.order) == kept {
		all.byKey[all.order[0]].end()
		delete(all.byKey, all.order[0])
		all.order = all.order[1:]
	}
	all.byKey[key], all.order = made, append(all.order, key)
	return made, nil
}

func keyOf(asked *question) string {
	var on []string
	for name, value := range asked.FeatureGates {
		on = append(on, fmt.Sprintf("%s=%v", name, value))
	}
	sort.Strings(on)
	return strings.Join(on, ",") + " " + string(asked.Configuration)
}

// switched sets the feature gates of a question, and those of the question before to their defaults.
func (all *worlds) switched(gates map[string]bool) error {
	before := utilfeature.DefaultMutableFeatureGate
	back := map[string]bool{}
	for name, value := range all.gates {
		if _, again := gates[string(name)]; !again {
			back[string(name)] = value
		}
	}
	for name := range gates {
		feature := featuregate.Feature(name)
		if _, known := before.GetAll()[feature]; !known {
			return fmt.Errorf("this version has no feature gate %s", name)
		}
		if _, noted := all.gates[feature]; !noted {
			all.gates[feature] = before.Enabled(feature)
		}
		back[name] = gates[name]
	}
	return before.SetFromMap(back)
}

// configured returns a configuration with its defaults, with which every node and every candidate is looked at.
func configured(text json.RawMessage) (*config.KubeSchedulerConfiguration, error) {
	if len(text) == 0 || string(text) == "null" {
		text = json.RawMessage(defaults)
	}
	read, _, err := configuration.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	found, fits := read.(*config.KubeSchedulerConfiguration)
	if !fits {
		return nil, errors.New("this is no KubeSchedulerConfiguration")
	}
	if err := validation.ValidateKubeSchedulerConfiguration(found); err != nil {
		return nil, err
	}
	if len(found.Extenders) > 0 {
		return nil, errors.New("extenders are not asked")
	}
	every := int32(100)
	for i := range found.Profiles {
		found.Profiles[i].PercentageOfNodesToScore = &every
		for _, each := range found.Profiles[i].PluginConfig {
			if args, fits := each.Args.(*config.DefaultPreemptionArgs); fits && everyCandidate {
				args.MinCandidateNodesPercentage = every
			}
		}
	}
	return found, nil
}

func built(text json.RawMessage) (*world, error) {
	return builtWith(text, func(*fake.Clientset) {})
}

// builtWith returns a scheduler whose client has more reactions.
func builtWith(text json.RawMessage, more func(*fake.Clientset)) (*world, error) {
	with, err := configured(text)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	ctx, end := context.WithCancel(klog.NewContext(context.Background(), klog.Background()))
	client := fake.NewClientset()
	client.PrependReactor("*", "*", func(kubetesting.Action) (bool, runtime.Object, error) { return true, &core.Pod{}, nil })
	more(client)
	factory, byKind := informed(client)
	real, err := scheduler.New(ctx, client, factory, nil, recorders(),
		scheduler.WithProfiles(with.Profiles...), scheduler.WithParallelism(int32(parallelism)))
	if err != nil {
		end()
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return &world{ctx: ctx, end: end, real: real, factory: factory, byKind: byKind}, nil
}

// filled puts the objects into the informers; whoever calls it empties the world again.
func (in *world) fill(objects []runtime.Object) error {
	for _, each := range objects {
		informer, watched := in.byKind[reflect.TypeOf(each)]
		if !watched {
			continue
		}
		if err := informer.put(each); err != nil {
			return err
		}
		in.there = append(in.there, each)
	}
	return nil
}

func (in *world) empty() {
	for i := len(in.there) - 1; i >= 0; i-- {
		in.byKind[reflect.TypeOf(in.there[i])].drop(in.there[i])
	}
	in.there = nil
}

// snapshot brings the scheduler's snapshot up to date, as at the beginning of a cycle.
func (in *world) snapshot(with framework.Framework) (*cache.Snapshot, []kube.NodeInfo, error) {
	snapshot, fits := with.SnapshotSharedLister().(*cache.Snapshot)
	if !fits {
		return nil, nil, errors.New("the snapshot is of another type")
	}
	if err := in.real.Cache.UpdateSnapshot(klog.FromContext(in.ctx), snapshot); err != nil {
		return nil, nil, err
	}
	nodes, err := snapshot.NodeInfos().List()
	return snapshot, nodes, err
}

// plugins returns the plugins of an extension point in order, from the unexported field of that name.
func plugins[Plugin any](with framework.Framework, point string) []Plugin {
	field := reflect.ValueOf(with).Elem().FieldByName(point)
	if !field.IsValid() {
		panic("the framework has no field " + point)
	}
	open := reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
	found := make([]Plugin, 0, open.Len())
	for i := range open.Len() {
		each, fits := open.Index(i).Interface().(Plugin)
		if fits {
			found = append(found, each)
		}
	}
	return found
}
