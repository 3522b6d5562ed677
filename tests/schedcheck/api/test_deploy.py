"""Controllers of a Scenario beside `deploy`, which does not model what they would do"""

from pathlib import Path

import pytest

import schedcheck


@pytest.mark.parametrize(
    "controller",
    ["descheduler: policy.yaml", "nodePools: pools.yaml", "karpenter: karpenter.yaml", "autoscaler: {readings: [50]}"],
)
def test_controllers_of_a_scenario_that_would_act_are_refused_by_name(controller: str, tmp_path: Path) -> None:
    example = Path(__file__).parents[3] / "examples" / "deploy"
    onto = tmp_path / "cluster.yaml"
    head = "---\napiVersion: schedcheck/v1alpha1\nkind: Scenario\nmetadata: {name: s}\n"
    onto.write_text(
        f"{(example / 'cluster.yaml').read_text()}\n{head}spec: {{controllers: [owners, {{{controller}}}]}}\n"
    )
    with pytest.raises(schedcheck.InputError, match=r"spec.controllers\[1\].*is not modelled in deploy"):
        schedcheck.deploy([example / "web-2.yaml"], onto=[onto])
