// The cluster autoscaler's own code, asked line by line.
//
// It reads a cluster and its node pools a line, runs the loop of the autoscaler on them many times, each time with lists in
// another order, and writes a line: the different decisions that it saw. A decision is the growth that was offered, pool by
// pool, or the nodes whose deletion would begin.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand"
	"os"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/autoscaler/cluster-autoscaler/simulator/framework"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
)

// longest is the most bytes of a line.
const longest = 64 << 20

// A question is a cluster with its pools, and the names of nodes whose deletion has begun: with pods to be evicted, and without.
type question struct {
	ID       string            `json:"id"`
	Objects  []json.RawMessage `json:"objects"`
	Pools    document          `json:"pools"`
	Draining []string          `json:"draining"`
	Deleting []string          `json:"deleting"`
	Times    int               `json:"times"`
	Seed     int64             `json:"seed"`
}

// A document lists node pools; docs/node-pools.md describes it.
type document struct {
	Label string `json:"label"`
	Pools []pool `json:"pools"`
}

// A pool is a node pool.
type pool struct {
	Name      string      `json:"name"`
	Min       int         `json:"min"`
	Max       int         `json:"max"`
	Threshold float64     `json:"scaleDownUtilizationThreshold"`
	Template  corev1.Node `json:"template"`
}

// A decision is what one loop decides: by how many nodes each pool may grow, or the nodes whose deletion begins, maybe none.
type decision struct {
	Up   map[string]int
	Down []string
}

// MarshalJSON has the growth, or else the nodes.
func (made decision) MarshalJSON() ([]byte, error) {
	if len(made.Up) > 0 {
		return json.Marshal(map[string]any{"up": made.Up})
	}
	return json.Marshal(map[string]any{"down": made.Down})
}

// An answer has the different decisions, or says why there are none.
type answer struct {
	ID        string            `json:"id"`
	Decisions []json.RawMessage `json:"decisions"`
	Error     string            `json:"error,omitempty"`
}

func main() {
	jobs := flag.Int("jobs", 2, "how many questions are answered at a time")
	verbose := flag.Bool("log", false, "print what the autoscaler logs")
	flag.Parse()
	if !*verbose {
		klog.LogToStderr(false)
		klog.SetOutput(io.Discard)
	}
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

// answered runs the loops that a line asks for, and collects their decisions in the order in which they were first seen.
func answered(text []byte) answer {
	var asked question
	if err := json.Unmarshal(text, &asked); err != nil {
		return answer{Error: err.Error()}
	}
	told, seen := answer{ID: asked.ID, Decisions: []json.RawMessage{}}, map[string]bool{}
	given, err := read(asked)
	if err != nil {
		return answer{ID: asked.ID, Error: err.Error()}
	}
	client := fake.NewSimpleClientset()
	handle, err := framework.NewHandle(informers.NewSharedInformerFactory(client, 0), nil, configured().DynamicResourceAllocationEnabled)
	if err != nil {
		return answer{ID: asked.ID, Error: err.Error()}
	}
	named := fnv.New64a()
	named.Write([]byte(asked.ID))
	chance := rand.New(rand.NewSource(asked.Seed + int64(named.Sum64())))
	for range max(asked.Times, 1) {
		made, err := decided(given.shuffled(chance), chance, client, handle)
		if err != nil {
			return answer{ID: asked.ID, Error: err.Error()}
		}
		text, err := json.Marshal(made)
		if err != nil {
			return answer{ID: asked.ID, Error: err.Error()}
		}
		if !seen[string(text)] {
			seen[string(text)] = true
			told.Decisions = append(told.Decisions, text)
		}
	}
	return told
}
