"""Import what `package.module:name`, or `package.module`, names: `named_by`, `module_of`."""

import importlib
import os
import sys
from types import ModuleType
from typing import Any

from schedcheck.errors import InputError
from schedcheck.manifests.fields import nearest
from schedcheck.model.production.framework.out_of_tree import raised


def named_by(place: str, text: str) -> Any:
    """The thing of this name. Raises: InputError."""
    name, colon, path = text.partition(":")
    if not (colon and path and all(part.isidentifier() for part in path.split("."))):
        raise InputError("expected package.module:name", path=place, value=text)
    found: Any = module_of(place, name, text)
    for part in path.split("."):
        if not hasattr(found, part):
            names = [each for each in vars(found) if not each.startswith("_")] if hasattr(found, "__dict__") else []
            raise InputError(f"{name} has no {part}{nearest(part, names)}", path=place, value=text)
        found = getattr(found, part)
    return found


def module_of(place: str, name: str, text: str = "") -> ModuleType:
    """The module of this name, looked for in the current folder first, as `python -m` does. Raises: InputError."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise InputError("expected package.module:name", path=place, value=text or name)
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        lacking = f"there is no module {error.name}" if error.name else str(error)
        raise InputError(lacking, path=place, value=text or name) from None
    except (Exception, SystemExit) as error:
        said = raised(error) if isinstance(error, Exception) else "SystemExit"
        raise InputError(f"importing {name} raised {said}", path=place, value=text or name) from None
