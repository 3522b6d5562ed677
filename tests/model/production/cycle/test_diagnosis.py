"""The plugins recorded as the cause of a rejection"""

import pytest

from schedcheck.model.production.cycle.diagnosis import Diagnosis
from schedcheck.model.production.framework.status import Code, Status


@pytest.mark.parametrize(
    ("status", "refused_by", "pending"),
    [
        (Status(Code.UNSCHEDULABLE, (), "A"), {"A"}, set()),
        (Status(Code.UNRESOLVABLE, (), "A"), {"A"}, set()),
        (Status(Code.PENDING, (), "A"), {"A"}, {"A"}),
        (Status(Code.PENDING), set(), set()),
        (Status(Code.UNSCHEDULABLE), set(), set()),
        (Status(Code.ERROR, (), "A"), set(), set()),
    ],
)
def test_a_rejecting_plugin_is_recorded_and_a_pending_one_separately(
    status: Status, refused_by: set[str], pending: set[str]
) -> None:
    diagnosis = Diagnosis()
    diagnosis.blame(status)
    assert (diagnosis.refused_by, diagnosis.pending) == (refused_by, pending)
