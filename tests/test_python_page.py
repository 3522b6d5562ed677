"""The examples of docs/python.md run, and give what the page shows."""

import doctest

import pytest

import schedcheck


def page(pytestconfig: pytest.Config) -> str:
    return (pytestconfig.rootpath / "docs" / "python.md").read_text(encoding="utf-8")


def failed(text: str) -> tuple[int, int]:
    test = doctest.DocTestParser().get_doctest(text.replace("```", ""), {}, "docs/python.md", "docs/python.md", 0)
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
    return result.failed, result.attempted


def test_every_example_of_the_page_gives_what_is_shown(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(pytestconfig.rootpath)
    wrong, attempted = failed(page(pytestconfig))
    assert attempted > 15
    assert wrong == 0


def test_an_example_with_another_result_is_noticed(capsys: pytest.CaptureFixture[str]) -> None:
    assert failed("```python\n>>> 1 + 1\n3\n\n```\n") == (1, 1)
    assert "Expected" in capsys.readouterr().out


def test_the_page_names_every_function(pytestconfig: pytest.Config) -> None:
    functions = [name for name in schedcheck.__all__ if name[0].islower()]
    assert [name for name in functions if name not in page(pytestconfig)] == []
