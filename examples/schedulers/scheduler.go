// A scheduler: a line with a cluster and a pod comes in, a line with a decision goes out. README.md says what it promises.
//
// usage: go run scheduler.go [no-execute | defaults | stale]; the argument plants a mistake
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"slices"
	"strings"
)

type Amounts = map[string]string
type Taint struct{ Key, Value, Effect, Operator string } // or a toleration
type Object struct {                                     // a Pod or a Node
	Kind     string
	Metadata struct{ Name, Namespace string }
	Spec     struct {
		NodeName            string
		Unschedulable       bool
		Taints, Tolerations []Taint
		Containers          []struct{ Resources struct{ Requests Amounts } }
	}
	Status struct {
		Phase       string
		Allocatable Amounts
	}
}

var mistake = strings.Join(os.Args[1:], " ")
var standard = map[bool]Amounts{false: {"cpu": "100m", "memory": "200Mi"}} // of containers that ask for nothing
var units = map[string]string{"": "1", "n": "1e-9", "u": "1e-6", "m": "1e-3", "k": "1e3", "M": "1e6", "G": "1e9", "T": "1e12",
	"P": "1e15", "E": "1e18", "Ki": "0x1p10", "Mi": "0x1p20", "Gi": "0x1p30", "Ti": "0x1p40", "Pi": "0x1p50", "Ei": "0x1p60"}

func product(texts ...string) *big.Rat {
	all := big.NewRat(1, 1)
	for _, text := range texts {
		factor, _ := new(big.Rat).SetString(text)
		all.Mul(all, factor)
	}
	return all
}

// total is the sum of maps of quantities: of cpu in thousandths, rounded up once.
func total(given ...Amounts) map[string]int64 {
	exact, found := map[string]*big.Rat{}, map[string]int64{}
	for _, each := range given {
		for name, text := range each {
			number := strings.TrimRight(text, "numkMGTPEKi")
			value := product(number, units[text[len(number):]], cmp.Or(map[string]string{"cpu": "1000"}[name], "1"))
			exact[name] = value.Add(value, cmp.Or(exact[name], new(big.Rat)))
		}
	}
	for name, each := range exact {
		up := new(big.Int).Sub(new(big.Int).Add(each.Num(), each.Denom()), big.NewInt(1))
		found[name] = up.Quo(up, each.Denom()).Int64()
	}
	return found
}

// requests are those of the pod, with these amounts for containers that lack them.
func (pod Object) requests(defaults Amounts) map[string]int64 {
	asked := []Amounts{}
	for _, each := range pod.Spec.Containers {
		amounts := Amounts{}
		maps.Copy(amounts, defaults)
		maps.Copy(amounts, each.Resources.Requests)
		asked = append(asked, amounts)
	}
	return total(asked...)
}

func (pod Object) tolerates(taint Taint) bool {
	weak := taint.Effect == "PreferNoSchedule" || taint.Effect == "NoExecute" && mistake == "no-execute"
	return weak || slices.ContainsFunc(pod.Spec.Tolerations, func(each Taint) bool {
		return (each.Effect == "" || each.Effect == taint.Effect) && (each.Key == "" || each.Key == taint.Key) &&
			(each.Operator == "Exists" || each.Value == taint.Value)
	})
}

// score is that of the node with these pods, the last of which is the one in question; -1 if that one does not fit.
func (node Object) score(pods []Object) int64 {
	pod, taints := pods[len(pods)-1], node.Spec.Taints
	if node.Spec.Unschedulable {
		taints = append(taints, Taint{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"})
	}
	if slices.ContainsFunc(taints, func(each Taint) bool { return !pod.tolerates(each) }) {
		return -1
	}
	room, used, counted := total(node.Status.Allocatable), map[string]int64{}, map[string]int64{}
	for _, each := range pods {
		for name, amount := range each.requests(Amounts{}) {
			used[name] += amount
		}
		for name, amount := range each.requests(standard[mistake == "defaults"]) {
			counted[name] += amount
		}
	}
	used["pods"] = int64(len(pods))
	for name, amount := range pod.requests(Amounts{"pods": "1"}) {
		if amount > 0 && used[name] > room[name] {
			return -1
		}
	}
	sum, shares := int64(0), int64(0)
	for _, name := range []string{"cpu", "memory"} {
		if room[name] > 0 {
			sum, shares = sum+max(0, room[name]-counted[name])*100/room[name], shares+1
		}
	}
	return sum / max(1, shares)
}

func main() {
	lines, seen := bufio.NewReader(os.Stdin), map[string]Object{}
	for line, end := lines.ReadBytes('\n'); end == nil; line, end = lines.ReadBytes('\n') {
		var asked struct {
			ID      int
			Pod     Object
			Cluster struct{ Items []Object }
		}
		json.Unmarshal(line, &asked)
		pods, best, reply := map[string][]Object{}, int64(-1), fmt.Sprintf(`{"id": %d, "kind": "unschedulable"}`, asked.ID)
		for _, each := range asked.Cluster.Items {
			if each.Kind == "Pod" && each.Status.Phase != "Succeeded" && each.Status.Phase != "Failed" {
				pods[each.Spec.NodeName] = append(pods[each.Spec.NodeName], each)
			}
		}
		for _, node := range asked.Cluster.Items {
			if node.Kind != "Node" {
				continue
			}
			if old, known := seen[node.Metadata.Name]; known && mistake == "stale" {
				node = old // it looks at a node only once
			}
			seen[node.Metadata.Name] = node
			if score := node.score(append(pods[node.Metadata.Name], asked.Pod)); score > best {
				best, reply = score, fmt.Sprintf(`{"id": %d, "kind": "bind", "node": %q}`, asked.ID, node.Metadata.Name)
			}
		}
		fmt.Println(reply)
	}
}
