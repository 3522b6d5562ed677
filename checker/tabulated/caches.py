"""Where a user's caches are: `caches`."""

import os
from pathlib import Path


def caches() -> Path:
    """Return the folder of schedcheck in the user's cache folder: $XDG_CACHE_HOME if it is a full path, else ~/.cache."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(given) if Path(given).is_absolute() else Path.home() / ".cache") / "schedcheck"
