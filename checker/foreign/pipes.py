"""A program with three pipes: one line is written to it, one line is read, under limits: `Running`.

The program leads a process group of its own. However this process ends, the group is ended: by `end`, else by a watcher,
a shell that kills the group once its standard input closes.
"""

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

CHUNK = 1 << 16
TAIL = 4096
"""The bytes of standard error that are kept."""

MOST_CHUNKS = 64
"""The most that is read of standard error at once, in chunks: a program may write without end."""

GRACE = 1.0
"""Seconds that a program gets to end by itself once its standard input is closed."""

WATCHER = 'read -r group && { while read -r _; do :; done; kill -s KILL -- "-$group"; } 2>/dev/null'


class Ended(Exception):
    """The program closed its standard output or ended."""


class Late(Exception):
    """The program wrote no whole line in time."""


class TooLong(Exception):
    """The program wrote a line that is longer than allowed."""


class Running:
    """A running program: `exchange` writes a line and reads one; `end` ends it with its children."""

    def __init__(self, command: Sequence[str], longest: int) -> None:
        """Start the program. Raises: OSError."""
        self.longest = longest
        self._made: list[tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]] | OSError] = []
        # Interrupts are raised in the main thread at any point; here none comes between the start and its record.
        self._starting = threading.Thread(target=self._start, args=(tuple(command),), daemon=True)
        self._unread = bytearray()
        self._error = bytearray()
        self._open = True
        try:
            self._starting.start()
            self._starting.join()
        except BaseException:
            self.end()
            raise
        if isinstance(self._made[0], OSError):
            raise self._made[0]
        self.process, self.watcher = self._made[0]
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            os.set_blocking(pipe.fileno(), False)

    def _start(self, command: tuple[str, ...]) -> None:
        """Start the watcher, then the program, and name the group of the program to the watcher."""
        pipe, silent = subprocess.PIPE, subprocess.DEVNULL
        try:
            watcher = subprocess.Popen(
                ["/bin/sh", "-c", WATCHER], stdin=pipe, stdout=silent, stderr=silent, start_new_session=True
            )
            assert watcher.stdin is not None
            try:
                process = subprocess.Popen(
                    command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
                )
            except OSError:
                watcher.stdin.close()
                watcher.wait()
                raise
            watcher.stdin.write(b"%d\n" % process.pid)
            watcher.stdin.flush()
        except OSError as error:
            self._made.append(error)
        else:
            self._made.append((process, watcher))

    def exchange(self, line: bytes, seconds: float) -> bytes:
        """Write the line with its newline, and return the first line that is not blank, without its newline.

        Raises: Ended, Late, TooLong.
        """
        process, to_write, end = self.process, memoryview(line), time.monotonic() + seconds
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdin, selectors.EVENT_WRITE)
            for pipe in (process.stdout, process.stderr):
                ready.register(pipe, selectors.EVENT_READ)
            while (found := self._line()) is None:
                if not self._open:
                    raise Ended
                left = end - time.monotonic()
                events = ready.select(left) if left > 0 else ()
                if not events:
                    raise Late
                for key, _ in events:
                    if key.fileobj is process.stdin:
                        to_write = self._written(to_write)
                        if not to_write:
                            ready.unregister(process.stdin)
                    elif key.fileobj is process.stdout:
                        self._read()
                    elif self._hear() is False:
                        ready.unregister(process.stderr)
            return found

    def more(self) -> bytes:
        """Return what the program has written by now beyond the lines that were read, white space aside."""
        if self._open:
            self._read()
        return bytes(self._unread).strip()

    def _line(self) -> bytes | None:
        """Take the first line that is not blank from what was read; None if it is not whole yet. Raises: TooLong."""
        while (at := self._unread.find(b"\n")) >= 0:
            line = bytes(self._unread[:at])
            del self._unread[: at + 1]
            if len(line) > self.longest:
                raise TooLong
            if line.strip():
                return line
        if len(self._unread) > self.longest:
            raise TooLong
        return None

    def _written(self, rest: memoryview) -> memoryview:
        """Write as much as the pipe takes, and return the rest; nothing is left for a program that reads no more."""
        assert self.process.stdin is not None
        try:
            return rest[os.write(self.process.stdin.fileno(), rest[:CHUNK]) :]
        except BlockingIOError:
            return rest
        except OSError:
            return rest[:0]

    def _read(self) -> None:
        """Read standard output once."""
        assert self.process.stdout is not None
        with suppress(BlockingIOError):
            read = os.read(self.process.stdout.fileno(), CHUNK)
            self._unread += read
            self._open = read != b""

    def _hear(self) -> bool | None:
        """Read standard error once, and keep its end; False at its end, None if there is nothing to read."""
        assert self.process.stderr is not None
        try:
            read = os.read(self.process.stderr.fileno(), CHUNK)
        except BlockingIOError:
            return None
        self._error += read
        del self._error[:-TAIL]
        return read != b""

    def error_tail(self) -> str:
        """Return the end of what the program has written to standard error."""
        for _ in range(MOST_CHUNKS):
            if not self._hear():
                break
        return self._error.decode("utf-8", "replace").strip()

    def ending(self) -> str:
        """Return how the program ended, in words; it gets a moment to end."""
        try:
            code = self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return "it closed its standard output and runs on"
        if code >= 0:
            return f"it ended with exit status {code}"
        with suppress(ValueError):
            return f"it was ended by {signal.Signals(-code).name}"
        return f"it was ended by signal {-code}"

    def end(self, grace: float = 0.0) -> None:
        """End the program and its children; with a grace it may first end by itself, in so many seconds."""
        if self._starting.ident is not None:
            self._starting.join()
        made = self._made[0] if self._made else None
        if made is None or isinstance(made, OSError):
            return
        process, watcher = made
        try:
            assert process.stdin is not None and watcher.stdin is not None
            with suppress(OSError):
                process.stdin.close()
            if grace:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(grace)
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            watcher.kill()
            watcher.wait()
            for pipe in (process.stdin, process.stdout, process.stderr, watcher.stdin):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()
