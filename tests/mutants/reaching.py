"""A pytest plugin that records which lines each test reaches, and how long it takes.

The environment gives the folders (REACHED_FOLDERS, separated by colons) and the output file (REACHED_FILE), as JSON:
`{"failed": [test, …], "tests": {test: {"seconds": s, "clock": s, "lines": {file: [line, …]}}}}`. Seconds are processor
time, clock is time by the clock.
"""

import gc
import json
import os
import time
from collections.abc import Generator
from functools import _lru_cache_wrapper
from pathlib import Path

import pytest
from coverage import Coverage


class Reaching:
    """Switches the context of the coverage measurement for each test."""

    def __init__(self, root: Path, folders: list[str], target: Path) -> None:
        self.root = root
        self.target = target
        # A package is imported through the links in schedcheck/, and so is its path.
        self.coverage = Coverage(data_file=None, include=[f"{root}/schedcheck/{folder}/*" for folder in folders])
        self.coverage.set_option("run:disable_warnings", ["no-data-collected"])
        self.seconds: dict[str, float] = {}
        self.clock: dict[str, float] = {}
        self.failed: list[str] = []
        self.file = ""
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run one test with its fixtures; the first of a file finds nothing remembered from the file before."""
        if item.nodeid.partition("::")[0] != self.file:
            self.file = item.nodeid.partition("::")[0]
            forget()
        self.coverage.switch_context(item.nodeid)
        began, by_the_clock = time.process_time(), time.monotonic()
        answer = yield
        self.seconds[item.nodeid] = time.process_time() - began
        self.clock[item.nodeid] = time.monotonic() - by_the_clock
        self.coverage.switch_context("")
        return answer

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record failures without a mutant."""
        if report.failed:
            self.failed.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write what was reached."""
        self.coverage.stop()
        data = self.coverage.get_data()
        lines: dict[str, dict[str, list[int]]] = {name: {} for name in self.seconds}
        for measured in sorted(data.measured_files()):
            file = Path(measured).resolve().relative_to(self.root).as_posix()
            for line, contexts in sorted(data.contexts_by_lineno(measured).items()):
                for name in contexts:
                    if name:
                        lines[name].setdefault(file, []).append(line)
        tests = {
            name: {"seconds": self.seconds[name], "clock": self.clock[name], "lines": lines[name]}
            for name in self.seconds
        }
        self.target.write_text(json.dumps({"failed": self.failed, "tests": tests}))


def forget() -> None:
    """Empty the caches of functions: a line that is not run because its answer is remembered would not be reached."""
    for each in gc.get_objects():
        if type(each) is _lru_cache_wrapper and each.__module__.startswith("schedcheck."):
            each.cache_clear()


def pytest_configure(config: pytest.Config) -> None:
    """Start to measure before the first test file is imported."""
    folders = os.environ["REACHED_FOLDERS"].split(":")
    config.pluginmanager.register(Reaching(config.rootpath.resolve(), folders, Path(os.environ["REACHED_FILE"])))
