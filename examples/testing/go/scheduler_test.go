package scheduler

import (
	"fmt"
	"math/rand"
	"testing"
)

func node(name, cpu string, taints ...Taint) Object {
	return Object{
		Kind: "Node", Metadata: Metadata{Name: name, UID: name}, Spec: Spec{Taints: taints},
		Status: Status{Allocatable: map[string]string{"cpu": cpu, "pods": "3"}},
	}
}

func pod(name, cpu, on string, tolerations ...Toleration) Object {
	requests := map[string]string{"cpu": cpu}
	phase := "Pending"
	if on != "" {
		phase = "Running"
	}
	return Object{
		Kind: "Pod", Metadata: Metadata{Name: name, Namespace: "default", UID: name},
		Spec: Spec{
			NodeName: on, Tolerations: tolerations,
			Containers: []Container{{Name: "main", Image: "app", Resources: Resources{Requests: requests}}},
		},
		Status: Status{Phase: phase},
	}
}

func TestKnownClusters(t *testing.T) {
	gone := Taint{Key: "node.kubernetes.io/not-ready", Effect: "NoExecute"}
	cases := map[string][]Object{
		"a full node":           {node("n1", "2"), node("n2", "2"), pod("other", "1500m", "n1")},
		"a node that is going":  {node("n1", "2", gone), node("n2", "2")},
		"no node":               {},
		"no node with any room": {node("n1", "500m")},
	}
	oracle := StartOracle(t, "--strictness", "feasible")
	for name, cluster := range cases {
		t.Run(name, func(t *testing.T) {
			web := pod("web", "1", "")
			oracle.AssertAllowed(t, web, cluster, Schedule(web, cluster))
		})
	}
}

// decided is what a scheduler with this plugin alone does with a pod and one node.
func decided(plugin TaintToleration, pod, node Object) Decision {
	status := plugin.Filter(pod, node)
	if status == nil {
		return Decision{Kind: "bind", Node: node.Metadata.Name}
	}
	refusal := Refusal{plugin.Name(), status.Code, status.Reasons}
	return Decision{Kind: "unschedulable", Refusals: map[string][]Refusal{node.Metadata.Name: {refusal}}}
}

func TestPluginRefusesForTheReasonsOfKubeScheduler(t *testing.T) {
	oracle := StartOracle(t, "--strictness", "exact")
	for _, effect := range []string{"NoSchedule", "PreferNoSchedule", "NoExecute"} {
		for _, toleration := range []Toleration{
			{}, {Operator: "Exists"}, {Key: "a", Operator: "Exists"}, {Key: "a", Value: "v"}, {Key: "a", Value: "w"},
			{Key: "b", Operator: "Exists"}, {Key: "a", Operator: "Exists", Effect: "NoExecute"},
		} {
			web := pod("web", "1", "")
			if toleration != (Toleration{}) {
				web.Spec.Tolerations = []Toleration{toleration}
			}
			one := node("n1", "2", Taint{"a", "v", effect}, Taint{"c", "", "PreferNoSchedule"})
			oracle.AssertAllowed(t, web, []Object{one}, decided(TaintToleration{}, web, one))
		}
	}
}

func TestRandomClusters(t *testing.T) {
	const seed, clusters = 1, 300
	chance := rand.New(rand.NewSource(seed))
	one := func(values ...string) string { return values[chance.Intn(len(values))] }
	oracle := StartOracle(t, "--strictness", "feasible")
	for number := range clusters {
		var cluster []Object
		for n := range 1 + chance.Intn(3) {
			name := fmt.Sprintf("n%d", n)
			each := node(name, one("500m", "1", "2"))
			for range chance.Intn(2) {
				each.Spec.Taints = append(each.Spec.Taints,
					Taint{one("a", "b"), one("", "v"), one("NoSchedule", "PreferNoSchedule", "NoExecute")})
			}
			each.Spec.Unschedulable = chance.Intn(5) == 0
			cluster = append(cluster, each)
			for p := range chance.Intn(4) {
				cluster = append(cluster, pod(fmt.Sprintf("%s-%d", name, p), one("0", "250m", "500m"), name))
			}
		}
		web := pod("web", one("0", "500m", "1"), "")
		for range chance.Intn(2) {
			key := one("", "a", "b")
			toleration := Toleration{key, one("Exists", "Equal"), "", one("", "NoSchedule", "NoExecute")}
			if key == "" {
				toleration.Operator = "Exists"
			} else if toleration.Operator == "Equal" {
				toleration.Value = one("", "v")
			}
			web.Spec.Tolerations = append(web.Spec.Tolerations, toleration)
		}
		oracle.AssertAllowed(t, web, cluster, Schedule(web, cluster))
		if t.Failed() {
			t.Fatalf("cluster %d of seed %d", number, seed)
		}
	}
}
