"""Times in manifests: `instant`, `EPOCH`."""

from datetime import UTC, datetime, timedelta

from schedcheck.manifests.fields import Field

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instant(field: Field) -> int | None:
    """Return a time in microseconds since 1970; None without one. Raises: InputError."""
    if not field:
        return None
    try:
        time = datetime.fromisoformat(field.text())
    except ValueError:
        raise field.error("expected a time, as 2006-01-02T15:04:05Z") from None
    if time.tzinfo is None:
        raise field.error("expected a time with its zone, as 2006-01-02T15:04:05Z")
    return (time - EPOCH) // timedelta(microseconds=1)
