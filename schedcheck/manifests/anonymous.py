"""Manifests with other names, and the same structure: `Renaming`, `renaming`.

A name is made of words and of the signs between them. Each word of the input has one new word, so that what was equal or
related by name (web, web-7d4f, web-7d4f-x2x8k) stays so, and new words sort as the old ones do. Numbers stay. What no
definition reads, such as env, commands and data, is left out.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from string import ascii_lowercase
from typing import Any, Final

WORD: Final = re.compile(r"[^\W_]+")
ALONE: Final = re.compile(r"(?<!\w)[^\W_]+(?!\w)")
"""A word of a Scenario; never_below is one of its own, not a name."""

QUOTED: Final = re.compile(r'"[^"]*"|\'[^\']*\'')
NUMBER: Final = re.compile(
    r"[+-]?\d[\d.]*(m|k|[MGTPE]i?|Ki|[munp])?|[+-]?\d[\d.]*[eE]\d+|\d+(\.\d+)?%|\d{4}-\d\d-\d\dT[\d:.]+Z?"
)
KIND: Final = re.compile(r"[A-Z][A-Za-z]+|true|false")
"""A value of an enumeration of the API, such as NoSchedule; names of objects have no capital letters."""

KNOWN_KEY: Final = re.compile(r"([\w-]+\.)*(kubernetes|k8s)\.io/\S*|helm\.sh/hook|hugepages-\w+")
RESOURCES: Final = ("cpu", "memory", "pods", "ephemeral-storage")
KNOWN: Final = frozenset(
    {
        "default", "kube-system", "kube-public", "kube-node-lease", "default-scheduler", "system-node-critical",
        "system-cluster-critical", "metadata.name", *RESOURCES,
    }
)  # fmt: skip
"""Texts that mean something to the scheduler, or are in every cluster."""

LEFT_OUT: Final = frozenset(
    {
        "managedFields", "message", "env", "envFrom", "command", "args", "data", "stringData", "binaryData", "lifecycle",
        "livenessProbe", "readinessProbe", "startupProbe", "workingDir", "addresses", "nodeInfo", "imageID", "containerID", "selfLink",
        "securityContext", "imagePullSecrets", "hostname", "podIP", "podIPs", "hostIP", "hostIPs", "podCIDR", "podCIDRs", "providerID",
        "termination", "lastState",
    }
)  # fmt: skip
"""Fields that no definition reads, or whose absence changes no decision."""

CONNECTIONS: Final = frozenset({"clientConnection", "tlsConfig", "data", "env", "command"})
"""Fields of a Scenario, a Timeline or a configuration that are left out."""

ELSEWHERE: Final = "http://extender.example"
"""The address that an extender has in a report."""

OWN: Final = ("schedcheck", "kubescheduler.config.k8s.io/", "descheduler/")
"""The groups of documents that speak of the names of others in words of their own."""

NAMED: Final = frozenset({"labels", "matchLabels", "nodeSelector", "annotations", "selector"})
"""Maps whose keys and values are given by people."""

AMOUNTS: Final = frozenset({"requests", "limits", "allocatable", "capacity", "overhead", "used", "hard"})
"""Maps whose keys are resources."""

SELECTING: Final = ("matchLabels", "matchExpressions", "nodeSelectorTerms")
OF_SCENARIOS: Final = ("pods", "nodes")
"""Maps of a Scenario whose keys are labels."""

KEPT: Final = frozenset({"apiVersion", "kind"})
PUBLIC: Final = re.compile(r"[^./]+(/[^/]*)?|([\w-]+\.)*(k8s\.io|kubernetes\.io|openshift\.io|karpenter\.sh)/[^/]*")
"""The API versions whose kinds are of Kubernetes and its projects; those of others get other names."""

LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"


@dataclass(frozen=True)
class Renaming:
    """The new word of each word of the input."""

    words: Mapping[str, str]
    scenario: bool = False

    def text(self, text: str) -> str:
        """Return a text of people with its words replaced: a name, an image, a value of a label."""
        if text in KNOWN or NUMBER.fullmatch(text) or KNOWN_KEY.fullmatch(text):
            return text
        return (ALONE if self.scenario else WORD).sub(lambda found: self.words.get(found[0], found[0]), text)

    def document(self, value: Any, key: str = "", within: str = "") -> Any:
        """Return a document, or a part of it below `key`, which is below `within`, with other names."""
        if not key and not self.scenario and isinstance(value, dict) and _is_own(value):
            return replace(self, scenario=True).document(value)
        if isinstance(value, dict):
            found = {
                self._key(each, key): self._type(part, value) if each in KEPT else self.document(part, each, key)
                for each, part in value.items()
                if not self._left_out(each, key) and not _unread_annotation(each, key)
            }
            return found
        if isinstance(value, list):
            return [self.document(each, "" if isinstance(each, dict) else key, within) for each in value]
        if not isinstance(value, str) or key in KEPT:
            return value
        if key == "urlPrefix":
            return ELSEWHERE
        if within == "annotations":
            return self._annotation(value)
        if key == "expression":
            return QUOTED.sub(lambda found: self.text(found[0]), value)
        return value if KIND.fullmatch(value) and within not in NAMED and key != "values" else self.text(value)

    def _left_out(self, key: str, of: str) -> bool:
        """Whether a field is left out: of a manifest what no definition reads, of a configuration how to reach a server."""
        return key in CONNECTIONS if self.scenario else key in LEFT_OUT and of not in NAMED

    def _key(self, key: str, of: str) -> str:
        return self.text(key) if _is_given(key, of) or (self.scenario and of in OF_SCENARIOS) else key

    def _type(self, value: Any, of: Mapping[str, Any]) -> Any:
        """Return the kind or the API version of an object, with other names if its group is not public."""
        if not isinstance(value, str) or _is_public(of):
            return value
        group, slash, version = value.rpartition("/")
        return f"{self.text(group)}/{version}" if slash else self.text(value)

    def _annotation(self, value: str) -> str:
        try:
            read = json.loads(value)
        except ValueError:
            return self.text(value)
        return json.dumps(self.document(read)) if isinstance(read, dict | list) else value


def renaming(documents: Iterable[Any], keep: Iterable[str] = ()) -> Renaming:
    """Return new words for all words that people gave in these documents, but for those of `keep`.

    A Scenario says what happens to the objects, and gives no words of its own but its name.
    """
    kept = {*keep}
    found: set[str] = set()
    for each in documents:
        scenario = isinstance(each, dict) and _is_own(each)
        texts = _texts(each["metadata"] if scenario and "metadata" in each else {} if scenario else each, "", "")
        found.update(word for text in texts for word in WORD.findall(text))
    words = sorted(word for word in found - kept if not word.isdecimal())
    width = next(size for size in range(2, 99) if 20 * len(ascii_lowercase) ** (size - 1) > len(words) + len(kept))
    new = (each for each in _new(width) if each not in kept)
    return Renaming(dict(zip(words, new, strict=False)))


def _new(width: int) -> Iterator[str]:
    """Yield all words of this width in their order; the first letter is one that no number has."""
    number = 0
    while True:
        rest, letters = number, ""
        for _ in range(width):
            rest, last = divmod(rest, len(ascii_lowercase))
            letters = ascii_lowercase[last] + letters
        yield letters
        number += 1


def _texts(value: Any, key: str, within: str) -> Iterator[str]:
    """Yield the texts of a document that a renaming changes."""
    if isinstance(value, dict):
        yield from () if _is_public(value) else (value["apiVersion"].rpartition("/")[0], str(value.get("kind", "")))
        for each, part in value.items():
            if (each in LEFT_OUT and key not in NAMED) or _unread_annotation(each, key):
                continue
            if _is_given(each, key) and _changed(each):
                yield each
            yield from _texts(part, each, key)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each, "" if isinstance(each, dict) else key, within)
    elif isinstance(value, str) and key == "expression":
        yield from QUOTED.findall(value)
    elif isinstance(value, str) and key not in KEPT and _changed(value):
        yield from () if KIND.fullmatch(value) and within not in NAMED and key != "values" else (value,)


def names_files(value: Any) -> bool:
    """Whether a Timeline or a Scenario, or a part of it, names files of its own."""
    if isinstance(value, dict):
        return "file" in value or any(map(names_files, value.values()))
    if isinstance(value, list):
        return any(map(names_files, value))
    return isinstance(value, str) and value.endswith((".yaml", ".yml", ".json"))


def _is_own(value: Mapping[str, Any]) -> bool:
    """Whether a document is a Scenario, a Timeline or a configuration, which speaks of the names of others in its own words."""
    return str(value.get("apiVersion", "")).startswith(OWN)


def _is_public(value: Mapping[str, Any]) -> bool:
    """Whether an object, or a reference to one, is of a group that everybody knows."""
    version = value.get("apiVersion", "")
    return not isinstance(version, str) or not version or PUBLIC.fullmatch(version) is not None


def _is_given(key: str, of: str) -> bool:
    """Whether a key of a map is a name that people gave, such as that of a label."""
    return of in AMOUNTS or (of in NAMED and key not in SELECTING)


def _changed(text: str) -> bool:
    return not (text in KNOWN or NUMBER.fullmatch(text) or KNOWN_KEY.fullmatch(text))


def _unread_annotation(key: str, of: str) -> bool:
    return of == "annotations" and (not KNOWN_KEY.fullmatch(key) or key == LAST_APPLIED)
