"""Chromium without a window, driven through its debugging pipe; no library is needed."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ENTER = """
import fcntl, os, sys
reads, writes = (fcntl.fcntl(int(each), fcntl.F_DUPFD, 10) for each in sys.argv[1:3])
os.dup2(reads, 3)
os.dup2(writes, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Becomes the browser, which reads from descriptor 3 and writes to 4."""

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def found() -> str | None:
    """The browser, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A browser with one page; `problems` are its errors, warnings and messages, and the requests it made of a network."""

    def __init__(self, program: str, folder: Path) -> None:
        ours, theirs = os.pipe(), os.pipe()
        self.writes, self.reads = os.fdopen(ours[1], "wb", 0), os.fdopen(theirs[0], "rb")
        options = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={folder}",
            "--remote-debugging-pipe",
        ]
        shell = [sys.executable, "-c", ENTER, str(ours[0]), str(theirs[1]), program, *options, "about:blank"]
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(shell, pass_fds=(ours[0], theirs[1]), stdin=quiet, stdout=quiet, stderr=quiet)
        os.close(ours[0])
        os.close(theirs[1])
        self.number, self.session, self.problems = 0, "", list[str]()
        target = next(each for each in self.ask("Target.getTargets")["targetInfos"] if each["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command, and return its result."""
        self.number += 1
        asked = {"id": self.number, "method": method, "params": parameters}
        self.writes.write(json.dumps(asked | ({"sessionId": self.session} if self.session else {})).encode() + b"\0")
        while (told := self._next()).get("id") != self.number:
            pass
        assert "error" not in told, told
        result: dict[str, Any] = told["result"]
        return result

    def open(self, address: str) -> None:
        """Open a page, and wait until it is whole."""
        self.ask("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.protocol === 'file:'")

    def visit(self, address: str) -> None:
        """Open a page of a server, and wait until it is whole."""
        self.ask("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.protocol === 'http:'")

    def until(self, script: str) -> None:
        """Wait until an expression is true, for at most ten seconds."""
        end = time.monotonic() + 10
        while self.value(script) is not True:
            assert time.monotonic() < end, script

    def value(self, script: str) -> Any:
        """The value of an expression in the page."""
        return self.ask("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key."""
        named = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "Tab": 9, "Enter": 13}
        code = named.get(key, ord(key[0]))
        text = {"text": "\r"} if key == "Enter" else {} if key in named else {"text": key}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def close(self) -> None:
        """End the browser."""
        self.session = ""
        self.ask("Browser.close")
        self.writes.close()
        self.reads.close()
        self.process.wait(20)

    def _next(self) -> dict[str, Any]:
        """The next message; what is wrong with the page is kept."""
        read = bytearray()
        while (byte := self.reads.read(1)) != b"\0":
            assert byte, "the browser has ended"
            read += byte
        told: dict[str, Any] = json.loads(read)
        method, about = told.get("method", ""), told.get("params", {})
        if method in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
            self.problems.append(json.dumps(about))
        if method == "Network.requestWillBeSent" and not about["request"]["url"].startswith(
            ("file:", "about:", "data:")
        ):
            self.problems.append(about["request"]["url"])
        return told
