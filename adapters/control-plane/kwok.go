package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	"sigs.k8s.io/kwok/pkg/log"
)

// kwokCommand runs kwok in place of the kubelets. Its configuration is read before its flags are defined.
func kwokCommand() *cobra.Command {
	early := pflag.NewFlagSet("early", pflag.ContinueOnError)
	early.ParseErrorsAllowlist.UnknownFlags = true
	early.Usage = func() {}
	ctx, _ := log.InitFlags(context.Background(), early)
	ctx, err := config.InitFlags(ctx, early)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	command := kwok.NewCommand(ctx)
	command.SetContext(ctx)
	command.Version = "" // the flag of this name is that of Kubernetes
	command.PersistentFlags().AddFlagSet(early)
	return command
}
