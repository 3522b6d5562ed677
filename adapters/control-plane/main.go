// The control plane: etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok in one program.
//
// The first argument names the server; the others are its own. Nothing of them is copied or changed. Each ends by a signal, and when
// its standard input ends, as it does when the program that has started it is killed.
package main

import (
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
	_ "time/tzdata"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// patience is how long a server may take to end by itself.
const patience = 10 * time.Second

// servers are made only when one is asked for: a command registers its flags and metrics as it is made.
var servers = map[string]func() *cobra.Command{
	"etcd":                    etcdCommand,
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": manager.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kwok":                    kwokCommand,
}

func main() {
	if len(os.Args) > 1 {
		if made, known := servers[os.Args[1]]; known {
			os.Args = os.Args[1:]
			go endWithInput()
			os.Exit(cli.Run(made()))
		}
	}
	fmt.Fprintln(os.Stderr, "expected as the first argument: etcd, kube-apiserver, kube-controller-manager, kube-scheduler or kwok")
	os.Exit(3)
}

// endWithInput waits for the end of the standard input, and ends the server.
func endWithInput() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	time.Sleep(patience)
	os.Exit(1)
}
