"""What the commands share that ask one question of each pod that `-l` selects: `namespace_of`, `told_each`."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedcheck.commands.options import DASH
from schedcheck.commands.pages import ended
from schedcheck.errors import InputError

if TYPE_CHECKING:
    from schedcheck import Cluster, Limits, Observer
    from schedcheck.api.answer import Answer


def namespace_of(selector: str | None, namespace: str | None, *, all_namespaces: bool) -> str | None:
    """Return the namespace of the selected pods; None for all. Raises: InputError for options that do not fit."""
    if all_namespaces and (selector is None or namespace is not None):
        wrong = "needs --selector" if selector is None else "excludes --namespace"
        raise InputError(wrong, path="--all-namespaces")
    return None if all_namespaces else namespace or "default"


def told_each(
    cluster: "Cluster",
    selector: str,
    namespace: str | None,
    ask: "Callable[[str, Limits, Observer], Answer]",
    show: Callable[[Any], object],
    limits: "Limits",
    observer: "Observer",
    format: str,
    html: Path | None = None,
) -> int:
    """Ask it of each selected pod, print the answers, those of equal pods once, and return the exit code.

    Each note is told once.
    """
    import schedcheck
    from schedcheck.report.text.each_selected import show_each
    from schedcheck.report.text.terminal import output

    told: set[str] = set()

    def note(line: str) -> None:
        if line not in told:
            told.add(line)
            observer.note(line)

    once = replace(observer, note=note)
    found = schedcheck.each_selected(
        cluster, selector, lambda pod, left: ask(pod, left, once), namespace=namespace, limits=limits
    )
    if format == "json":
        output().out(found.text(), highlight=False)
    else:
        show_each(found, show, output())
    return ended(found, html, found.exit_code)


def split(words: tuple[str, ...], *, chosen: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the pod, if one is named and not `chosen` by labels, and the files. Raises: InputError."""
    pods, files = ((), words) if chosen else (words[:1], words[1:])
    if not files:
        raise InputError("expected FILES" if chosen else "expected POD and then FILES", path="FILES")
    refuse_word(
        files, "--selector takes no POD" if chosen else "a POD with a type is named as TYPE/NAME, as deploy/web"
    )
    return pods, files


def refuse_word(files: tuple[str, ...], why: str) -> None:
    """Raises: InputError if the first of several files does not exist; `why` says what else the word may have meant."""
    if len(files) > 1 and files[0] != DASH and not Path(files[0]).exists():
        raise InputError(f"no file or folder has this name; {why}", path="FILES", value=files[0])
