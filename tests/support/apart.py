"""Runs in processes of their own, which may be killed: `apart`"""

import os
import signal
import time
import traceback
from collections.abc import Callable


def apart(do: Callable[[], str], limit: float | None = None) -> str:
    """The result of a separate process that is killed after this many seconds; empty if it was killed."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.close(reads)
            with os.fdopen(writes, "w") as file:
                file.write(do())
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(writes)
    if limit is not None:
        time.sleep(limit)
        os.kill(child, signal.SIGKILL)
    with os.fdopen(reads) as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return ""
    assert os.waitstatus_to_exitcode(status) == 0
    return text
