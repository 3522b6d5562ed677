"""What is wrong with a scheduler, as folders: the manifests, the replies, the reasons, and the command: `write`."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from schedcheck.checker.foreign.answered import Answered
from schedcheck.checker.foreign.complaints import Complaint
from schedcheck.manifests.manifests import yaml_text
from schedcheck.report.json.foreign import complaint_json
from schedcheck.report.text.foreign import about

CLUSTER, REPLY, RESULT, README = "cluster.yaml", "reply.json", "result.json", "README.md"


def write(
    complaints: Sequence[Complaint], folder: Path, again: Callable[[Sequence[Path], Path, str], str]
) -> tuple[Path, ...]:
    """Write each complaint to a folder of its own in `folder`, and return the files.

    again
        Returns the command that shows a complaint again: of the manifests that are asked before, the cluster and the pod.
    """
    return tuple(
        path
        for number, each in enumerate(complaints, 1)
        for path in _write(each, folder / name_of(number, each), again)
    )


def name_of(number: int, complaint: Complaint) -> str:
    """Return the name of the folder of a complaint."""
    return f"{number}-{complaint.kind}-{complaint.clause}".replace(" ", "-")


def _write(complaint: Complaint, folder: Path, again: Callable[[Sequence[Path], Path, str], str]) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    texts = {CLUSTER: _manifests(complaint.answered)}
    texts |= {_before(place): _manifests(each) for place, each in enumerate(complaint.before)}
    texts[REPLY] = json.dumps(complaint.answered.told, indent=2) + "\n"
    texts[RESULT] = json.dumps(complaint_json(complaint), indent=2) + "\n"
    before = [folder / _before(place) for place in range(len(complaint.before))]
    shown = again(before, folder / CLUSTER, "/".join(complaint.answered.pod.key))
    texts[README] = "\n".join([*about(complaint), "", "To see it again:", "", "```sh", shown, "```", ""])
    if complaint.answered.failure is not None:
        texts["stderr.txt"] = complaint.answered.failure.stderr + "\n"
    for name, text in texts.items():
        (folder / name).write_text(text, "utf-8")
        yield folder / name


def _before(place: int) -> str:
    return f"before-{place + 1}.yaml"


def _manifests(answered: Answered) -> str:
    return yaml_text(answered.question["cluster"]["items"])
