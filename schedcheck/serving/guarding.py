"""Who may ask the explorer: `Guarding`.

A page of another site can make a browser on this machine ask a server of the loopback interface. So a request must name the
server by one of its own names, and a request that changes something must come from a page of the server.
"""

import hmac
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN, COOKIE = "token", "schedcheck-token"

SAFE: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
"""The headers of every answer."""


class Guarding:
    """The application behind its guard: `hosts` are its names, any if there are none; with a `token` it asks for that."""

    def __init__(self, app: ASGIApp, token: str | None, hosts: tuple[str, ...]) -> None:
        self.app, self.token, self.hosts = app, token, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SAFE.items():
                    headers.append(name, value)
            await send(message)

        refusal = self._refusal(scope)
        await (self.app if refusal is None else refusal)(scope, receive, guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.hosts and _name(host) not in self.hosts:
            return PlainTextResponse(f"this server is not called {_name(host)!r}\n", 421)
        origin = headers.get("origin")
        foreign = headers.get("sec-fetch-site") in ("cross-site", "same-site")
        if scope["method"] == "POST" and (foreign or (origin is not None and urlsplit(origin).netloc != host)):
            return PlainTextResponse("a page of another site may change nothing here\n", 403)
        return None if self.token is None else self._without_token(scope, headers, self.token)

    def _without_token(self, scope: Scope, headers: Headers, token: str) -> Response | None:
        """Take the token of an address into a cookie; refuse a request that has neither."""
        asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = next((value for name, value in asked if name == TOKEN), None)
        if given is not None and hmac.compare_digest(given.encode(), token.encode()):
            rest = urlencode([each for each in asked if each[0] != TOKEN])
            moved = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
            moved.set_cookie(COOKIE, token, httponly=True, samesite="strict", secure=scope["scheme"] == "https")
            return moved
        held = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        if hmac.compare_digest(held.encode(), token.encode()):
            return None
        return PlainTextResponse("the address lacks its token; the server has told the whole address\n", 401)


def _name(host: str) -> str:
    """Return the name in the header Host, without the port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
