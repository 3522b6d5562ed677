"""A pytest plugin that runs chosen tests in a chosen order, each within a limit of processor time, up to the first that fails.

TRIED_FILE names a JSON file `{"tests": [[test, limit in seconds], …], "said": file}`; what fails first is written to `said`.
A test beyond its limit ends the process by SIGPROF.
"""

import json
import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest


class Trying:
    """Orders and limits the tests."""

    def __init__(self, limits: dict[str, float], said: Path) -> None:
        self.limits = limits
        self.said = said
        self.order = {name: place for place, name in enumerate(limits)}
        signal.signal(signal.SIGPROF, signal.SIG_DFL)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keeps the chosen tests, in their order."""
        items[:] = sorted(
            (item for item in items if item.nodeid in self.order), key=lambda item: self.order[item.nodeid]
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """One test, within its limit."""
        signal.setitimer(signal.ITIMER_PROF, self.limits[item.nodeid])
        answer = yield
        signal.setitimer(signal.ITIMER_PROF, 0)
        return answer

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Says which test failed."""
        if report.failed and not self.said.exists():
            self.said.write_text(report.nodeid)


def pytest_configure(config: pytest.Config) -> None:
    """Reads what is to be run."""
    asked = json.loads(Path(os.environ["TRIED_FILE"]).read_text("utf-8"))
    config.pluginmanager.register(Trying(dict(asked["tests"]), Path(asked["said"])))
