package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
	_ "unsafe" // for go:linkname

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/scale"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	"k8s.io/kubernetes/pkg/apis/autoscaling/validation"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/controller/podautoscaler"
)

// The flags of kube-controller-manager, by default.
const (
	resync          = 15 * time.Second
	stabilization   = 5 * time.Minute
	tolerance       = 0.1
	initialization  = 5 * time.Minute
	initialReadying = 30 * time.Second
)

// selector selects the pods of the workload.
const selector = "app=web"

//go:linkname enqueue k8s.io/kubernetes/pkg/controller/podautoscaler.(*HorizontalController).enqueueHPA
func enqueue(controller *podautoscaler.HorizontalController, object interface{})

//go:linkname reconcile k8s.io/kubernetes/pkg/controller/podautoscaler.(*HorizontalController).reconcileAutoscaler
func reconcile(controller *podautoscaler.HorizontalController, ctx context.Context, hpa *autoscalingv2.HorizontalPodAutoscaler, key string) error

// answered runs the synchronizations of a question; the clock of the bubble begins with the first millisecond of 2000.
func answered(asked question) answer {
	made := answer{ID: asked.ID, Syncs: []told{}}
	hpa, err := read(asked.Autoscaler)
	if err != nil {
		made.Error = err.Error()
		return made
	}
	within, cancel := context.WithCancel(context.Background())
	began, client, workload := time.Now(), fake.NewSimpleClientset(hpa), &scaled{replicas: asked.Replicas}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods, metrics := factory.Core().V1().Pods(), &readings{began: began}
	controller := podautoscaler.NewHorizontalController(
		within, client.CoreV1(), workload, client.AutoscalingV2(), mapper(), metrics,
		factory.Autoscaling().V2().HorizontalPodAutoscalers(), pods, resync, stabilization, tolerance, initialization, initialReadying,
	)
	defer cancel()
	enqueue(controller, hpa)
	// The queue is not needed: without its informers the controller ends at once, and closes it.
	over, end := context.WithCancel(within)
	end()
	controller.Run(over, 0)
	for _, each := range asked.Syncs {
		time.Sleep(time.Until(began.Add(time.Duration(each.At) * time.Second)))
		if err := filled(pods.Informer().GetIndexer(), each.Pods); err != nil {
			made.Error = err.Error()
			return made
		}
		if each.Set != nil {
			workload.replicas = *each.Set
		}
		workload.status, workload.written, metrics.now = each.Status, false, each.Readings
		failed := ""
		if err := reconcile(controller, within, hpa, hpa.Namespace+"/"+hpa.Name); err != nil {
			failed = err.Error()
		}
		made.Syncs = append(made.Syncs, told{workload.replicas, workload.written, failed})
		// The status of one synchronization is what the next one finds.
		if hpa, err = client.AutoscalingV2().HorizontalPodAutoscalers(hpa.Namespace).Get(within, hpa.Name, metav1.GetOptions{}); err != nil {
			made.Error = err.Error()
			return made
		}
	}
	return made
}

// read returns an autoscaler as the API server stores it: with defaults, valid, and with quantities in their canonical form.
func read(text []byte) (*autoscalingv2.HorizontalPodAutoscaler, error) {
	decoded, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(autoscaling.SchemeGroupVersion), text)
	if err != nil {
		return nil, err
	}
	options := validation.HorizontalPodAutoscalerSpecValidationOptions{
		ScaleTargetRefValidationOptions: validation.CrossVersionObjectReferenceValidationOptions{RequiredCoveredByDeclarative: true},
		ObjectMetricsValidationOptions:  validation.CrossVersionObjectReferenceValidationOptions{AllowEmptyAPIGroup: true},
	}
	inner := decoded.(*autoscaling.HorizontalPodAutoscaler)
	if wrong := validation.ValidateHorizontalPodAutoscaler(inner, options); len(wrong) > 0 {
		return nil, wrong.ToAggregate()
	}
	codec := legacyscheme.Codecs.LegacyCodec(autoscalingv2.SchemeGroupVersion)
	stored, err := runtime.Encode(codec, inner)
	if err != nil {
		return nil, err
	}
	versioned, err := runtime.Decode(legacyscheme.Codecs.UniversalDeserializer(), stored)
	if err != nil {
		return nil, err
	}
	return versioned.(*autoscalingv2.HorizontalPodAutoscaler), nil
}

// An indexer is the store of an informer.
type indexer interface {
	Add(obj interface{}) error
	Delete(obj interface{}) error
	List() []interface{}
}

// filled puts the pods of these manifests, and no others, into a store.
func filled(store indexer, texts []json.RawMessage) error {
	for _, each := range store.List() {
		if err := store.Delete(each); err != nil {
			return err
		}
	}
	for _, text := range texts {
		decoded, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
		if err != nil {
			return err
		}
		pod, known := decoded.(*v1.Pod)
		if !known {
			return fmt.Errorf("expected a pod: %T", decoded)
		}
		if err := store.Add(pod); err != nil {
			return err
		}
	}
	return nil
}

// mapper knows the resource of Deployments.
func mapper() meta.RESTMapper {
	apps := schema.GroupVersion{Group: "apps", Version: "v1"}
	made := meta.NewDefaultRESTMapper([]schema.GroupVersion{apps})
	made.Add(apps.WithKind("Deployment"), meta.RESTScopeNamespace)
	return made
}

// scaled is the scale subresource of the workload, and the client of it.
type scaled struct {
	scale.ScaleInterface
	replicas, status int32
	written          bool
}

func (each *scaled) Scales(string) scale.ScaleInterface { return each }

func (each *scaled) Get(_ context.Context, _ schema.GroupResource, name string, _ metav1.GetOptions) (*autoscalingv1.Scale, error) {
	return &autoscalingv1.Scale{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec:       autoscalingv1.ScaleSpec{Replicas: each.replicas},
		Status:     autoscalingv1.ScaleStatus{Replicas: each.status, Selector: selector},
	}, nil
}

func (each *scaled) Update(_ context.Context, _ schema.GroupResource, given *autoscalingv1.Scale, _ metav1.UpdateOptions) (*autoscalingv1.Scale, error) {
	each.replicas, each.written = given.Spec.Replicas, true
	return given, nil
}
