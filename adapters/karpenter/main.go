// Karpenter's own code, asked line by line.
//
// It reads a cluster, NodePools and a catalogue of instance types a line, runs the provisioner and the disruption methods
// on them one or more times, and writes a line: for each run the nodes that the provisioner would create, where it counts
// on existing ones, and the nodes that would be disrupted next.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sync"

	corev1 "k8s.io/api/core/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// longest is the most bytes of a line.
const longest = 64 << 20

// A question is a cluster with its NodePools and the catalogue of the provider. `times` runs are made of it.
type question struct {
	ID        string            `json:"id"`
	Objects   []json.RawMessage `json:"objects"`
	Pools     []*v1.NodePool    `json:"pools"`
	Catalogue []instanceType    `json:"catalogue"`
	Times     int               `json:"times"`
}

// An instanceType is an entry of the catalogue.
type instanceType struct {
	Name        string              `json:"name"`
	Labels      map[string]string   `json:"labels"`
	Allocatable corev1.ResourceList `json:"allocatable"`
	Capacity    corev1.ResourceList `json:"capacity"`
	Offerings   []offering          `json:"offerings"`
}

// An offering is a zone and a capacity type in which an instance type is offered.
type offering struct {
	Zone         string  `json:"zone"`
	CapacityType string  `json:"capacityType"`
	Price        float64 `json:"price"`
	Available    *bool   `json:"available"`
}

// A claim is a node that would be created. A list is null if any value is allowed.
type claim struct {
	Pool          string   `json:"pool"`
	Types         []string `json:"types"`
	Zones         []string `json:"zones"`
	CapacityTypes []string `json:"capacityTypes"`
	Pods          []string `json:"pods"`
}

// A command is a set of nodes to be disrupted, with the node that replaces them, if any.
type command struct {
	Reason      string   `json:"reason"`
	Nodes       []string `json:"nodes"`
	Replacement *claim   `json:"replacement"`
}

// A run is what the provisioner and the disruption methods decide.
type run struct {
	Claims  []claim             `json:"claims"`
	Placed  map[string][]string `json:"placed"`
	Failed  []string            `json:"failed"`
	Command *command            `json:"command"`
}

// An answer has the runs, or says why there was none.
type answer struct {
	ID     string `json:"id"`
	Cycles []run  `json:"cycles"`
	Error  string `json:"error,omitempty"`
}

func main() {
	jobs := flag.Int("jobs", 2, "how many questions are answered at a time")
	flag.Parse()
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

// answered makes the runs that a line asks for.
func answered(text []byte) answer {
	var asked question
	if err := json.Unmarshal(text, &asked); err != nil {
		return answer{Error: err.Error()}
	}
	told := answer{ID: asked.ID}
	for range max(asked.Times, 1) {
		made, err := decided(asked)
		if err != nil {
			told.Error = err.Error()
			return told
		}
		told.Cycles = append(told.Cycles, made)
	}
	return told
}
