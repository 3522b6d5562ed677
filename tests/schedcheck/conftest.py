"""Chromium for tests of pages, which are skipped without it."""

from collections.abc import Iterator

import pytest

from tests.schedcheck.report.html.browser import Browser, found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return a browser; the test is skipped where there is none."""
    program = found()
    if program is None:
        pytest.skip("no Chromium here")
    made = Browser(program, tmp_path_factory.mktemp("browser"))
    yield made
    made.close()
