"""Extenders: web services that filter, score, choose victims and bind, called over HTTP as by kube-scheduler."""
