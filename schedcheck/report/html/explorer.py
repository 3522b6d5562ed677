"""The pages of the explorer, made from JSON alone: `place_page`, `checked_page`, `edit_page`, `explained_page`, `error_page`."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from schedcheck.report.html.leads import lead
from schedcheck.report.html.page import environment, file_of, page

Json = Mapping[str, Any]

MOST_OPTIONS = 200
"""The most steps of a kind that a page lists."""

MOST_FOLDED = 100
"""The most nodes that are listed although they never change."""


def place_page(place: Json, digest: str, find: str = "", notes: Sequence[str] = ()) -> str:
    """Return the page of a place; `find` is a text that the listed steps contain."""
    found = [each for each in place["options"] if find.lower() in each["action"].lower()]
    decisions = [each for each in found if each["by"]]
    others = [each for each in found if not each["by"]]
    return _rendered(
        "explorer_place.html",
        place=place,
        digest=digest,
        find=find,
        notes=notes,
        tables=[("The scheduler", decisions), ("Everything else", others)],
        most=MOST_OPTIONS,
        most_folded=MOST_FOLDED,
        spelled=spelled,
    )


def checked_page(answer: Json, places: Sequence[Sequence[int] | None], digest: str, back: str) -> str:
    """Return the page of a check; `places` are the paths of the counterexamples, None where one cannot be walked."""
    return _rendered(
        "explorer_check.html",
        answer=answer,
        lead=lead(answer, "CheckResult"),
        places=[None if each is None else spelled(each) for each in places],
        digest=digest,
        back=back,
    )


def edit_page(
    digest: str, back: str, names: Sequence[Sequence[str]], text: str, asked: str = "", wrong: str = ""
) -> str:
    """Return the page on which objects are changed: those that there are, a text, and what was wrong with it."""
    return _rendered("explorer_edit.html", digest=digest, back=back, names=names, text=text, asked=asked, wrong=wrong)


def explained_page(answer: Json, digest: str, back: str) -> str:
    """Return the page of an explanation."""
    return page(answer, "Explanation", "explorer_explain.html", cluster=digest, back=back)


def error_page(title: str, reason: str) -> str:
    """Return the page of a request that cannot be answered."""
    return _rendered("explorer_error.html", title=title, reason=reason)


def spelled(path: Sequence[int]) -> str:
    """Return a path as a part of an address."""
    return ".".join(map(str, path)) or "start"


def _rendered(template: str, **named: object) -> str:
    script = file_of("explorer.js")
    return (
        environment()
        .get_template(template)
        .render(
            **named,
            script=script,
            hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            style=file_of("page.css"),
        )
    )
