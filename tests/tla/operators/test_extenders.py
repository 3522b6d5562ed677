"""The operators of KubeExtenders agree with their twins in spec/, and broken definitions are detected"""

import pytest

from schedcheck.tla_export.shipped import FOLDER
from tests.tla.operators.asking import Tally, unlike
from tests.tla.operators.extenders import TWINS, settings
from tests.tla.operators.extenders import setting as drawn


@pytest.mark.medium
def test_operators_of_extenders_agree_with_their_twins() -> None:
    tallies: dict[str, Tally] = {}
    for setting in settings(range(12), 4):
        assert list(unlike(TWINS, setting, tallies)) == []
    assert all(tally.snapshots >= 10 and (tally.varies or name == "ExtenderUnit") for name, tally in tallies.items())


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("!.Unresolvable = @ \\union ForGood", "!.Failed = @ \\union ForNow \\union ForGood"),
        ("Left \\ (ForGood \\union ForNow)", "Left"),
        ("* Extenders[i].Weight", ""),
        ("Extender.Manages = {}", "TRUE"),
        ("ELSE IF Extenders[i].Ignorable THEN KeptFrom(i + 1, Pod, Left)", ""),
        ("!.Victims = Chosen(Each)", "!.Victims = @"),
        ("!.Victims = Chosen(Each)", "!.Victims = @ \\union Chosen(Each)"),
        ("Said.Down \\/ Unknown # {}", "Said.Down"),
        ("Emptied # {} /\\ ~Extenders[i].Ignorable", "FALSE"),
        ("Each.Victims # {} /\\ Chosen(Each) = {}", "Chosen(Each) = {}"),
    ],
)
def test_a_broken_definition_of_extenders_is_detected(right: str, wrong: str) -> None:
    texts = {name: (FOLDER / f"{name}.tla").read_text(encoding="utf-8") for name in ("Extending", "KubeExtenders")}
    broken = {name: text.replace(right, wrong, 1) for name, text in texts.items() if right in text}
    assert len(broken) == 1
    twins = [each for each in TWINS if each.operator != "ExtendedDecisions"]
    assert any(next(unlike(twins, setting, {}, broken), None) for setting in settings(range(40), 4))


DEPARTING = '"needless-preemption-fails" \\in Departures ELSE'
ASKED = 'AskedAboutVictims(Pod) /\\ "needless-preemption-fails" \\notin Departures'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong", "number"),
    [(DEPARTING, "FALSE ELSE", 0), (ASKED, "FALSE", 2), (ASKED, "AskedAboutVictims(Pod)", 19)],
)
def test_a_broken_end_of_needless_preemption_is_detected(right: str, wrong: str, number: int) -> None:
    text = (FOLDER / "KubeExtenders.tla").read_text(encoding="utf-8")
    assert text.count(right) == 1
    twins = [each for each in TWINS if each.operator == "ExtendedDecisions"]
    asked = drawn(number, range(4 * number, 4 * number + 4), refusing=True)
    assert list(unlike(twins, asked, {})) == []
    assert list(unlike(twins, asked, {}, {"KubeExtenders": text.replace(right, wrong)}))
