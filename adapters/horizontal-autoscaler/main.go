// The horizontal pod autoscaler's own controller, asked line by line.
//
// It reads a HorizontalPodAutoscaler, and the pods and readings of several synchronizations, a line; it runs the
// controller's synchronizations on a fake clock, and writes a line: the replicas after each of them.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	_ "unsafe" // for go:linkname

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// longest is the most bytes of a line.
const longest = 64 << 20

// A question is an autoscaler, the replicas of its workload at first, and what each synchronization finds.
type question struct {
	ID         string          `json:"id"`
	Autoscaler json.RawMessage `json:"autoscaler"`
	Replicas   int32           `json:"replicas"`
	Syncs      []found         `json:"syncs"`
}

// What a synchronization finds: the time since the clock began in seconds, pods, the replicas of the workload's status,
// the replicas that somebody has set before, and readings by the name of the metric.
type found struct {
	At       int64              `json:"at"`
	Pods     []json.RawMessage  `json:"pods"`
	Status   int32              `json:"status"`
	Set      *int32             `json:"set"`
	Readings map[string]reading `json:"readings"`
}

// A reading has a sample for each pod that has the metric, or the values of an object or of something external.
type reading struct {
	Pods   map[string]sample `json:"pods"`
	Values []int64           `json:"values"`
}

// A sample is the use of a pod in thousandths, the end of its window in seconds since the clock began, and the length of
// the window in seconds.
type sample struct {
	Value  int64 `json:"value"`
	Time   int64 `json:"time"`
	Window int64 `json:"window"`
}

// A told synchronization has the replicas after it, whether it set them, and why it failed, if it did.
type told struct {
	Replicas int32  `json:"replicas"`
	Scaled   bool   `json:"scaled"`
	Failed   string `json:"failed,omitempty"`
}

// An answer has what each synchronization told, or says why there was none.
type answer struct {
	ID    string `json:"id"`
	Syncs []told `json:"syncs"`
	Error string `json:"error,omitempty"`
}

// bubble runs a function with a fake clock. The standard library offers it to tests alone, so that the program is linked
// with -checklinkname=0.
//
//go:linkname bubble internal/synctest.Run
func bubble(function func())

func main() {
	flag.Parse()
	quiet()
	lines, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	lines.Buffer(make([]byte, 1<<20), longest)
	for lines.Scan() {
		var asked question
		var made answer
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			made.Error = err.Error()
		} else {
			bubble(func() { made = answered(asked) })
		}
		if err := out.Encode(made); err != nil {
			ended(err)
		}
	}
	if err := lines.Err(); err != nil {
		ended(err)
	}
}

func ended(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// quiet keeps the log of the controller, errors included, off the standard error.
func quiet() {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	_ = flags.Set("logtostderr", "false")
	_ = flags.Set("stderrthreshold", "FATAL")
	klog.SetOutput(io.Discard)
	// The handlers sleep by the time of the last error, which may be that of another clock.
	utilruntime.ErrorHandlers = nil
}
