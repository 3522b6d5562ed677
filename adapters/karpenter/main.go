package main

import (
	_ "sigs.k8s.io/controller-runtime/pkg/client/fake"
	_ "sigs.k8s.io/karpenter/pkg/controllers/disruption"
	_ "sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	_ "sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	_ "sigs.k8s.io/karpenter/pkg/operator/options"
	_ "sigs.k8s.io/karpenter/pkg/state/cost"
	_ "k8s.io/utils/clock/testing"
)

func main() {}
