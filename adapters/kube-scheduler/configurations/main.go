// Reads configurations of kube-scheduler, one of KubeSchedulerConfiguration as JSON a line, and writes for each what a
// scheduler of this version works with: its numbers, and for each profile the plugins at each extension point with
// weights and the arguments with their defaults. Or it says why kube-scheduler would not start.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	kubeprofile "k8s.io/kubernetes/pkg/scheduler/profile"
)

// A profile is what a scheduler profile comes to.
type profile struct {
	Name       string                     `json:"schedulerName"`
	Percentage *int32                     `json:"percentageOfNodesToScore"`
	Points     *config.Plugins            `json:"points"`
	Arguments  map[string]json.RawMessage `json:"arguments"`
}

// An answer is what a configuration comes to.
type answer struct {
	Error       string    `json:"error,omitempty"`
	Parallelism int32     `json:"parallelism,omitempty"`
	Percentage  *int32    `json:"percentageOfNodesToScore,omitempty"`
	Initial     int64     `json:"podInitialBackoffSeconds,omitempty"`
	Most        int64     `json:"podMaxBackoffSeconds,omitempty"`
	Profiles    []profile `json:"profiles,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		found, err := answered(lines.Bytes())
		if err != nil {
			found = answer{Error: err.Error()}
		}
		line, err := json.Marshal(found)
		must(err)
		fmt.Println(string(line))
	}
	must(lines.Err())
}

// answered returns what kube-scheduler makes of the configuration.
func answered(text []byte) (answer, error) {
	read, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return answer{}, err
	}
	found, fits := read.(*config.KubeSchedulerConfiguration)
	if !fits {
		return answer{}, fmt.Errorf("this is no KubeSchedulerConfiguration")
	}
	if err := validation.ValidateKubeSchedulerConfiguration(found); err != nil {
		return answer{}, err
	}
	made := answer{
		Parallelism: found.Parallelism,
		Percentage:  found.PercentageOfNodesToScore,
		Initial:     found.PodInitialBackoffSeconds,
		Most:        found.PodMaxBackoffSeconds,
	}
	ctx, end := context.WithCancel(context.Background())
	defer end()
	client := fake.NewClientset()
	built, err := scheduler.New(ctx, client, informers.NewSharedInformerFactory(client, 0), nil, recorders(),
		scheduler.WithProfiles(found.Profiles...), scheduler.WithParallelism(found.Parallelism))
	if err != nil {
		return answer{}, err
	}
	for place := range found.Profiles {
		each, err := expanded(&found.Profiles[place], built)
		if err != nil {
			return answer{}, err
		}
		made.Profiles = append(made.Profiles, each)
	}
	return made, nil
}

// recorders returns what makes recorders of events, whose type is not the same in all versions.
func recorders() kubeprofile.RecorderFactory {
	wanted := reflect.TypeOf(kubeprofile.RecorderFactory(nil))
	made := reflect.MakeFunc(wanted, func([]reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(&events.FakeRecorder{}).Convert(wanted.Out(0))}
	})
	return made.Interface().(kubeprofile.RecorderFactory)
}

// expanded returns the profile with the plugins that the scheduler has at each extension point.
func expanded(given *config.KubeSchedulerProfile, built *scheduler.Scheduler) (profile, error) {
	arguments := map[string]json.RawMessage{}
	for _, each := range given.PluginConfig {
		text, err := json.Marshal(each.Args)
		if err != nil {
			return profile{}, err
		}
		arguments[each.Name] = text
	}
	with := built.Profiles[given.SchedulerName]
	return profile{given.SchedulerName, with.PercentageOfNodesToScore(), with.ListPlugins(), arguments}, nil
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
