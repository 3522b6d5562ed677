package main

import (
	"fmt"
	"sort"
	"strings"

	kube "k8s.io/kube-scheduler/framework"
)

// A status is what a plugin says: its code, with the sorted reasons of a refusal.
type status struct {
	Plugin    string   `json:"plugin,omitempty"`
	Code      string   `json:"code"`
	Reasons   []string `json:"reasons,omitempty"`
	NodeNames []string `json:"nodeNames,omitempty"`
}

type preFilterAnswer struct {
	Result    status   `json:"result"`
	NodeNames []string `json:"nodeNames"`
	Skip      []string `json:"skip"`
	Plugins   []status `json:"plugins"`
}

type nodeAnswer struct {
	Feasible     bool             `json:"feasible"`
	First        status           `json:"first"`
	Source       string           `json:"source"`
	All          []status         `json:"all"`
	AllNominated []status         `json:"allNominated"`
	Raw          map[string]int64 `json:"raw,omitempty"`
	Norm         map[string]int64 `json:"norm,omitempty"`
	Weighted     map[string]int64 `json:"weighted,omitempty"`
	Total        *int64           `json:"total,omitempty"`
}

type decisionAnswer struct {
	Kind  string   `json:"kind"`
	Mode  string   `json:"mode"`
	Hosts []string `json:"hosts"`
}

type candidateAnswer struct {
	Node       string   `json:"node"`
	Victims    []string `json:"victims"`
	Violations int64    `json:"numPDBViolations"`
}

// A dryRunAnswer is what the plugin that preempts finds; there is none where the configuration has no such plugin.
type dryRunAnswer struct {
	Eligible       bool              `json:"eligible"`
	Reason         string            `json:"reason,omitempty"`
	PotentialNodes []string          `json:"potentialNodes"`
	Candidates     []candidateAnswer `json:"candidates"`
	NodeStatuses   map[string]status `json:"nodeStatuses"`
}

type preemptionAnswer struct {
	*dryRunAnswer
	Selected         []string            `json:"selected"`
	RealNominated    string              `json:"realNominated"`
	RealCode         string              `json:"realCode,omitempty"`
	RealMessage      string              `json:"realMessage,omitempty"`
	ClearNominations map[string][]string `json:"clearNominations,omitempty"`
}

type realAnswer struct {
	Host     string   `json:"host,omitempty"`
	Message  string   `json:"message,omitempty"`
	Messages []string `json:"messages,omitempty"`
}

// An answer is everything that the scheduler says of a pod, in the form of the recorded answers.
type answer struct {
	ID         string                 `json:"id"`
	Priority   int32                  `json:"priority"`
	Gated      *status                `json:"gated,omitempty"`
	PreFilter  preFilterAnswer        `json:"preFilter"`
	Nodes      map[string]*nodeAnswer `json:"nodes"`
	Feasible   []string               `json:"feasible"`
	SkipScore  []string               `json:"skipScore"`
	ScoreError string                 `json:"scoreError,omitempty"`
	Decision   decisionAnswer         `json:"decision"`
	Real       realAnswer             `json:"real"`
	Preemption *preemptionAnswer      `json:"preemption"`
	Version    string                 `json:"k8s"`
	SelfCheck  []string               `json:"selfCheck,omitempty"`

	unnominated bool
}

var success = status{Code: "Success"}

// said returns the recorded form of a status; its reasons are sorted, and those of a failed filter are its own words.
func said(from *kube.Status) status {
	if from.IsSuccess() {
		return success
	}
	reasons := append([]string{}, from.Reasons()...)
	for i := range reasons {
		reasons[i] = strings.TrimPrefix(reasons[i], fmt.Sprintf("running %q filter plugin: ", from.Plugin()))
	}
	sort.Strings(reasons)
	return status{Plugin: from.Plugin(), Code: from.Code().String(), Reasons: reasons}
}

func by(plugin string, from status) status {
	from.Plugin = plugin
	return from
}

func sorted(names []string) []string {
	found := append([]string{}, names...)
	sort.Strings(found)
	return found
}
