// Prints the feature gates of kube-scheduler as one line of JSON. Then reads values of the flag --feature-gates, a JSON list
// a line, and writes for each which gates no longer have their default, or why kube-scheduler would not start.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	basecompatibility "k8s.io/component-base/compatibility"
	"k8s.io/component-base/featuregate"
	logsapi "k8s.io/component-base/logs/api/v1"
	metricsfeatures "k8s.io/component-base/metrics/features"
	_ "k8s.io/kubernetes/pkg/features"
)

// A gate is what GetAll says of one.
type gate struct {
	Default bool                  `json:"default"`
	Locked  bool                  `json:"locked"`
	Stage   string                `json:"stage"`
	Needs   []featuregate.Feature `json:"needs,omitempty"`
}

// An answer is what a value of the flag comes to.
type answer struct {
	Changed map[featuregate.Feature]bool `json:"changed,omitempty"`
	Error   string                       `json:"error,omitempty"`
}

// dependent is a feature gate with dependencies, since 1.35.
type dependent interface {
	Dependencies() map[featuregate.Feature][]featuregate.Feature
}

func main() {
	must(logsapi.AddFeatureGates(utilfeature.DefaultMutableFeatureGate))
	must(metricsfeatures.AddFeatureGates(utilfeature.DefaultMutableFeatureGate))
	fresh, _ := registered()
	known := map[featuregate.Feature]gate{}
	for name, spec := range fresh.GetAll() {
		known[name] = gate{Default: spec.Default, Locked: spec.LockToDefault, Stage: string(spec.PreRelease)}
	}
	if with, ok := any(fresh).(dependent); ok {
		for name, needs := range with.Dependencies() {
			if each, ok := known[name]; ok {
				each.Needs = needs
				known[name] = each
			}
		}
	}
	write(known)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var values []string
		must(json.Unmarshal(lines.Bytes(), &values))
		write(answered(known, values))
	}
	must(lines.Err())
}

// registered returns the feature gates as cmd/kube-scheduler/app registers them, and the registry of their flag.
func registered() (featuregate.MutableVersionedFeatureGate, basecompatibility.ComponentGlobalsRegistry) {
	gates := utilfeature.DefaultMutableFeatureGate.DeepCopy() // DeepCopyAndReset would drop the dependencies
	registry := basecompatibility.NewComponentGlobalsRegistry()
	must(registry.Register(basecompatibility.DefaultKubeComponent, compatibility.DefaultBuildEffectiveVersion(), gates))
	return gates, registry
}

// answered returns what kube-scheduler makes of the values of the flag, in their order.
func answered(known map[featuregate.Feature]gate, values []string) answer {
	gates, registry := registered()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	registry.AddFlags(flags)
	var arguments []string
	for _, each := range values {
		arguments = append(arguments, "--feature-gates="+each)
	}
	if err := flags.Parse(arguments); err != nil {
		return answer{Error: err.Error()}
	}
	if err := registry.Set(); err != nil {
		return answer{Error: err.Error()}
	}
	if errs := registry.Validate(); len(errs) > 0 {
		return answer{Error: fmt.Sprint(errs)}
	}
	changed := map[featuregate.Feature]bool{}
	for name, each := range known {
		if on := gates.Enabled(name); on != each.Default {
			changed[name] = on
		}
	}
	return answer{Changed: changed}
}

func write(value any) {
	line, err := json.Marshal(value)
	must(err)
	fmt.Println(string(line))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
