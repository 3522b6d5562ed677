"""The description of the server in OpenAPI 3.1: `openapi`."""

from typing import TYPE_CHECKING, Any

from schedcheck.version import __version__

if TYPE_CHECKING:
    from schedcheck.serving.app import Paths

Json = dict[str, Any]

OBJECT: Json = {"type": "object"}
NAMES: Json = {"type": ["array", "null"], "items": {"type": "string"}}
REASONS: Json = {"type": "object", "additionalProperties": {"type": "string"}}
METADATA: Json = {
    "type": "object",
    "properties": {"name": {"type": "string", "minLength": 1}, "namespace": {"type": "string"}, "uid": {"type": "string"}},
    "required": ["name"],
}  # fmt: skip
THING: Json = {
    "type": "object",
    "properties": {"metadata": METADATA, "spec": OBJECT, "status": OBJECT},
    "required": ["metadata"],
}
LIST: Json = {"type": ["object", "null"], "properties": {"items": {"type": "array", "items": THING}}}
META_VICTIMS: Json = {
    "type": "object",
    "properties": {
        "Pods": {"type": "array", "items": {"type": "object", "properties": {"UID": {"type": "string"}}}},
        "NumPDBViolations": {"type": "integer"},
    },
}
VICTIMS: Json = {
    "type": "object",
    "properties": {"Pods": {"type": "array", "items": THING}, "NumPDBViolations": {"type": "integer"}},
}

SCHEMAS: Json = {
    "ExtenderArgs": {
        "type": "object",
        "properties": {"Pod": THING, "Nodes": LIST, "NodeNames": NAMES},
        "required": ["Pod"],
    },
    "ExtenderFilterResult": {
        "type": "object",
        "properties": {
            "Nodes": {"type": ["object", "null"]},
            "NodeNames": NAMES,
            "FailedNodes": REASONS,
            "FailedAndUnresolvableNodes": REASONS,
            "Error": {"type": "string"},
        },
        "required": ["Nodes", "NodeNames", "FailedNodes", "FailedAndUnresolvableNodes", "Error"],
    },
    "HostPriorityList": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"Host": {"type": "string"}, "Score": {"type": "integer", "minimum": 0, "maximum": 10}},
            "required": ["Host", "Score"],
        },
    },
    "ExtenderPreemptionArgs": {
        "type": "object",
        "properties": {
            "Pod": THING,
            "NodeNameToVictims": {"type": ["object", "null"], "additionalProperties": VICTIMS},
            "NodeNameToMetaVictims": {"type": ["object", "null"], "additionalProperties": META_VICTIMS},
        },
        "required": ["Pod"],
    },
    "ExtenderPreemptionResult": {
        "type": "object",
        "properties": {"NodeNameToMetaVictims": {"type": "object", "additionalProperties": META_VICTIMS}},
        "required": ["NodeNameToMetaVictims"],
    },
    "ExtenderBindingArgs": {
        "type": "object",
        "properties": {name: {"type": "string"} for name in ("PodName", "PodNamespace", "PodUID", "Node")},
        "required": ["PodName", "PodNamespace", "PodUID", "Node"],
    },
    "ExtenderBindingResult": {
        "type": "object",
        "properties": {"Error": {"type": "string"}},
        "required": ["Error"],
    },
    "Question": {
        "type": "object",
        "properties": {
            "id": True,
            "cluster": OBJECT,
            "pod": {"type": ["string", "object"]},
            "decision": OBJECT,
            "strictness": {"enum": ["feasible", "best", "exact"]},
        },
        "required": ["pod", "decision"],
    },
    "Verdict": {"type": "object", "properties": {"verdict": {"type": ["string", "null"]}}},
    "List": {"type": "object", "properties": {"items": {"type": "array", "items": OBJECT}}},
    "Cluster": {
        "type": "object",
        "properties": {name: {"type": "integer"} for name in ("version", "nodes", "pods")},
        "required": ["version", "nodes", "pods"],
    },
    "Error": {
        "type": "object",
        "properties": {"error": {"type": "string"}, "place": {"type": "string"}},
        "required": ["error", "place"],
    },
}

REFUSALS = {
    "400": "The body is not JSON, or a field is wrong; `place` is its path.",
    "408": "The body took too long.",
    "413": "The body is too long.",
    "415": "The body is not of the content type application/json.",
    "422": "The question has no certain answer.",
    "503": "Too many requests at once, or no answer in time; Retry-After says when to try again.",
}


def _reference(name: str) -> Json:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}


def _post(says: str, takes: str, gives: str) -> Json:
    refusals = {code: {"description": why, "content": _reference("Error")} for code, why in REFUSALS.items()}
    return {
        "post": {
            "summary": says,
            "requestBody": {"required": True, "content": _reference(takes)},
            "responses": {"200": {"description": "The answer.", "content": _reference(gives)}, **refusals},
        }
    }


def _get(says: str, kind: str, content: Json, *more: str) -> Json:
    refusals = {code: {"description": REFUSALS[code], "content": _reference("Error")} for code in more}
    return {"get": {"summary": says, "responses": {"200": {"description": kind, "content": content}, **refusals}}}


def openapi(paths: "Paths") -> Json:
    """Return the description of the server with the verbs at these paths."""
    text: Json = {"text/plain": {"schema": {"type": "string"}}}
    verbs = {
        paths.filter: _post("The nodes that no filter refuses", "ExtenderArgs", "ExtenderFilterResult"),
        paths.prioritize: _post("10 for the best nodes, 0 for the others", "ExtenderArgs", "HostPriorityList"),
        paths.preempt: _post("The candidates to keep", "ExtenderPreemptionArgs", "ExtenderPreemptionResult"),
        paths.bind: _post("Record a binding", "ExtenderBindingArgs", "ExtenderBindingResult"),
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "schedcheck", "version": __version__},
        "paths": {
            **{path: each for path, each in verbs.items() if path},
            "/v1/verdict": _post("Whether a decision is allowed", "Question", "Verdict"),
            "/v1/cluster": {
                **_post("Replace the cluster", "List", "Cluster"),
                **_get("Describe the cluster", "The counts.", _reference("Cluster")),
            },
            "/healthz": _get("Whether the process answers", "It does.", text),
            "/readyz": _get("Whether requests are answered now", "They are.", text, "503"),
            "/metrics": _get("Metrics for Prometheus", "The metrics.", text),
            "/openapi.json": _get("This description", "It.", {"application/json": {"schema": OBJECT}}),
        },
        "components": {"schemas": SCHEMAS},
    }
