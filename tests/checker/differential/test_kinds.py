"""On random clusters of each kind of feature the production scheduler decides as allowed, and a broken twin does not"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings

from schedcheck.checker.differential.decisions import concluded, difference
from schedcheck.checker.drawing.kinds import Asked
from schedcheck.model.production.framework.verdicts import PASSED, Verdicts, verdicts
from schedcheck.model.production.plugins.taint_toleration import TaintToleration
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.testing import ALL, asked
from tests.checker.differential.test_random import SLOW


def agree(question: Asked) -> None:
    pod, snapshot = question
    others = replace(snapshot, pods=tuple(each for each in snapshot.pods if each != pod))
    found = difference(concluded(pod, others, DEFAULT_PLUGINS), others, DEFAULT_PLUGINS)
    assert found is None, found


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", [*ALL, "all"])
def test_every_decision_on_clusters_of_a_kind_is_allowed(kind: str) -> None:
    settings(max_examples=40, suppress_health_check=SLOW)(given(asked(ALL if kind == "all" else {kind}))(agree))()


def test_a_scheduler_without_a_filter_is_detected_by_its_kind_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def passing(self: object, state: object, pod: object, nodes: Nodes) -> Verdicts:
        return verdicts(np.full(len(nodes.rows), PASSED, np.int8))

    monkeypatch.setattr(TaintToleration, "filter", passing)
    once = settings(max_examples=60, suppress_health_check=SLOW, phases=[Phase.generate])
    with pytest.raises(AssertionError):
        once(given(asked({"taints"}))(agree))()
    once(given(asked({"resources", "ports"}))(agree))()
