// Command roundtrip speaks the extender protocol with kube-scheduler's own types.
//
// "roundtrip read TYPE" reads a message from standard input, refuses unknown fields, and writes it again.
// "roundtrip ask URL" reads a Pod and Nodes from standard input, asks the server as kube-scheduler does, and writes the answers.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	extender "k8s.io/kube-scheduler/extender/v1"
)

type question struct {
	Pod     v1.Pod
	Nodes   v1.NodeList
	Victims map[string]*extender.Victims
	Meta    map[string]*extender.MetaVictims
	Node    string
}

type answers struct {
	Whole   extender.ExtenderFilterResult
	Names   extender.ExtenderFilterResult
	Scores  extender.HostPriorityList
	Victims extender.ExtenderPreemptionResult
	Meta    extender.ExtenderPreemptionResult
	Binding extender.ExtenderBindingResult
	// Same says whether the nodes came back as they were sent.
	Same bool
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func strict(from io.Reader, into any) error {
	decoder := json.NewDecoder(from)
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

func types(name string) any {
	return map[string]any{
		"ExtenderArgs":             &extender.ExtenderArgs{},
		"ExtenderFilterResult":     &extender.ExtenderFilterResult{},
		"HostPriorityList":         &extender.HostPriorityList{},
		"ExtenderPreemptionArgs":   &extender.ExtenderPreemptionArgs{},
		"ExtenderPreemptionResult": &extender.ExtenderPreemptionResult{},
		"ExtenderBindingArgs":      &extender.ExtenderBindingArgs{},
		"ExtenderBindingResult":    &extender.ExtenderBindingResult{},
	}[name]
}

func post(url string, args any, answer any) {
	body, err := json.Marshal(args)
	check(err)
	response, err := http.Post(url, "application/json", bytes.NewReader(body))
	check(err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		check(fmt.Errorf("%s: %s: %s", url, response.Status, text))
	}
	check(strict(response.Body, answer))
}

func ask(url string) answers {
	var given question
	check(strict(os.Stdin, &given))
	names := []string{}
	for _, node := range given.Nodes.Items {
		names = append(names, node.Name)
	}
	var found answers
	whole := extender.ExtenderArgs{Pod: &given.Pod, Nodes: &given.Nodes}
	post(url+"/filter", whole, &found.Whole)
	post(url+"/filter", extender.ExtenderArgs{Pod: &given.Pod, NodeNames: &names}, &found.Names)
	post(url+"/prioritize", whole, &found.Scores)
	post(url+"/preempt", extender.ExtenderPreemptionArgs{Pod: &given.Pod, NodeNameToVictims: given.Victims}, &found.Victims)
	post(url+"/preempt", extender.ExtenderPreemptionArgs{Pod: &given.Pod, NodeNameToMetaVictims: given.Meta}, &found.Meta)
	binding := extender.ExtenderBindingArgs{PodName: given.Pod.Name, PodNamespace: given.Pod.Namespace, PodUID: given.Pod.UID, Node: given.Node}
	post(url+"/bind", binding, &found.Binding)
	found.Same = true
	for _, node := range found.Whole.Nodes.Items {
		for _, sent := range given.Nodes.Items {
			if sent.Name == node.Name {
				found.Same = found.Same && equality.Semantic.DeepEqual(sent, node)
			}
		}
	}
	return found
}

func main() {
	if len(os.Args) != 3 {
		check(fmt.Errorf("usage: roundtrip read TYPE | ask URL"))
	}
	var made any
	switch os.Args[1] {
	case "ask":
		made = ask(os.Args[2])
	default:
		made = types(os.Args[2])
		check(strict(os.Stdin, made))
	}
	check(json.NewEncoder(os.Stdout).Encode(made))
}
