"""Objects of the input replaced, added and removed by hand: `single`, `edited`."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from schedcheck.manifests.documents import Document, values
from schedcheck.manifests.fields import Field
from schedcheck.manifests.identities import Identity, object_identity, objects_of

EDITED = "the changes"


def single(documents: Iterable[Document]) -> Iterator[Document]:
    """Yield a document for each object, also for those of a list, with its kind and version. Raises: InputError."""
    for document in documents:
        whole = Field(document, document.value)
        for kind, field in objects_of(whole):
            head = {"apiVersion": whole["apiVersion"].text() or "v1", "kind": kind}
            yield replace(document, value={**head, **field.value} if isinstance(field.value, dict) else field.value)


def edited(objects: Iterable[Document], text: str, removed: Collection[Identity] = ()) -> tuple[Document, ...]:
    """Return the objects without the removed ones, and with those that a text in YAML or JSON states.

    An object of the text takes the place of the one with its kind, namespace and name.

    Raises: InputError.
    """
    stated = [(named(each), each) for each in single(values(text, EDITED))]
    instead = {name: each for name, each in stated if name is not None}
    kept: list[Document] = []
    for each in objects:
        name = named(each)
        if name is None:
            kept.append(each)
        elif name not in removed:
            kept.append(instead.pop(name, each))
    return (*kept, *instead.values(), *(each for name, each in stated if name is None))


def named(document: Document) -> Identity | None:
    """Return kind, namespace and name of an object; None if its kind is not read. Raises: InputError."""
    field = Field(document, document.value)
    return object_identity(field["kind"].text(), field)
