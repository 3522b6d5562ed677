"""The operators of ClassicExtenders agree with their twins in spec/, and broken definitions are detected"""

import pytest

from schedcheck.tla_export.shipped import FOLDER
from tests.tla.operators.asking import Tally, unlike
from tests.tla.operators.early_extenders import TWINS, settings


def test_operators_of_early_extenders_agree_with_their_twins() -> None:
    tallies: dict[str, Tally] = {}
    for setting in settings(range(24)):
        assert list(unlike(TWINS, setting, tallies)) == []
    assert all(tally.snapshots >= 20 and tally.varies for tally in tallies.values())


LATE = {"First |-> HighestOf(Named(Each))": 183, "THEN <<0, 0, 0, 0, 0, 0>>": 249}
"""The settings that show the definitions which seldom matter; the others are tried afterwards."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("Said.Failed \\union Said.Unresolvable", "Said.Failed"),
        ("* Extenders[i].Weight", ""),
        ("ELSE IF Extenders[i].Ignorable THEN EarlyKeptFrom(i + 1, Pod, Some)", ""),
        ("!.Violations = 0", "!.Violations = @"),
        ("Victims |-> Named(Each), Violations", "Victims |-> Each.Victims, Violations"),
        ("First |-> HighestOf(Named(Each))", "First |-> Each.First"),
        ("~Said.Down /\\ Unknown = {}", "~Said.Down"),
        ("ELSE IF Extenders[i].Ignorable THEN EarlyAgreedFrom(i + 1, Pod, Offered, Snapshot)", ""),
        ("Worthwhile(Pod, Snapshot) \\union EarlyFeasible(Pod, Snapshot)", "Worthwhile(Pod, Snapshot)"),
        ("THEN <<0, 0, 0, 0, 0, 0>>", "THEN <<2, 0, 0, 0, 0, 0>>"),
        ("IF Kept.Error THEN {Wait(Pod, FALSE)}", "IF Kept.Error THEN {Wait(Pod, TRUE)}"),
    ],
)
def test_a_broken_definition_of_early_extenders_is_detected(right: str, wrong: str) -> None:
    text = (FOLDER / "ClassicExtenders.tla").read_text(encoding="utf-8")
    assert right in text
    broken = {"ClassicExtenders": text.replace(right, wrong, 1)}
    first = LATE.get(right, 0)
    tried = settings((*range(first, 300), *range(first)))
    assert any(next(unlike(TWINS, setting, {}, broken), None) for setting in tried)
