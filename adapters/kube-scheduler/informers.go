package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// A filled informer is one that no API server fills: objects are put into it, and its handlers are called at once.
type filled struct {
	cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
}

// informed returns a factory whose informers of all watched kinds are filled by hand, by kind.
func informed(client kubernetes.Interface) (informers.SharedInformerFactory, map[reflect.Type]*filled) {
	factory := informers.NewSharedInformerFactory(client, 0)
	byKind := map[reflect.Type]*filled{}
	for _, kind := range watched() {
		byNamespace := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
		informer := &filled{SharedIndexInformer: cache.NewSharedIndexInformer(&cache.ListWatch{}, kind, 0, byNamespace)}
		byKind[reflect.TypeOf(kind)] = informer
		factory.InformerFor(kind, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return informer })
	}
	return factory, byKind
}

func (informer *filled) AddEventHandler(
	handler cache.ResourceEventHandler,
) (cache.ResourceEventHandlerRegistration, error) {
	informer.handlers = append(informer.handlers, handler)
	return registered(), nil
}

func (informer *filled) AddEventHandlerWithResyncPeriod(
	handler cache.ResourceEventHandler, _ time.Duration,
) (cache.ResourceEventHandlerRegistration, error) {
	return informer.AddEventHandler(handler)
}

func (informer *filled) AddEventHandlerWithOptions(
	handler cache.ResourceEventHandler, _ cache.HandlerOptions,
) (cache.ResourceEventHandlerRegistration, error) {
	return informer.AddEventHandler(handler)
}

func (informer *filled) HasSynced() bool { return true }

func (informer *filled) GetIndexer() cache.Indexer {
	return ordered{informer.SharedIndexInformer.GetIndexer()}
}

func (informer *filled) GetStore() cache.Store { return informer.GetIndexer() }

// An ordered indexer lists its objects by name; otherwise their order, which counts for budgets, would be chance.
type ordered struct {
	cache.Indexer
}

func (those ordered) List() []any { return byName(those.Indexer.List()) }

func (those ordered) Index(name string, object any) ([]any, error) {
	found, err := those.Indexer.Index(name, object)
	return byName(found), err
}

func (those ordered) ByIndex(name, value string) ([]any, error) {
	found, err := those.Indexer.ByIndex(name, value)
	return byName(found), err
}

func byName(objects []any) []any {
	slices.SortFunc(objects, func(one, other any) int {
		before, _ := cache.MetaNamespaceKeyFunc(one)
		after, _ := cache.MetaNamespaceKeyFunc(other)
		return strings.Compare(before, after)
	})
	return objects
}

func (informer *filled) put(object runtime.Object) error {
	if _, known, err := informer.GetIndexer().Get(object); err != nil || known {
		return fmt.Errorf("the same object is there twice: %s", named(object))
	}
	if err := informer.GetIndexer().Add(object); err != nil {
		return err
	}
	for _, handler := range informer.handlers {
		handler.OnAdd(object, false)
	}
	return nil
}

func (informer *filled) drop(object runtime.Object) {
	_ = informer.GetIndexer().Delete(object)
	for _, handler := range informer.handlers {
		handler.OnDelete(object)
	}
}

// A registration is that of a handler that knows everything from the start.
type registration struct {
	cache.ResourceEventHandlerRegistration
}

func registered() cache.ResourceEventHandlerRegistration { return registration{} }

func (registration) HasSynced() bool { return true }
