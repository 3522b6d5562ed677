"""Small changes of parsed documents, and of the bytes they are written as: `mutated`, `damaged`"""

import gzip
import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import yaml

Path = tuple[str | int, ...]

STRINGS = (
    "", " ", "x", "web", "n1", "a/b", "A_B", "é", "💥", "\x00", "\x1b[31m", "\n", "a\nb", "-1", "0", "1e400", "0755", "1:30",
    "NaN", "Infinity", "true", "null", "~", "{}", "[]", "100m", "1Ei", "9223372036854775808", "1.5Gi", "-5Mi", "50%", "150%",
    "%", "2024-01-01T00:00:00Z", "2024-13-45", "In", "Exists", "Gt", "NoExecute", "kubernetes.io/hostname", "x" * 300,
    "a.b.c/d", "default", "kube-system", "..", "../x", "$(X)", "\ud800", "*", "&a", "!!python/object:os.system", "Always",
    "kubernetes", "article", "corrected", "classic", "v1", "apps/v1", "Pod", "Node", "List", "Scenario", "Deployment",
)  # fmt: skip
NUMBERS = (
    0, 1, -1, 2, 3, 7, 100, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, 2**63, -(2**63), 2**64, 10**30, 0.5, -0.0, 1e21, 1e308, 1.5
)  # fmt: skip
KEYS = (
    "apiVersion", "kind", "metadata", "spec", "status", "name", "namespace", "labels", "items", "containers", "resources",
    "requests", "limits", "cpu", "memory", "nodeName", "affinity", "tolerations", "taints", "priority", "priorityClassName",
    "replicas", "template", "selector", "matchLabels", "matchExpressions", "operator", "values", "key", "topologyKey",
    "topologySpreadConstraints", "whenUnsatisfiable", "maxSkew", "minAvailable", "maxUnavailable", "volumes", "overhead",
    "initContainers", "schedulerName", "schedulingGates", "preemptionPolicy", "ownerReferences", "uid", "allocatable",
    "unschedulable", "profile", "events", "event", "pods", "nodes", "bound", "properties", "constraints", "faults",
    "repaired", "victims", "completed", "controllers", "absent", "fairness", "resourceClaims", "hostPort", "ports",
    "nodeSelector", "deletionTimestamp", "phase", "conditions", "nominatedNodeName", "restartPolicy", "images",
)  # fmt: skip


def places(value: Any, here: Path = ()) -> Iterator[Path]:
    """Every path in a value, its own first."""
    yield here
    entries: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in entries:
        yield from places(each, (*here, key))


def at(value: Any, path: Path) -> Any:
    """The value at a path."""
    for key in path:
        value = value[key]
    return value


def without(value: Any, path: Path) -> Any:
    """A copy of the value without the part at this path."""
    made = json.loads(json.dumps(value))
    del at(made, path[:-1])[path[-1]]
    return made


def odd(random: Random, known: Sequence[Any] = ()) -> Any:
    """A value that is seldom expected."""
    match random.randrange(8):
        case 0 | 1 | 2:
            return random.choice(STRINGS)
        case 3 | 4:
            return random.choice(NUMBERS)
        case 5:
            return random.choice((None, True, False, {}, [], [None], {"": None}, [[]], {"name": {}}))
        case 6 if known:
            return random.choice(known)
    return nested(random.choice((3, 20, 100)), random)


def nested(depth: int, random: Random) -> Any:
    """A nested value of this depth."""
    made: Any = random.choice(STRINGS)
    for _ in range(depth):
        made = [made] if random.random() < 0.5 else {random.choice(KEYS): made}
    return made


def mutated(documents: list[Any], random: Random, others: Sequence[Any]) -> list[Any]:
    """The documents with a few changes; `others` are values that may be inserted."""
    made = json.loads(json.dumps(documents))
    for _ in range(random.choice((0, 1, 1, 1, 2, 2, 3, 5))):
        made = _changed(made, random, others)
    return list(made)


def _changed(made: list[Any], random: Random, others: Sequence[Any]) -> list[Any]:
    found = [path for path in places(made) if path]
    if not found:
        return [odd(random)]
    path = random.choice(found)
    holder, key, value = at(made, path[:-1]), path[-1], at(made, path)
    match random.randrange(9):
        case 0 | 1:
            del holder[key]
        case 2 if isinstance(holder, list):
            holder.insert(random.randrange(len(holder) + 1), json.loads(json.dumps(value)))
        case 2 | 3 if isinstance(holder, dict):
            holder[random.choice((*KEYS, *STRINGS))] = holder.pop(key)
        case 4 if isinstance(value, str):
            holder[key] = (
                value + random.choice(STRINGS) if random.random() < 0.5 else value[: random.randrange(len(value) + 1)]
            )
        case 5:
            other = json.loads(random.choice(others))
            holder[key] = at(other, random.choice(list(places(other))))
        case 6 if isinstance(value, dict):
            value[random.choice(KEYS)] = odd(random)
        case 7 if isinstance(value, (int, str)) and not isinstance(value, bool):
            holder[key] = random.choice((str(value), [value], {"x": value}, random.choice(NUMBERS)))
        case _:
            holder[key] = odd(random)
    return made


def written(documents: list[Any], random: Random) -> tuple[str, bytes]:
    """The documents as a file with its name: YAML, JSON, or a List of them."""
    kind = random.randrange(6)
    if kind == 0:
        return "input.json", "\n".join(map(json.dumps, documents)).encode("utf-8", "replace")
    if kind == 1:
        return "input.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": documents}).encode()
    try:
        return "input.yaml", yaml.safe_dump_all(documents, allow_unicode=True).encode("utf-8", "replace")
    except (RecursionError, yaml.YAMLError, UnicodeError):
        return "input.yaml", "\n---\n".join(map(json.dumps, documents)).encode("utf-8", "replace")


def damaged(content: bytes, random: Random) -> bytes:
    """The bytes, usually unchanged; otherwise truncated, in another encoding, or with foreign bytes inserted."""
    place = random.randrange(len(content) + 1)
    match random.randrange(40):
        case 0:
            return content[:place]
        case 1:
            return content.decode("utf-8", "replace").encode("utf-16")
        case 2:
            return content.decode("utf-8", "replace").encode("latin-1", "replace") + b"\xe9\xff"
        case 3:
            return (
                content[:place]
                + random.choice((b"\x00", b"\t", b"\xff", b"---\n", b"{", b"]", b"\x85", b"#"))
                + content[place:]
            )
        case 4:
            return b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n")
        case 5:
            return content + b"\n---\n" + content
        case 6:
            return gzip.compress(content, mtime=0)[: random.choice((None, 40))]
    return content
