"""The texts of a filter that fails on one node and refuses another: only the error is prefixed, as in kube-scheduler"""

import numpy as np

from schedcheck.model.production.framework.filtering import _explained
from schedcheck.model.production.framework.verdicts import FAILED, REFUSED, Verdicts

TEXTS = (("the storage is unknown",), ("too many volumes",))


def test_a_refusal_beside_an_error_keeps_its_text() -> None:
    said = Verdicts(np.array([FAILED, REFUSED], np.int8), np.array([0, 1], np.int64), lambda number: TEXTS[number])
    texts = _explained("NodeVolumeLimits", said)
    assert texts(0) == ('running "NodeVolumeLimits" filter plugin: the storage is unknown',)
    assert texts(1) == ("too many volumes",)
