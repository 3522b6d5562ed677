package main

import (
	"encoding/json"
	"errors"
	"os"
	"slices"

	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// lists names the field of a question that holds the objects of a kind.
var lists = map[string]string{
	"Node": "nodes", "Pod": "pods", "Namespace": "namespaces", "PodDisruptionBudget": "pdbs",
	"PriorityClass": "priorityClasses", "Service": "services", "ReplicaSet": "replicaSets",
	"StatefulSet": "statefulSets", "ReplicationController": "replicationControllers",
	"PersistentVolume": "persistentVolumes", "PersistentVolumeClaim": "persistentVolumeClaims",
	"StorageClass": "storageClasses", "CSINode": "csiNodes", "CSIDriver": "csiDrivers",
	"CSIStorageCapacity": "csiStorageCapacities", "VolumeAttachment": "volumeAttachments",
	"ResourceClaim": "resourceClaims", "ResourceSlice": "resourceSlices", "DeviceClass": "deviceClasses",
	"DeviceTaintRule": "deviceTaintRules",
}

// A call is a question of the protocol of schedulers that are programs.
type call struct {
	ID      json.RawMessage `json:"id"`
	Cluster struct {
		Items []json.RawMessage `json:"items"`
	} `json:"cluster"`
	Pod json.RawMessage `json:"pod"`
}

// A reply is a decision: the first of those that are possible, so that it depends on nothing but the question.
type reply struct {
	ID          json.RawMessage     `json:"id,omitempty"`
	Kind        string              `json:"kind"`
	Node        string              `json:"node,omitempty"`
	Victims     []string            `json:"victims,omitempty"`
	Scores      map[string]int64    `json:"scores,omitempty"`
	Refusals    map[string][]status `json:"refusals,omitempty"`
	Message     string              `json:"message,omitempty"`
	Unnominated *bool               `json:"unnominated,omitempty"`
}

// decision answers a question of the protocol, whose objects are as the API server stores them.
func (with *session) decision(text []byte) any {
	asked := call{}
	if err := json.Unmarshal(text, &asked); err != nil {
		return failure{Error: "not a question: " + err.Error()}
	}
	line, err := asked.question()
	if err != nil {
		return failure{Error: "not a question: " + err.Error()}
	}
	question, err := read(line, true)
	if err != nil {
		return failure{Error: "not a question: " + err.Error()}
	}
	question.Configuration = with.configuration
	found, err := with.answered(question, 0)
	if err != nil {
		return reply{ID: asked.ID, Kind: "error", Message: err.Error()}
	}
	return found.reply(asked.ID, &question.Pod)
}

// question returns the same in the form of a recorded case.
func (asked *call) question() ([]byte, error) {
	byField := map[string][]json.RawMessage{}
	for _, item := range asked.Cluster.Items {
		about := struct {
			Kind string `json:"kind"`
		}{}
		if err := json.Unmarshal(item, &about); err != nil {
			return nil, err
		}
		if field, known := lists[about.Kind]; known {
			byField[field] = append(byField[field], item)
		}
	}
	if len(asked.Pod) == 0 {
		return nil, errors.New("there is no pod")
	}
	whole := map[string]any{"pod": asked.Pod}
	for field, items := range byField {
		whole[field] = items
	}
	return json.Marshal(whole)
}

// reply returns the decision, with all that it says of the nodes.
func (of *answer) reply(id json.RawMessage, pod *core.Pod) reply {
	said := reply{ID: id, Scores: map[string]int64{}, Refusals: map[string][]status{}}
	for name, node := range of.Nodes {
		if node.Total != nil && of.Decision.Mode == "scored" {
			said.Scores[name] = *node.Total
		}
		said.Refusals[name] = []status{}
		if !node.Feasible {
			said.Refusals[name] = append(said.Refusals[name], node.First)
		}
	}
	switch {
	case of.Decision.Kind == "scheduled":
		said.Kind, said.Node = "bind", of.Decision.Hosts[0]
	case of.Preemption != nil && len(of.Preemption.Selected) > 0:
		said.Kind, said.Node = "nominate", of.Preemption.Selected[0]
		chosen := slices.IndexFunc(of.Preemption.Candidates, func(each candidateAnswer) bool { return each.Node == said.Node })
		said.Victims = of.Preemption.Candidates[chosen].Victims
	default:
		said.Kind, said.Message = of.Decision.Kind, of.Real.Message
		if of.Decision.Kind == "unschedulable" && pod.Status.NominatedNodeName != "" {
			said.Unnominated = &of.unnominated
		}
	}
	return said
}

// asJSON returns a file of YAML or JSON as JSON.
func asJSON(path string) (json.RawMessage, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return yaml.YAMLToJSON(text)
}
