"""Options of `check` that must fit each other, or a file that they name."""

from pathlib import Path


def graph_format(graph: Path) -> None:
    """Raises: InputError if the suffix is that of no format."""
    from schedcheck.api.formats import graph_fits

    graph_fits(graph)


def trace_format(trace: Path) -> None:
    """Raises: InputError if the name is that of no format."""
    from schedcheck.api.formats import trace_fits

    trace_fits(trace)


def search_bounds(search: str, *, walks: int | None, length: int | None, depth: int | None) -> None:
    """Raises: InputError for a bound that the search does not know."""
    from schedcheck.errors import InputError

    given = [name for name, value in (("--walks", walks), ("--length", length)) if value is not None]
    if search != "walk" and given:
        raise InputError("belongs to --search walk", path=given[0])
    if search == "walk" and depth is not None:
        raise InputError("a walk is bounded by --length", path="--depth")


def levels_folder(checkpoint: Path | None, resume: Path | None, piece: str = "level") -> Path | None:
    """The folder of the levels or parts. Raises: InputError for two, and for one to go on from that has none."""
    from schedcheck.errors import InputError

    if resume is None:
        return checkpoint
    if checkpoint is not None:
        raise InputError("cannot be given together with --checkpoint", path="--resume")
    if not any(resume.glob(f"{piece}-*.json")):
        raise InputError(f"there is no {piece} to resume from", path="--resume", value=str(resume))
    return resume


def one_question(properties: tuple[str, ...], pod: str | None, budget: str | None, selector: str | None) -> None:
    """Raises: InputError if more than one of the four ways to ask is used."""
    from schedcheck.errors import InputError

    asked = (
        ("--property", bool(properties)),
        ("--pod", pod is not None),
        ("--budget", budget is not None),
        ("--selector", selector is not None),
    )
    given = [name for name, used in asked if used]
    if len(given) > 1:
        raise InputError(f"cannot be given together with {given[0]}", path=given[1])


def asked_about(pod: str | None, budget: str | None, namespace: str | None) -> str | None:
    """Return the pod or budget that is asked about, as the Python API takes it. Raises: InputError."""
    from schedcheck.api.naming import OF_BUDGETS, in_namespace

    if pod is not None:
        return f"pod/{in_namespace(pod, namespace, '--pod')}"
    if budget is not None:
        return f"budget/{in_namespace(budget, namespace, '--budget', OF_BUDGETS)}"
    if namespace is not None:
        from schedcheck.errors import InputError

        raise InputError("belongs to --pod or --budget", path="--namespace", value=namespace)
    return None


def of_answers(format: str, option: str) -> None:
    """Raises: InputError for a format of continuous integration, which the answer with this option does not have."""
    from schedcheck.errors import InputError

    if format not in ("text", "json"):
        raise InputError(f"not possible with {option}", path="--format", value=format)
