"""Configurations come to the same plugins, weights, arguments and numbers as kube-scheduler's own code says, or to a refusal"""

import pytest

from tests.live.configurations import EMPTY, REFUSED, read, recorded, told_alone
from tests.live.versions import KNOWN


@pytest.mark.parametrize("version", KNOWN)
def test_a_configuration_comes_to_what_kube_scheduler_makes_of_it(version: str) -> None:
    different = [
        document for document, answer in recorded(version) if told_alone(read(document, version), answer) != answer
    ]
    assert different == []


@pytest.mark.parametrize("version", KNOWN)
def test_the_recorded_configurations_are_accepted_and_refused(version: str) -> None:
    answers = [answer for _, answer in recorded(version)]
    assert len(answers) > 60 and 20 < answers.count(REFUSED) < len(answers) - 40
    assert recorded(version)[0][0] == EMPTY and answers[0] != REFUSED


def test_a_broken_reading_is_detected() -> None:
    """The defaults of 1.37 are not those of 1.34: the plugins at preFilter, and the score of claims."""
    _, answer = recorded("1.34.9")[0]
    assert told_alone(read(EMPTY, "1.37.2"), answer) != answer
