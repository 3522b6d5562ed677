"""The long run covers all of its kinds, even at the smallest scale"""

import pytest

from schedcheck.checker.divergences.domains import DOMAINS
from schedcheck.checker.divergences.victims import CHOOSING
from schedcheck.checker.drawing.questions import FAMILIES
from tests.checker.differential.long import COSTED, EARLY, EXAMPLES, main
from tests.support import early


def test_every_kind_of_cluster_has_a_number() -> None:
    assert EXAMPLES.keys() == FAMILIES.keys()
    assert EARLY.keys() == early.ASKED.keys()


def test_the_long_run_reports_on_every_kind_and_ends(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--scale", "0.0005", "--seed", "5"])
    told = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()]
    decided = [*FAMILIES, *sorted(map(str, DOMAINS)), *early.ASKED, "live"]
    costs = [*(row.name for row in CHOOSING), *COSTED, "large", "ends"]
    assert told == [*decided, "How far from the best", *costs, "2 configurations without a difference"]
