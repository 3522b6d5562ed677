package main

import (
	"fmt"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podoptions "k8s.io/kubernetes/pkg/api/pod"
	inner "k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	innerpolicy "k8s.io/kubernetes/pkg/apis/policy"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	innerresource "k8s.io/kubernetes/pkg/apis/resource"
	resourcevalidation "k8s.io/kubernetes/pkg/apis/resource/validation"
	innerscheduling "k8s.io/kubernetes/pkg/apis/scheduling"
	schedulingvalidation "k8s.io/kubernetes/pkg/apis/scheduling/validation"
	innerstorage "k8s.io/kubernetes/pkg/apis/storage"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
)

// illegal returns what the API server would refuse: one line for each error, with kind, name and field.
//
// Workload controllers are not validated: the scheduler reads only their selectors.
func (asked *question) illegal() []string {
	var found []string
	for _, each := range asked.objects() {
		for _, err := range errorsOf(each) {
			found = append(found, fmt.Sprintf("%s: %s", named(each), err.Error()))
		}
	}
	return found
}

// named returns kind, namespace and name of an object.
func named(object runtime.Object) string {
	kinds, _, err := legacyscheme.Scheme.ObjectKinds(object)
	kind := fmt.Sprintf("%T", object)
	if err == nil && len(kinds) > 0 {
		kind = kinds[0].Kind
	}
	about, err := meta.Accessor(object)
	if err != nil {
		return kind
	}
	if about.GetNamespace() == "" {
		return kind + " " + about.GetName()
	}
	return kind + " " + about.GetNamespace() + "/" + about.GetName()
}

func errorsOf(object runtime.Object) field.ErrorList {
	switch known := object.(type) {
	case *core.Pod:
		return errorsOfPod(known)
	case *core.Node:
		return checked(known, &inner.Node{}, corevalidation.ValidateNode)
	case *core.Namespace:
		return checked(known, &inner.Namespace{}, corevalidation.ValidateNamespace)
	case *budget:
		return checked(known, &innerpolicy.PodDisruptionBudget{}, func(it *innerpolicy.PodDisruptionBudget) field.ErrorList {
			return policyvalidation.ValidatePodDisruptionBudget(it, policyvalidation.PodDisruptionBudgetValidationOptions{})
		})
	case *priorityClass:
		return checked(known, &innerscheduling.PriorityClass{}, schedulingvalidation.ValidatePriorityClass)
	case *storageClass:
		return checked(known, &innerstorage.StorageClass{}, storagevalidation.ValidateStorageClass)
	case *csiNode:
		return checked(known, &innerstorage.CSINode{}, errorsOfCSINode)
	case *csiDriver:
		return checked(known, &innerstorage.CSIDriver{}, storagevalidation.ValidateCSIDriver)
	case *capacity:
		return checked(known, &innerstorage.CSIStorageCapacity{}, func(it *innerstorage.CSIStorageCapacity) field.ErrorList {
			return storagevalidation.ValidateCSIStorageCapacity(it, storagevalidation.CSIStorageCapacityValidateOptions{})
		})
	case *attachment:
		return checked(known, &innerstorage.VolumeAttachment{}, storagevalidation.ValidateVolumeAttachment)
	case *volume:
		return checked(known, &inner.PersistentVolume{}, func(it *inner.PersistentVolume) field.ErrorList {
			return corevalidation.ValidatePersistentVolume(it, corevalidation.ValidationOptionsForPersistentVolume(it, nil))
		})
	case *claim:
		return checked(known, &inner.PersistentVolumeClaim{}, func(it *inner.PersistentVolumeClaim) field.ErrorList {
			return corevalidation.ValidatePersistentVolumeClaim(it, corevalidation.ValidationOptionsForPersistentVolumeClaim(it, nil))
		})
	case *deviceClass:
		return checked(known, &innerresource.DeviceClass{}, resourcevalidation.ValidateDeviceClass)
	case *resourceSlice:
		return checked(known, &innerresource.ResourceSlice{}, resourcevalidation.ValidateResourceSlice)
	case *resourceClaim:
		return checked(known, &innerresource.ResourceClaim{}, resourcevalidation.ValidateResourceClaim)
	}
	return nil
}

// checked converts an object to the form that the API server validates, and validates it.
func checked[Internal any](from runtime.Object, to Internal, validate func(Internal) field.ErrorList) field.ErrorList {
	if err := legacyscheme.Scheme.Convert(from, to, nil); err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	return validate(to)
}

// errorsOfPod returns what is wrong with a pod. The identity of a pod that has one is no matter of its creation.
func errorsOfPod(pod *core.Pod) field.ErrorList {
	return checked(pod, &inner.Pod{}, func(it *inner.Pod) field.ErrorList {
		options := podoptions.GetValidationOptionsFromPodSpecAndMeta(&it.Spec, nil, &it.ObjectMeta, nil)
		return corevalidation.ValidatePodCreate(it, options)
	})
}
