"""A live cluster as a List of objects: `dump`, `Dump`."""

from dataclasses import dataclass
from typing import Any

from schedcheck.errors import InputError
from schedcheck.live.connection import Connection, Said
from schedcheck.live.resources import RESOURCES, Resource

PAGE = 500
"""The objects of a page of a list, as kubectl asks for them."""

TRIES = 3
"""How often a list is begun whose continuation the API server has forgotten."""

FORBIDDEN, MISSING, EXPIRED = 403, 404, 410
Json = dict[str, Any]


@dataclass(frozen=True)
class Dump:
    """What was read: a List of lists, one for each kind, also for one without objects; notes on what was not read."""

    objects: Json
    notes: tuple[str, ...]
    counts: dict[str, int]


def dump(connection: Connection, page: int = PAGE) -> Dump:
    """Return everything of the cluster that an answer may depend on. It is read kind by kind, while the cluster goes on.

    A kind that the API server does not serve, or that may not be read, is left out, so that it stays unknown.

    Raises: InputError, where nodes or pods cannot be read, or the server does not answer.
    """
    lists: list[Json] = []
    notes: list[str] = []
    counts: dict[str, int] = {}
    for resource in RESOURCES:
        found = _listed(connection, resource, page)
        if isinstance(found, Said):
            if resource.needed or found.code not in (FORBIDDEN, MISSING):
                raise InputError(f"cannot list {resource.name}: {_message(found)}", file=connection.name)
            why = "forbidden" if found.code == FORBIDDEN else "not served"
            notes.append(f"not read: {resource.name}, {why}")
            continue
        lists.append({"apiVersion": resource.version, "kind": f"{resource.kind}List", "items": found})
        counts[resource.name] = len(found)
    return Dump({"apiVersion": "v1", "kind": "List", "items": lists}, tuple(notes), counts)


def _listed(connection: Connection, resource: Resource, page: int) -> list[Json] | Said:
    """Return the objects of a resource, page by page; or the answer that says why not."""
    said = Said(0, None)
    for _ in range(TRIES):
        found: list[Json] = []
        token = ""
        while True:
            query: dict[str, str | int] = {"limit": page, **({"continue": token} if token else {})}
            said = connection.get(resource.path, **query)
            if said.code != 200 or not isinstance(said.body, dict) or not isinstance(said.body.get("items"), list):
                break
            found += map(_without_fields, said.body["items"])
            token = said.body.get("metadata", {}).get("continue", "")
            if not token:
                return found
        if said.code != EXPIRED:
            break
    return said


def _without_fields(item: Json) -> Json:
    """Return an object without the record of who wrote which field, which is long and says nothing here."""
    metadata = {name: value for name, value in item.get("metadata", {}).items() if name != "managedFields"}
    return {**item, "metadata": metadata}


def _message(said: Said) -> str:
    """Return what the API server says of an error."""
    if isinstance(said.body, dict) and said.body.get("message"):
        return " ".join(str(said.body["message"]).split())
    return f"HTTP {said.code}" if said.code != 200 else "the answer is no list"
