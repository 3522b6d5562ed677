"""The names of parameters in messages, by default those of the Python API"""

import pytest

from schedcheck.checker.limits.parameters import parameter, spelled


def test_a_parameter_has_its_python_name_by_default() -> None:
    assert parameter("limits.seconds") == "limits.seconds"


def test_a_spelling_applies_to_its_body_alone_even_if_the_body_raises() -> None:
    with pytest.raises(KeyError), spelled(str.upper):
        assert parameter("limits.seconds") == "LIMITS.SECONDS"
        with spelled(str.title):
            assert parameter("limits.seconds") == "Limits.Seconds"
        assert parameter("limits.seconds") == "LIMITS.SECONDS"
        raise KeyError
    assert parameter("limits.seconds") == "limits.seconds"
