"""A recorded field beside what the specification says of it: `Compared`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Compared:
    """A field of a record: where it is, what is recorded there, and what the specification says."""

    field: str
    place: str
    recorded: object
    said: object
