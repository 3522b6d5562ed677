"""A recorded field beside what the specification says of it: `Compared`; how a refusal is recorded: `refused`."""

from dataclasses import dataclass

from schedcheck.spec.kubernetes.refusal import Code, Refusal


@dataclass(frozen=True)
class Compared:
    """A field of a record: where it is, what is recorded there, and what the specification says."""

    field: str
    place: str
    recorded: object
    said: object


def refused(refusal: Refusal) -> dict[str, object]:
    """A refusal as it is recorded."""
    plugin = {"plugin": refusal.plugin} if refusal.plugin else {}
    return {**plugin, "code": Code(refusal.code).value, "reasons": sorted(refusal.reasons)}
