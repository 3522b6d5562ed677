package main

import (
	"context"
	"errors"
	"net/url"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/embed"
)

// etcdCommand runs an etcd of one member, whose peers' port is chosen by the system and used by nobody.
func etcdCommand() *cobra.Command {
	configuration := embed.NewConfig()
	configuration.LogLevel = "warn"
	configuration.UnsafeNoFsync = true // the data do not outlive the control plane
	var client string
	command := &cobra.Command{Use: "etcd", SilenceUsage: true, Args: cobra.NoArgs}
	command.Flags().StringVar(&configuration.Dir, "data-dir", "", "the folder of the data")
	command.Flags().StringVar(&client, "listen-client-url", "", "where the API server asks")
	command.RunE = func(_ *cobra.Command, _ []string) error {
		asked, err := url.Parse(client)
		if err != nil {
			return err
		}
		peers := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
		configuration.ListenClientUrls, configuration.AdvertiseClientUrls = []url.URL{*asked}, []url.URL{*asked}
		configuration.ListenPeerUrls, configuration.AdvertisePeerUrls = []url.URL{peers}, []url.URL{peers}
		configuration.InitialCluster = configuration.InitialClusterFromName(configuration.Name)
		return serve(configuration)
	}
	return command
}

// serve runs etcd until a signal asks it to end.
func serve(configuration *embed.Config) error {
	ended, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	etcd, err := embed.StartEtcd(configuration)
	if err != nil {
		return err
	}
	defer etcd.Close()
	select {
	case <-ended.Done():
		return nil
	case err = <-etcd.Err():
		return errors.Join(errors.New("etcd ended"), err)
	}
}
