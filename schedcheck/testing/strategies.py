"""Random clusters as the API server stores them, by kinds of feature: `questions`, `clusters`, `snapshots`, `asked`"""

from collections.abc import Collection

from hypothesis import strategies as st

from schedcheck.checker.drawing.kinds import KINDS, Asked, questions_of
from schedcheck.errors import InputError
from schedcheck.manifests.manifests import Manifest
from schedcheck.manifests.snapshots import listed, stored_objects
from schedcheck.spec.objects import Snapshot

__all__ = ["ALL", "KINDS", "as_objects", "asked", "clusters", "questions", "snapshots"]

ALL = tuple(KINDS)
"""The names of all kinds."""


def asked(kinds: Collection[str] = ALL) -> st.SearchStrategy[Asked]:
    """A pending pod, and the snapshot that holds it. Raises: InputError for an unknown kind."""
    unknown = sorted({*kinds} - KINDS.keys())
    if unknown:
        raise InputError(f"expected some of {', '.join(KINDS)}", path="kinds", value=unknown[0])
    return questions_of(frozenset(kinds))


def snapshots(kinds: Collection[str] = ALL) -> st.SearchStrategy[Snapshot]:
    """A snapshot with a pending pod. Raises: InputError for an unknown kind."""
    return asked(kinds).map(lambda each: each[1])


def clusters(kinds: Collection[str] = ALL) -> st.SearchStrategy[Manifest]:
    """A List of objects as the API server stores them, one of which is a pending pod.

    Raises: InputError for an unknown kind.
    """
    return snapshots(kinds).map(lambda snapshot: listed(stored_objects(snapshot)))


def questions(kinds: Collection[str] = ALL) -> st.SearchStrategy[tuple[Manifest, Manifest]]:
    """A pending pod as an object, and the List of objects that holds it. Raises: InputError for an unknown kind."""
    return asked(kinds).map(as_objects)


def as_objects(question: Asked) -> tuple[Manifest, Manifest]:
    """Return the pod as an object, and the List of objects that holds it."""
    pod, snapshot = question
    items = stored_objects(snapshot)
    key = {"name": pod.name, "namespace": pod.namespace}
    one = next(each for each in items if each["kind"] == "Pod" and key.items() <= each["metadata"].items())
    return one, listed(items)
