"""Manifests for the tests of `lint`, and what it finds in them: `found`, `deployment`, `host`, `guard`, `waiting`."""

from pathlib import Path
from typing import Any

import yaml

import schedcheck
from schedcheck.findings.finding import Finding

Manifest = dict[str, Any]


def found(folder: Path, *manifests: Manifest, **options: Any) -> dict[str, list[Finding]]:
    """The findings of `lint` on these manifests, by rule, without those about priorities."""
    told = linted(folder, *manifests, **options).findings
    rules = {each.rule for each in told if not each.rule.startswith("priority")}
    return {rule: [each for each in told if each.rule == rule] for rule in sorted(rules)}


def linted(folder: Path, *manifests: Manifest, **options: Any) -> schedcheck.Lint:
    """The answer of `lint` on these manifests."""
    return schedcheck.lint(cluster_of(folder, *manifests), **options)


def cluster_of(folder: Path, *manifests: Manifest) -> schedcheck.Cluster:
    """The cluster that these manifests describe."""
    file = folder / "cluster.yaml"
    file.write_text(yaml.safe_dump_all(manifests))
    return schedcheck.read(file)


def template(cpu: str = "1", labels: dict[str, str] | None = None, **spec: Any) -> Manifest:
    """A pod template with one container."""
    container = {"name": "main", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    return {"metadata": {"labels": labels or {"app": "web"}}, "spec": {"containers": [container], **spec}}


def workload(kind: str, name: str, made: Manifest, **spec: Any) -> Manifest:
    """A workload of apps/v1 whose selector is the labels of its template."""
    selector = {"matchLabels": made["metadata"]["labels"]}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"selector": selector, "template": made, **spec},
    }


def deployment(name: str = "web", replicas: int = 1, cpu: str = "1", **spec: Any) -> Manifest:
    """A Deployment whose pods have the label app=NAME."""
    return workload("Deployment", name, template(cpu, {"app": name}, **spec), replicas=replicas)


def waiting(name: str = "p", cpu: str = "1", node: str = "", **spec: Any) -> Manifest:
    """A pod, bound if a node is given."""
    made = template(cpu, {"app": name}, **spec, **({"nodeName": node} if node else {}))
    status = {"status": {"phase": "Running"}} if node else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **made["metadata"]},
        "spec": made["spec"],
        **status,
    }


def host(name: str, cpu: str = "4", labels: dict[str, str] | None = None, **spec: Any) -> Manifest:
    """A node with its hostname as a label."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "spec": spec,
        "status": {"allocatable": {"cpu": cpu, "pods": "110"}},
    }


def guard(name: str = "guard", app: str = "web", **spec: Any) -> Manifest:
    """A disruption budget over the pods with the label app."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": app}}, **spec},
    }
