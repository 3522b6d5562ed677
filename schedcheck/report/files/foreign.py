"""What is wrong with a scheduler, as folders: the manifests, the replies, the reasons, and the command: `write`."""

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from schedcheck.checker.foreign.answered import Answered
from schedcheck.checker.foreign.complaints import Complaint
from schedcheck.manifests.manifests import yaml_text
from schedcheck.report.json.foreign import complaint_json
from schedcheck.report.text.foreign import about

CLUSTER, REPLY, RESULT, README = "cluster.yaml", "reply.json", "result.json", "README.md"


def write(
    complaints: Sequence[Complaint], command: Sequence[str], strictness: str, options: Sequence[str], folder: Path
) -> tuple[Path, ...]:
    """Write each complaint to a folder of its own in `folder`, and return the files."""
    return tuple(
        path
        for number, each in enumerate(complaints, 1)
        for path in _write(each, command, strictness, options, folder / name_of(number, each))
    )


def name_of(number: int, complaint: Complaint) -> str:
    """Return the name of the folder of a complaint."""
    return f"{number}-{complaint.kind}-{complaint.clause}".replace(" ", "-")


def shown_again(complaint: Complaint, command: Sequence[str], strictness: str, options: Sequence[str], at: Path) -> str:
    """Return the command that shows a complaint again, written to this folder."""
    before = [part for place in range(len(complaint.before)) for part in ("--before", str(at / _before(place)))]
    held = [] if strictness == "best" else ["--strictness", strictness]
    words = [
        *("schedcheck", "diff", "--scheduler", shlex.join(command)),
        *held,
        *options,
        *before,
        *("--pod", "/".join(complaint.answered.pod.key)),
        str(at / CLUSTER),
    ]
    return shlex.join(words)


def _write(
    complaint: Complaint, command: Sequence[str], strictness: str, options: Sequence[str], folder: Path
) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    texts = {CLUSTER: _manifests(complaint.answered)}
    texts |= {_before(place): _manifests(each) for place, each in enumerate(complaint.before)}
    texts[REPLY] = json.dumps(complaint.answered.told, indent=2) + "\n"
    texts[RESULT] = json.dumps(complaint_json(complaint), indent=2) + "\n"
    again = shown_again(complaint, command, strictness, options, folder)
    texts[README] = "\n".join([*about(complaint), "", "To see it again:", "", "```sh", again, "```", ""])
    if complaint.answered.failure is not None:
        texts["stderr.txt"] = complaint.answered.failure.stderr + "\n"
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
        yield folder / name


def _before(place: int) -> str:
    return f"before-{place + 1}.yaml"


def _manifests(answered: Answered) -> str:
    return yaml_text(answered.question["cluster"]["items"])
