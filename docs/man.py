"""The manual page `schedcheck.1`, made from the help of all commands: `make docs` rewrites it, a test compares it."""

import re
import sys
from pathlib import Path
from unittest.mock import patch

from schedcheck.commands.application import application
from schedcheck.version import __version__

PAGE = Path(__file__).parent / "schedcheck.1"
CONTENTS = re.compile(r"^\.\. contents::.*\n(?:   :.*\n)*", re.MULTILINE)


def page() -> str:
    """Return the manual page."""
    from docutils.core import publish_string
    from docutils.writers.manpage import Writer

    # Usage lines begin with the name of the running program, which is not that of the page.
    with patch.object(sys, "argv", ["schedcheck"]):
        text = CONTENTS.sub("", application().generate_docs(output_format="rst"))
    settings = {"report_level": 4, "output_encoding": "unicode", "input_encoding": "unicode", "datestamp": None}
    made = str(publish_string(text, writer=Writer(), settings_overrides=settings))
    # The writer's comments hold the version of docutils; the title lacks section and program.
    lines = [line for line in made.splitlines() if not line.startswith(('.\\"', "'\\\""))]
    title = next(number for number, line in enumerate(lines) if line.startswith(".TH "))
    lines[title] = f'.TH "SCHEDCHECK" "1" "" "schedcheck {__version__}" "schedcheck"\n.ad l'
    name = next(number for number, line in enumerate(lines) if line.startswith("schedcheck \\-"))
    lines[name] = "schedcheck \\- check what a Kubernetes scheduler may do, in every order of events"
    return "\n".join(lines) + "\n"


def main() -> None:
    """Rewrite the page if it differs."""
    made = page()
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
        PAGE.write_text(made, encoding="utf-8")
        print(f"rewritten: {PAGE.name}", file=sys.stderr)


if __name__ == "__main__":
    main()
