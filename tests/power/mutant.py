"""The search with one mutant of the scheduler in place, in a process of its own: `python -m tests.power.mutant FILE`

FILE is JSON: the path and the text of the changed source, the seconds of CPU, the seed, the longest that it may take, and the kinds of search
if these are not all, each with its share of the seconds. The module is compiled from the text when it is
imported, so no file is changed, and nothing of the scheduler is imported before. One line of JSON tells what was found, and after how many seconds.
"""

import importlib
import json
import signal
import sys
import time
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from tests.power.ending import OutOfTimeError, over, short

AT_IMPORT = "at import"
TOO_LONG = "a case did not end"


def put_in(path: Path, text: str) -> None:
    """Let the module of this file be compiled from the text when it is imported."""
    plain = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        if Path(self.path).resolve() == path:
            return compile(text, self.path, "exec", dont_inherit=True)
        return plain(self, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


def main(given: Path) -> None:
    """Search, and print what was found."""
    asked: dict[str, Any] = json.loads(given.read_text("utf-8"))
    put_in(Path(asked["path"]).resolve(), asked["text"])
    begun = time.process_time()
    try:
        parts = importlib.import_module("tests.checker.differential.search.parts")
    except Exception as error:
        print(json.dumps({"how": f"{AT_IMPORT}: {short(error)}", "seconds": 0.0}))
        return
    began, found, done = time.process_time(), None, {}
    signal.signal(signal.SIGPROF, over)
    # Whatever takes the whole time once more hangs: no case does without the mutant.
    signal.setitimer(signal.ITIMER_PROF, asked["longest"])
    how, case = "", None
    try:
        names = tuple(asked.get("parts") or parts.PARTS)
        done, found = parts.searched(str(asked["seed"]), asked["seconds"], names, time.process_time)
    except OutOfTimeError:
        how = TOO_LONG
    signal.setitimer(signal.ITIMER_PROF, 0)
    if found is not None:
        how, case = f"{found.part} {found.start}: {short(found.what)}", [found.part, found.start]
    told = {
        "how": how,
        "case": case,
        "seconds": round(time.process_time() - began, 1),
        "start": round(began - begun, 1),
    }
    print(json.dumps({**told, "cases": sum(done.values())}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
