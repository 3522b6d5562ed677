"""The versions of kube-scheduler are the same ones in the specification, the API and on the command line."""

from typing import get_args

from schedcheck.api import values
from schedcheck.commands.options import KubeName
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.schedulers import NAMES, OF_PLUGINS


def test_the_api_names_the_versions_that_are_specified() -> None:
    assert tuple(VERSIONS) == values.VERSIONS
    assert set(values.NAMES) == set(NAMES)


def test_the_command_line_names_the_profiles_of_kube_scheduler() -> None:
    assert get_args(KubeName) == tuple(OF_PLUGINS)
