"""Feature gates are read, defaulted and refused as each version of kube-scheduler does; its answers were recorded"""

import re
from collections import Counter

import pytest

from schedcheck.errors import InputError
from schedcheck.manifests.feature_gates import (
    BATCHING,
    STAGES,
    WITH_GANGS,
    WITHOUT,
    WITHOUT_PLUGIN,
    enabled,
    named_gates,
    switched,
)
from schedcheck.manifests.gate_defaults import GATES, PATCHES, QUEUE, READ, Gate, needs
from schedcheck.spec.kubernetes.departures import Departure
from tests.live.gates import recorded

KINDS = {
    "written": "expected a list such as",
    "component": "no other component|with the prefix kube:",
    "gate": "has no feature gate of this name|no feature gate has this name|as it is locked",
    "needs": "that are on need it",
}
"""What schedcheck says for each kind of refusal."""


def known(patch: str) -> dict[str, Gate]:
    return {name: versions[patch] for name, versions in GATES.items() if patch in versions}


def answer(values: tuple[str, ...], patch: str) -> dict[str, object]:
    """Return what schedcheck makes of the flag, in the form of the recorded answers."""
    try:
        wanted = named_gates(values, "--feature-gates")
        now = dict(enabled(wanted, known(patch), patch, "--feature-gates"))
    except InputError as error:
        return {"refused": next(kind for kind, said in KINDS.items() if re.search(said, str(error)))}
    defaults = {name: gate.on for name, gate in known(patch).items()} | dict.fromkeys(STAGES, False)
    now |= {name: wanted.get(name, False) for name in STAGES}
    changed = {name: on for name, on in now.items() if on != defaults[name]}
    return {"changed": changed} if changed else {}


@pytest.mark.parametrize("patch", PATCHES)
def test_the_table_is_that_of_kubernetes(patch: str) -> None:
    table, _ = recorded(patch)
    told = {
        name: Gate(each["stage"], each["default"], each["locked"]) for name, each in table.items() if name not in STAGES
    }
    assert known(patch) == told
    assert {name: sorted(needs(name, patch)) for name in told} == {
        name: sorted(table[name].get("needs", [])) for name in told
    }
    assert all(table[name] == {"default": False, "locked": False, "stage": stage} for name, stage in STAGES.items())


@pytest.mark.parametrize("patch", PATCHES)
def test_each_value_of_the_flag_has_the_recorded_answer(patch: str) -> None:
    _, answers = recorded(patch)
    wrong = {values: (told, answer(values, patch)) for values, told in answers if told != answer(values, patch)}
    assert not wrong
    assert min(Counter(told.get("refused", "none") for _, told in answers).values()) >= 4


def test_every_kind_of_refusal_is_recorded() -> None:
    _, answers = recorded("1.37.2")
    assert {told["refused"] for _, told in answers if "refused" in told} == set(KINDS)


def said(gates: str, patch: str) -> str:
    with pytest.raises(InputError) as raised:
        switched((gates,), patch, "--feature-gates")
    return str(raised.value)


@pytest.mark.parametrize("patch", PATCHES)
@pytest.mark.parametrize("name", sorted(READ - {BATCHING}))
def test_a_gate_that_decisions_depend_on_is_a_departure_or_refused(name: str, patch: str) -> None:
    """Nothing is accepted without an effect: neither a gate that is read, nor one that a stage switches."""
    if patch not in GATES[name]:
        assert f"'{name}': kube-scheduler {patch[:4]} has no feature gate of this name" in said(f"{name}=true", patch)
        return
    other = not GATES[name][patch].on
    text = f"{name}={'true' if other else 'false'}"
    if name in WITHOUT and patch in WITHOUT[name][1] and not GATES[name][patch].locked:
        needing = [each for each in known(patch) if name in needs(each, patch)]
        assert not other or not needing
        change = switched((text, *(f"{each}=false" for each in needing)), patch, "--feature-gates")
        departure = frozenset(WITHOUT[each][0] for each in (name, *needing) if each in WITHOUT)
        assert (change.ended, change.begun) == ((departure, frozenset()) if other else (frozenset(), departure))
    elif name == "GenericWorkload" and patch in WITH_GANGS and patch not in WITHOUT_PLUGIN:
        assert bool(switched((text,), patch, "--feature-gates").gangs) == (WITH_GANGS[patch][0] == name)
    else:
        message = said(text, patch)
        assert re.search("is not modelled|locked|that are on need it", message), message


def test_the_stages_switch_what_is_not_named() -> None:
    assert said("AllBeta=true", "1.37.2") == (
        "--feature-gates: the feature gate DRAFractionalCapacityRange=true, which AllBeta switches, is not modelled for 1.37"
    )
    off = "AllBeta=true,DRAFractionalCapacityRange=false,DRAWorkloadResourceClaims=false,GenericWorkload=false"
    assert switched((off,), "1.37.2", "").begun == frozenset()
    alpha = "AllAlpha=true,GangScheduling=false,GenericWorkload=false,TaintTolerationComparisonOperators=false"
    assert "WorkloadWithJob" not in said(alpha, "1.36.4")
    assert switched(("AllAlpha=false",), "1.34.9", "") == switched((), "1.34.9", "")


def test_all_beta_off_ends_the_scores_of_storage_and_says_what_else_is_not_modelled() -> None:
    kept = ",".join(
        f"{name}=true"
        for name in known("1.37.2")
        if known("1.37.2")[name].stage == "BETA" and known("1.37.2")[name].on and name not in WITHOUT
    )
    change = switched((f"AllBeta=false,{kept}",), "1.37.2", "")
    assert change.begun == {
        Departure.STORAGE_CAPACITY_UNRATED, Departure.MISSING_DRIVERS_IGNORED, Departure.POD_LEVEL_STATUS_IGNORED
    }  # fmt: skip
    without = kept.replace("DRASchedulerFilterTimeout=true,", "")
    assert "DRASchedulerFilterTimeout=false, which AllBeta switches, is not modelled for 1.37" in said(
        f"AllBeta=false,{without}", "1.37.2"
    )


def test_gates_of_the_queue_are_named_and_change_no_decision() -> None:
    for patch in PATCHES:
        for name in QUEUE & set(known(patch)):
            if known(patch)[name].locked:
                continue
            found = switched((f"{name}={'false' if known(patch)[name].on else 'true'}",), patch, "")
            assert found.queue == (name,)
            assert not found.begun | found.ended


def test_batching_is_on_from_1_35_unless_it_is_switched_off() -> None:
    assert [switched((), patch, "").batching for patch in PATCHES] == [False, False, True, True, True]
    assert not switched((f"{BATCHING}=false",), "1.36.4", "").batching
    assert f"'{BATCHING}': kube-scheduler 1.34 has no feature gate of this name" in said(f"{BATCHING}=true", "1.34.9")
