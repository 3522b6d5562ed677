"""At 80 and 160 columns every answer has the words that it has on a terminal of any width: no name is broken."""

import re
from collections import Counter

import pytest

from tests.questions import eks, judged
from tests.questions.asking import DUMPS, asked

COMMANDS = (
    "explain analytics/report-{} EKS",
    "explain ml/notebook-anna-0 GKE",
    "explain shop-prod/search-{} OPENSHIFT",
    "explain serving/frontend-{} GKE",
    "victims shop/kafka-0 EKS",
    "capacity deploy/orders -n shop-prod OPENSHIFT",
    "capacity GKE --nodes cpu=4,memory=16Gi",
    "capacity --empty OPENSHIFT",
    f"drain {eks.NAMES['g2']},{eks.NAMES['g4']} EKS",
    "drain -l eks.amazonaws.com/nodegroup=spot EKS",
    "fail -l cloud.google.com/gke-nodepool=spot-pool GKE",
    "lint GKE",
    f"deploy {DUMPS}/given/frontend-8.yaml --onto OPENSHIFT",
    f"deploy {DUMPS}/given/api-2.yaml --onto EKS",
    "check --pod deploy/search -n shop-prod OPENSHIFT",
    "simulate K3S --runs 1 --cores 1",
    "optimum K3S",
    f"compare --config examples/compare/most-allocated.yaml GKE {DUMPS}/given/importer.yaml",
    "check --budget shop-prod/mongodb OPENSHIFT",
)
DIFFERING = re.compile(r"^(Time|Cut) .*$", re.MULTILINE)


def words(command: str, width: int, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    return Counter(DIFFERING.sub("", asked(command).lines).split())


@pytest.mark.sampled(5)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_word_is_broken(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if "{}" in command:
        dump = command.rsplit(maxsplit=1)[1].lower()
        begun = command.split()[1].removesuffix("{}")
        pods = sorted(judged.of_kind(dump, "Pod"), key=lambda each: "nodeName" in each["spec"])
        full = next(judged.full(each) for each in pods if judged.full(each).startswith(begun))
        command = command.replace(command.split()[1], full)
    command = f"schedcheck {command}"
    wide = words(command, 4000, monkeypatch)
    assert words(command, 80, monkeypatch) == wide
    assert words(command, 160, monkeypatch) == wide
