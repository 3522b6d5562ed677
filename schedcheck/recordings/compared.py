"""A recorded field with the specification's answer: `Compared`; the recorded form of a refusal: `refused`."""

from dataclasses import dataclass

from schedcheck.spec.refusal import Code, Refusal


@dataclass(frozen=True)
class Compared:
    """A field of a record: its place, the recorded value, and the specification's value."""

    field: str
    place: str
    recorded: object
    said: object


def refused(refusal: Refusal) -> dict[str, object]:
    """Return a refusal in its recorded form."""
    plugin = {"plugin": refusal.plugin} if refusal.plugin else {}
    return {**plugin, "code": Code(refusal.code).value, "reasons": sorted(refusal.reasons)}
