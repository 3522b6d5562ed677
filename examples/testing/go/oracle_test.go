package scheduler

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Oracle is a running `schedcheck oracle`, which answers one line for each line that it is sent.
type Oracle struct {
	in  io.WriteCloser
	out *bufio.Reader
}

type answer struct {
	Verdict string
	Error   string
	Clause  *struct{ Name, Demands string }
	Reasons []string
	Allowed []json.RawMessage
}

// StartOracle starts the command of the environment variable SCHEDCHECK, or schedcheck, and ends it with the test.
func StartOracle(t *testing.T, arguments ...string) *Oracle {
	t.Helper()
	command := os.Getenv("SCHEDCHECK")
	if command == "" {
		command = "schedcheck"
	}
	run := exec.Command(command, append([]string{"oracle", "--quiet"}, arguments...)...)
	run.Stderr = os.Stderr
	in, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatalf("schedcheck is not installed: %v", err)
	}
	t.Cleanup(func() {
		in.Close()
		run.Wait() // exits with 1 after a refused decision, which has failed the test already
	})
	return &Oracle{in, bufio.NewReader(out)}
}

// AssertAllowed fails the test if the decision is not one that the specification allows.
func (o *Oracle) AssertAllowed(t *testing.T, pod Object, cluster []Object, decision Decision) {
	t.Helper()
	question := map[string]any{"cluster": map[string]any{"items": cluster}, "pod": pod, "decision": decision}
	line, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	told, err := o.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("the oracle ended: %v", err)
	}
	var found answer
	if err := json.Unmarshal(told, &found); err != nil {
		t.Fatal(err)
	}
	switch {
	case found.Error != "":
		t.Fatalf("the oracle cannot read the question: %s", found.Error)
	case found.Verdict == "refused":
		t.Errorf("%s is refused by %s: %s\n%s\nallowed: %s\n%s", text(decision), found.Clause.Name, found.Clause.Demands,
			strings.Join(found.Reasons, "; "), text(found.Allowed), line)
	case found.Verdict != "allowed":
		t.Errorf("%s is %s: %s\n%s", text(decision), found.Verdict, strings.Join(found.Reasons, "; "), line)
	}
}

func text(value any) string {
	told, _ := json.Marshal(value)
	return string(told)
}
