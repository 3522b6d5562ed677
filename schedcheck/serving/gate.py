"""The limits of requests: size, seconds, and how many at once: `Gate`, `Refused`."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.requests import ClientDisconnect, Request

RETRY_SECONDS = 1


class Refused(Exception):
    """A request that is not answered: its status code and the reason."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass
class Gate:
    """The requests that are let in: at most so many at once, of so many bytes each, and together."""

    most_requests: int
    most_bytes: int
    seconds: float
    inside: int = 0
    held: int = 0

    @property
    def most_held(self) -> int:
        """The bytes that all requests together may hold."""
        return 4 * self.most_bytes

    @asynccontextmanager
    async def body(self, request: Request, expected: str = "application/json") -> AsyncIterator[bytes]:
        """Yield the body of a request, of this content type. Raises: Refused."""
        self._headers(request, expected)
        if self.inside >= self.most_requests:
            raise Refused(503, f"more than {self.most_requests} requests at once")
        self.inside += 1
        taken = [0]
        try:
            yield await self._read(request, taken)
        finally:
            self.inside -= 1
            self.held -= taken[0]

    def _headers(self, request: Request, expected: str) -> None:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != expected:
            raise Refused(415, f"expected the content type {expected}")
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            raise Refused(415, "expected no content encoding")
        length = request.headers.get("content-length", "")
        if length.isdecimal() and int(length) > self.most_bytes:
            raise Refused(413, f"expected at most {self.most_bytes:,} bytes")

    async def _read(self, request: Request, taken: list[int]) -> bytes:
        parts: list[bytes] = []
        try:
            async with asyncio.timeout(self.seconds):
                async for part in request.stream():
                    taken[0] += len(part)
                    self.held += len(part)
                    if taken[0] > self.most_bytes:
                        raise Refused(413, f"expected at most {self.most_bytes:,} bytes")
                    if self.held > self.most_held:
                        raise Refused(503, f"more than {self.most_held:,} bytes in all requests together")
                    parts.append(part)
        except TimeoutError:
            raise Refused(408, f"the body took longer than {self.seconds:g} s") from None
        except ClientDisconnect:
            raise Refused(400, "the connection was closed before the end of the body") from None
        return b"".join(parts)


def retry_after() -> str:
    """Return the seconds after which a refused client may try again."""
    return str(math.ceil(RETRY_SECONDS))
