"""An answer as one HTML file: `page`.

The file loads nothing. Its own style and script are inline, and a policy in it allows that one script alone; so text from
manifests could not run even if it were not escaped.
"""

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from schedcheck.errors import InputError
from schedcheck.report.html import plain
from schedcheck.report.html.folding import MOST_NAMED, beyond, keyed_pools, pools, several
from schedcheck.report.html.leads import kind_of, lead
from schedcheck.report.html.state_graph import drawing
from schedcheck.report.html.timeline import latest, timeline
from schedcheck.report.text.victims import figures

if TYPE_CHECKING:
    from jinja2 import Environment

Json = Mapping[str, Any]

PAGES = {
    "CheckResult": ("check", "check.html"),
    "ExploredResult": ("diff --explore", "check.html"),
    "SchedulerCheck": ("check --scheduler", "check.html"),
    "Explanation": ("explain", "explain.html"),
    "Explanations": ("explain", "explanations.html"),
    "EachSelected": ("victims", "explanations.html"),
    "Relocated": ("drain and fail", "relocation.html"),
    "Deployed": ("deploy", "deploy.html"),
    "Victims": ("victims", "victims.html"),
    "Optimum": ("optimum", "any.html"),
    "Capacity": ("capacity", "any.html"),
    "NodesNeeded": ("capacity --nodes", "any.html"),
    "NodesToSpare": ("capacity --empty", "any.html"),
    "Comparison": ("compare", "comparison.html"),
    "SmallestDifference": ("compare --smallest", "comparison.html"),
    "Differences": ("diff", "any.html"),
    "SchedulerDifferences": ("diff --scheduler", "any.html"),
    "Replayed": ("replay", "replay.html"),
    "Simulated": ("simulate", "simulation.html"),
    "Inductions": ("induct", "any.html"),
}
"""The command and the template of each class of answers; the others have the template of any answer."""


def page(answer: Json, kind: str, within: str = "", **more: object) -> str:
    """Return the page of an answer, given as its JSON (tuples count as lists) and the name of its class.

    `within` is another template, which extends that of the class, and `more` are its names.

    Raises: InputError without Jinja2, which the extra `html` installs.
    """
    needed()
    answer = json.loads(json.dumps(answer))
    command, template = PAGES.get(kind, (kind, "any.html"))
    if isinstance(answer.get("unknown"), str):
        template = "any.html"
    script, style = file_of("page.js"), file_of("page.css")
    made = environment().get_template(within or template)
    return made.render(
        **more,
        **_simulated(kind),
        answer=answer,
        command=_command(answer, kind, command),
        subject=_subject(answer),
        lead=lead(answer, kind),
        script=script,
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        style=style,
        data=_data(answer),
    )


def framed(text: str) -> str:
    """Return a page as a frame that can be put into another page, and do nothing to that."""
    shown = html.escape(text, quote=True)
    style = "border: 1px solid #ccc; border-radius: 6px; height: 36rem; width: 100%"
    return f'<iframe sandbox="allow-scripts" title="The answer" style="{style}" srcdoc="{shown}"></iframe>'


def needed() -> None:
    """Raises: InputError without Jinja2."""
    try:
        import jinja2
    except ImportError:
        raise InputError("needs the extra `html`, which installs jinja2: pip install 'schedcheck[html]'") from None
    del jinja2


@cache
def environment() -> "Environment":
    """Return the templates. They escape everything. Raises: InputError without Jinja2."""
    needed()
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("schedcheck.report.html", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {
        "timeline": timeline,
        "drawing": drawing,
        "latest": latest,
        "columns": plain.columns,
        "ordered": plain.ordered,
        "short_list": plain.short_list,
        "points": plain.points,
        "apart": plain.apart,
        "LONG": plain.LONG,
        "MOST_NAMED": MOST_NAMED,
    }
    made.filters |= {
        "heading": plain.heading, "form": plain.form, "plain": plain.text, "named": plain.named, "pretty": plain.pretty,
        "relocating": plain.relocating, "several": several, "pools": pools, "keyed_pools": keyed_pools, "beyond": beyond,
        "figures": figures, "helpless": plain.helpless,
        "lead": lead, "kind_of": kind_of,
    }  # fmt: skip
    return made


def file_of(name: str) -> str:
    """Return the text of a file beside the templates."""
    return (files("schedcheck.report.html") / "templates" / name).read_text(encoding="utf-8")


def _simulated(kind: str) -> dict[str, object]:
    """Return the names of the page of a simulation, which takes them from modules that no other page needs."""
    if kind != "Simulated":
        return {}
    from schedcheck.report.html import simulated
    from schedcheck.report.text.simulation import seconds

    return {"spread": simulated.spread, "lines": simulated.lines, "lasting": seconds, "evicted": simulated.EVICTED}  # fmt: skip


def _command(answer: Json, kind: str, command: str) -> str:
    """Return the command of an answer, which for some classes is in the answer."""
    if kind == "EachSelected":
        return {"Victims": "victims", "Capacity": "capacity"}[kind_of(answer["groups"][0]["answer"] or {})]
    return str(answer.get("asked", command)) if kind == "Relocated" else command


def _data(answer: Json) -> str:
    """Return the JSON as the text of a script element, which no text in it can end."""
    text = json.dumps(answer, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _subject(answer: Json) -> str:
    """Return what the answer is about: a pod, the scenario, or the nodes."""
    match answer:
        case {"scenario": {"name": str(name)}}:
            return name
        case {"pod": {"name": str()}}:
            return plain.named(answer["pod"])
        case {"cases": [{"nodes": [*nodes]}]}:
            return several(nodes)
        case {"inTurn": {"nodes": [*nodes]}}:
            return several(nodes)
        case {"selector": str(selector)}:
            return selector
    return ""
