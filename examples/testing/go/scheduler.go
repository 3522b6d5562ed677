// Package scheduler binds a pod to the first node that has room for it and whose taints it tolerates.
package scheduler

import (
	"strconv"
	"strings"
)

// Object is a Node or a Pod, with the fields that this scheduler reads.
type Object struct {
	Kind     string   `json:"kind"`
	Metadata Metadata `json:"metadata"`
	Spec     Spec     `json:"spec"`
	Status   Status   `json:"status"`
}

type Metadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
	UID       string `json:"uid"`
}

type Spec struct {
	NodeName      string       `json:"nodeName,omitempty"`
	Unschedulable bool         `json:"unschedulable,omitempty"`
	Taints        []Taint      `json:"taints,omitempty"`
	Tolerations   []Toleration `json:"tolerations,omitempty"`
	Containers    []Container  `json:"containers,omitempty"`
}

type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Effect string `json:"effect"`
}

type Toleration struct {
	Key      string `json:"key,omitempty"`
	Operator string `json:"operator,omitempty"`
	Value    string `json:"value,omitempty"`
	Effect   string `json:"effect,omitempty"`
}

type Container struct {
	Name      string    `json:"name"`
	Image     string    `json:"image"`
	Resources Resources `json:"resources"`
}

type Resources struct {
	Requests map[string]string `json:"requests,omitempty"`
}

type Status struct {
	Allocatable map[string]string `json:"allocatable,omitempty"`
	Phase       string            `json:"phase,omitempty"`
}

// Decision is what the scheduler does with a pod, in the form that `schedcheck oracle` reads.
type Decision struct {
	Kind     string               `json:"kind"`
	Node     string               `json:"node,omitempty"`
	Refusals map[string][]Refusal `json:"refusals,omitempty"`
}

// Refusal says which plugin refuses a node, with the code and the reasons of its status.
type Refusal struct {
	Plugin  string   `json:"plugin"`
	Code    string   `json:"code"`
	Reasons []string `json:"reasons"`
}

// Schedule decides about a pod that is not bound yet.
func Schedule(pod Object, cluster []Object) Decision {
	for _, node := range cluster {
		if node.Kind == "Node" && tolerated(pod, node) && fits(pod, node, cluster) {
			return Decision{Kind: "bind", Node: node.Metadata.Name}
		}
	}
	return Decision{Kind: "unschedulable"}
}

func tolerated(pod, node Object) bool {
	taints := node.Spec.Taints
	if node.Spec.Unschedulable {
		taints = append(taints[:len(taints):len(taints)], Taint{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"})
	}
	return untolerated(pod, taints) == nil
}

func untolerated(pod Object, taints []Taint) *Taint {
	for _, taint := range taints {
		if taint.Effect != "PreferNoSchedule" && !tolerates(pod.Spec.Tolerations, taint) {
			return &taint
		}
	}
	return nil
}

func tolerates(tolerations []Toleration, taint Taint) bool {
	for _, each := range tolerations {
		if each.Effect != "" && each.Effect != taint.Effect || each.Key != "" && each.Key != taint.Key {
			continue
		}
		if each.Operator == "Exists" || each.Value == taint.Value {
			return true
		}
	}
	return false
}

func fits(pod, node Object, cluster []Object) bool {
	count, used := 1, 0
	for _, each := range cluster {
		if each.Kind == "Pod" && each.Spec.NodeName == node.Metadata.Name {
			count, used = count+1, used+cpu(each)
		}
	}
	asked, free := cpu(pod), milli(node.Status.Allocatable["cpu"])-used
	return count <= milli(node.Status.Allocatable["pods"])/1000 && (asked == 0 || asked <= free)
}

func cpu(pod Object) (sum int) {
	for _, each := range pod.Spec.Containers {
		sum += milli(each.Resources.Requests["cpu"])
	}
	return sum
}

// milli reads whole numbers and thousandths, such as 2 and 500m.
func milli(quantity string) int {
	number, err := strconv.Atoi(strings.TrimSuffix(quantity, "m"))
	if err != nil || strings.HasSuffix(quantity, "m") {
		return number
	}
	return 1000 * number
}
