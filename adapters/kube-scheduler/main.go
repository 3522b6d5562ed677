// The live witness: kube-scheduler's own code, asked line by line.
//
// It reads a question a line, and writes a line for each: an answer in the form of the recorded answers, or an error.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"k8s.io/component-base/featuregate"
	"k8s.io/klog/v2"
)

// version is the one of the kube-scheduler that is built in; the build sets it.
var version = "unknown"

// parallelism is how many goroutines the scheduler uses; one is the fastest in small clusters.
var parallelism = 1

// longest is the most bytes of a line.
const longest = 256 << 20

// A failure is the answer to a question that the scheduler is not asked.
type failure struct {
	ID      string   `json:"id"`
	Error   string   `json:"error"`
	Illegal []string `json:"illegal,omitempty"`
}

func main() {
	protocol := flag.Bool("scheduler", false, "speak the protocol of schedulers that are programs: a decision for each question")
	checks := flag.Int("self-check", 0, "compare each answer with as many attempts of the scheduler itself")
	stored := flag.Bool("as-stored", false, "take the objects as they are, without defaults and validation")
	store := flag.Bool("store", false, "answer with the question as the API server would store it")
	groups := flag.Bool("groups", false, "answer questions about the cycle of a PodGroup")
	configuration := flag.String("config", "", "a file with the KubeSchedulerConfiguration of questions that have none")
	times := flag.Int("time", 0, "only measure as many attempts of the scheduler; the line \"again\" repeats the last question")
	flag.IntVar(&parallelism, "parallelism", parallelism, "how many goroutines the scheduler uses")
	tell := flag.Bool("version", false, "print the version of kube-scheduler")
	flag.Parse()
	if *tell {
		fmt.Println(version)
		return
	}
	quiet()
	with := &session{
		worlds: &worlds{byKey: map[string]*world{}, gates: map[featuregate.Feature]bool{}},
		checks: *checks, stored: *stored,
	}
	if *configuration != "" {
		text, err := asJSON(*configuration)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		with.configuration = text
	}
	answer := with.line
	if *protocol {
		answer = with.decision
	} else if *store {
		answer = with.kept
	} else if *groups {
		answer = with.group
	} else if *times > 0 {
		everyCandidate = false
		answer = (&stopwatch{session: with, times: *times}).line
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), longest)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for lines.Scan() {
		if err := encoder.Encode(answer(lines.Bytes())); err != nil {
			break
		}
		if out.Flush() != nil {
			break
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "not a question:", err)
		os.Exit(3)
	}
}

// A session is how questions are answered.
type session struct {
	*worlds
	checks        int
	stored        bool
	configuration json.RawMessage
}

// line answers a question about all that the scheduler says.
func (with *session) line(text []byte) any {
	asked, err := read(text, with.stored)
	if err != nil {
		return failure{Error: "not a question: " + err.Error()}
	}
	return with.asked(asked)
}

// kept answers a question with itself, as the API server would store it.
func (with *session) kept(text []byte) any {
	asked, err := read(text, false)
	if err != nil {
		return failure{Error: "not a question: " + err.Error()}
	}
	if illegal := asked.illegal(); len(illegal) > 0 {
		return failure{asked.ID, "illegal", illegal}
	}
	return asked
}

func (with *session) asked(asked *question) any {
	if asked.Configuration == nil {
		asked.Configuration = with.configuration
	}
	if !with.stored {
		if illegal := asked.illegal(); len(illegal) > 0 {
			return failure{asked.ID, "illegal", illegal}
		}
	}
	found, err := with.answered(asked, with.checks)
	if err != nil {
		return failure{ID: asked.ID, Error: err.Error()}
	}
	return found
}

// quiet keeps the scheduler's log off standard error, except what is fatal.
func quiet() {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	_ = flags.Set("logtostderr", "false")
	_ = flags.Set("stderrthreshold", "FATAL")
	_ = flags.Set("alsologtostderr", "false")
	klog.SetOutput(discard{})
}

type discard struct{}

func (discard) Write(text []byte) (int, error) { return len(text), nil }
