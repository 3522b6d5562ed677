"""Run chosen tests in a chosen order, each within a limit of processor time, up to the first failure: `ask`.

This is the whole work of a process that `trial.py` forks; a test beyond its limit ends the process by SIGPROF.
"""

import gc
import os
import resource
import signal
import sys
from collections.abc import Generator, Mapping
from pathlib import Path

import pytest
from hypothesis import Phase, settings


class Trying:
    """Orders and limits the tests, and records the first failure and the last test that began."""

    def __init__(self, limits: Mapping[str, float], said: Path, begun: Path) -> None:
        self.limits = limits
        self.said = said
        self.begun = begun
        self.order = {name: place for place, name in enumerate(limits)}

    def pytest_collection(self) -> None:
        """Switch off the shrinking of failures by Hypothesis: the existence of a failure is enough."""
        phases = (Phase.explicit, Phase.generate, Phase.target)
        settings.register_profile("unshrunk", settings(), phases=phases)
        settings.load_profile("unshrunk")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the chosen tests, in their order."""
        chosen = (item for item in items if item.nodeid in self.order)
        items[:] = sorted(chosen, key=lambda item: self.order[item.nodeid])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run one test within its limit."""
        self.begun.write_text(item.nodeid)
        signal.setitimer(signal.ITIMER_PROF, self.limits[item.nodeid])
        answer = yield
        signal.setitimer(signal.ITIMER_PROF, 0)
        return answer

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record a test that failed."""
        self.say(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a test file that cannot be imported."""
        self.say(report)

    def say(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        """Record the first failure."""
        if report.failed and not self.said.exists():
            self.said.write_text(report.nodeid)


def ask(copy: Path, limits: Mapping[str, float], said: Path, begun: Path, output: Path, memory: int) -> None:
    """Run the tests of `limits`, in seconds each, on the tree at `copy`; the exit code is pytest's."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    # A background job ignores interrupts, and so would the tests of them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with output.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(copy)
    sys.dont_write_bytecode = True
    gc.freeze()
    # Imports from here on use the copy.
    sys.path.insert(0, str(copy))
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "schedcheck")]:
        del sys.modules[name]
    files = sorted({name.partition("::")[0] for name in limits})
    # The libraries are imported before pytest could rewrite their assertions, and need not be rewritten.
    options = ["-W", "ignore::pytest.PytestAssertRewriteWarning", "-p", "no:cacheprovider", "-q", "-x", "--tb=short"]
    os._exit(pytest.main([*options, *files], plugins=[Trying(limits, said, begun)]))
