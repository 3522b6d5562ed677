"""A witness without Go, which answers with the specification and one planted mistake: `Stub`

    python -m tests.live.stub [cordon | ends | nothing] [--store | --as-stored --self-check=3]

`cordon`: cordoned nodes are feasible. `ends`: it ends when a pod has a toleration.
"""

import json
import os
import sys
from typing import Any

from schedcheck.errors import InputError
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.recordings.conformance import comparisons
from schedcheck.recordings.recorded import Record, question
from tests.live.versions import profiles

Json = dict[str, Any]
SUCCESS = {"code": "Success"}


class Stub:
    """The witness, asked without a process."""

    def __init__(self, mistake: str = "nothing") -> None:
        self.mistake = mistake

    def stored(self, case: Json) -> Json:
        objects = [case["pod"], *(each for there in case.values() if isinstance(there, list) for each in there)]
        named = all(each.get("metadata", {}).get("name") for each in objects)
        return case if named else {"error": "illegal"}

    def answer(self, stored: Json) -> Json:
        if self.mistake == "ends" and stored["pod"]["spec"].get("tolerations"):
            os._exit(7)
        try:
            said = specified(stored)
        except InputError as error:
            return {"error": str(error)}
        if self.mistake == "cordon":
            for node in said["nodes"].values():
                if node["first"].get("plugin") == "NodeUnschedulable":
                    node["first"] = SUCCESS
        return said


def specified(case: Json) -> Json:
    """Return what the specification says, in the form of an answer."""
    line = {"id": "stub-1", "case": case, "expected": {}}
    whole = Field(Document("stub", 1, line, is_line=True), line)
    said: Json = {"preFilter": {}, "nodes": {}, "real": {}, "preemption": None}
    plugins = profiles("1.34.1", case.get("configuration"))
    for each in comparisons(Record("stub-1", "stub", whole["case"], {}), question(whole["case"]), *plugins):
        *path, last = (each.place or each.field).split(".")
        if path[:1] == ["nodes"]:
            path = ["nodes", (each.place.removeprefix("nodes.").removesuffix(f".{last}"))]
        part: Json = said
        for key in path:
            if part.get(key) is None:
                part[key] = {}
            part = part[key]
        if each.said is not None or last in ("allNominated", "nodeNames"):
            part[last] = each.said
    return said


def main(arguments: list[str]) -> None:
    """Answer the lines of standard input."""
    mistake = next((each for each in arguments if not each.startswith("-")), "nothing")
    stub = Stub(mistake)
    for line in sys.stdin:
        case = json.loads(line)
        print(json.dumps(stub.stored(case) if "--store" in arguments else stub.answer(case)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
