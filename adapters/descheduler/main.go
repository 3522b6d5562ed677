// The descheduler's own code, asked line by line.
//
// It reads a cluster and a DeschedulerPolicy a line, runs one or more cycles of the descheduler on them, and writes a
// line: for each cycle the pods whose eviction it asked for, in order, and whether the eviction API allowed it.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"

	"k8s.io/klog/v2"
	"sigs.k8s.io/descheduler/metrics"
	"sigs.k8s.io/descheduler/pkg/descheduler"
)

// longest is the most bytes of a line.
const longest = 64 << 20

// A question is a cluster and a policy. `times` cycles are run, each on the cluster as it is given.
type question struct {
	ID      string            `json:"id"`
	Objects []json.RawMessage `json:"objects"`
	Policy  json.RawMessage   `json:"policy"`
	Times   int               `json:"times"`
}

// An eviction is one that the descheduler asked for.
type eviction struct {
	Pod     string `json:"pod"`
	Allowed bool   `json:"allowed"`
}

// An answer has the evictions of each cycle, or says why there was none.
type answer struct {
	ID     string       `json:"id"`
	Cycles [][]eviction `json:"cycles"`
	Error  string       `json:"error,omitempty"`
}

func main() {
	jobs := flag.Int("jobs", 16, "how many questions are answered at a time")
	flag.Parse()
	quiet()
	descheduler.SetupPlugins()
	metrics.Register()
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), longest)
	var writing sync.Mutex
	out := json.NewEncoder(os.Stdout)
	slots, all := make(chan struct{}, *jobs), sync.WaitGroup{}
	for lines.Scan() {
		text := append([]byte(nil), lines.Bytes()...)
		slots <- struct{}{}
		all.Add(1)
		go func() {
			defer func() { <-slots; all.Done() }()
			told := answered(text)
			writing.Lock()
			defer writing.Unlock()
			if err := out.Encode(told); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}()
	}
	all.Wait()
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// quiet keeps the log of the descheduler, errors included, off the standard error.
func quiet() {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	_ = flags.Set("logtostderr", "false")
	_ = flags.Set("stderrthreshold", "FATAL")
	klog.SetOutput(io.Discard)
}

// answered runs the cycles that a line asks for.
func answered(text []byte) answer {
	var asked question
	if err := json.Unmarshal(text, &asked); err != nil {
		return answer{Error: err.Error()}
	}
	told := answer{ID: asked.ID}
	for range max(asked.Times, 1) {
		cycle, err := run(asked)
		if err != nil {
			told.Error = err.Error()
			return told
		}
		told.Cycles = append(told.Cycles, cycle)
	}
	return told
}
