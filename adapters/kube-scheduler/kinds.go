package main

import (
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	resource "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

type (
	priorityClass         = scheduling.PriorityClass
	service               = core.Service
	replicaSet            = apps.ReplicaSet
	statefulSet           = apps.StatefulSet
	replicationController = core.ReplicationController
	budget                = policy.PodDisruptionBudget
	storageClass          = storage.StorageClass
	csiDriver             = storage.CSIDriver
	csiNode               = storage.CSINode
	capacity              = storage.CSIStorageCapacity
	volume                = core.PersistentVolume
	claim                 = core.PersistentVolumeClaim
	attachment            = storage.VolumeAttachment
	deviceClass           = resource.DeviceClass
	resourceSlice         = resource.ResourceSlice
	resourceClaim         = resource.ResourceClaim
)

// watched are the kinds that the scheduler watches; their informers are filled by hand.
func watched() []runtime.Object {
	return append(alsoWatched(), []runtime.Object{
		&core.Namespace{}, &service{}, &replicaSet{}, &statefulSet{}, &replicationController{}, &budget{},
		&storageClass{}, &csiDriver{}, &csiNode{}, &capacity{}, &volume{}, &claim{}, &attachment{},
		&deviceClass{}, &resourceSlice{}, &resourceClaim{}, &deviceTaintRule{}, &core.Node{}, &core.Pod{},
	}...)
}
