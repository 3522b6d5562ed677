"""The page of the questions: twenty, each with one command on one of the dumps, and a link to the page of the command."""

import re

from tests.questions.asking import ROOT

PAGE = (ROOT / "docs" / "questions.md").read_text()
QUESTION = re.compile(
    r"^\*\*(\d+)\. [^*]*\?\*\*.*?\[More\]\((\w+)\.md\)\n\n```console\n\$ schedcheck (.*?)\n```$", re.M | re.S
)


def test_each_question_has_one_command_and_the_page_of_the_command() -> None:
    found = QUESTION.findall(PAGE)
    assert [int(number) for number, _, _ in found] == list(range(1, 21))
    for _, page, command in found:
        assert "\n" not in command
        text = (ROOT / "docs" / f"{page}.md").read_text()
        assert f"schedcheck {command.split()[0]} " in text, page


def test_each_dump_is_asked_about() -> None:
    for dump in ("eks", "gke", "k3s", "openshift"):
        assert f"tests/data/questions/{dump}" in PAGE
