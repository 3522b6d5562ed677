"""The address of the cluster of the engine "ray": `cluster_address`."""

import re

from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError

ADDRESS = re.compile(r"auto|[^/\s]+:\d{1,5}")
"""The addresses of clusters that the engine "ray" takes."""


def cluster_address(given: str | None, name: str) -> str:
    """Return the address, empty for None; `name` is that of the parameter. Raises: InputError."""
    if given is not None and not ADDRESS.fullmatch(given):
        raise InputError("expected HOST:PORT or auto", path=parameter(name), value=given)
    return given or ""
