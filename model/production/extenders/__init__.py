"""Extenders: web services that filter, rate, choose victims and bind, over HTTP as kube-scheduler asks them."""
