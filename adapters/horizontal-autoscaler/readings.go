package main

import (
	"context"
	"errors"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	metricsclient "k8s.io/kubernetes/pkg/controller/podautoscaler/metrics"
)

// errNone is the answer of a metrics API that has nothing.
var errNone = errors.New("no metrics returned")

// readings is the client of the metrics APIs: it returns what the question says, for cpu, cpu/container, pods-name,
// object-name and external-name. Times are those of the clock that `began`.
type readings struct {
	began time.Time
	now   map[string]reading
}

func (each *readings) GetResourceMetric(_ context.Context, resource v1.ResourceName, _ string, _ labels.Selector, container string) (metricsclient.PodMetricsInfo, time.Time, error) {
	name := string(resource)
	if container != "" {
		name += "/" + container
	}
	return each.ofPods(name)
}

func (each *readings) GetRawMetric(name, _ string, _, _ labels.Selector) (metricsclient.PodMetricsInfo, time.Time, error) {
	return each.ofPods("pods-" + name)
}

func (each *readings) ofPods(name string) (metricsclient.PodMetricsInfo, time.Time, error) {
	if len(each.now[name].Pods) == 0 {
		return nil, time.Time{}, errNone
	}
	made := metricsclient.PodMetricsInfo{}
	for pod, sample := range each.now[name].Pods {
		made[pod] = metricsclient.PodMetric{
			Timestamp: each.began.Add(time.Duration(sample.Time) * time.Second),
			Window:    time.Duration(sample.Window) * time.Second,
			Value:     sample.Value,
		}
	}
	return made, time.Now(), nil
}

func (each *readings) GetObjectMetric(name, _ string, _ *autoscalingv2.CrossVersionObjectReference, _ labels.Selector) (int64, time.Time, error) {
	values := each.now["object-"+name].Values
	if len(values) == 0 {
		return 0, time.Time{}, errNone
	}
	return values[0], time.Now(), nil
}

func (each *readings) GetExternalMetric(name, _ string, _ labels.Selector) ([]int64, time.Time, error) {
	values := each.now["external-"+name].Values
	if len(values) == 0 {
		return nil, time.Time{}, errNone
	}
	return values, time.Now(), nil
}
