"""What `package.module:name` on the command line names: `named_by`."""

import importlib
import os
import sys
from typing import Any

from schedcheck.cluster.errors import InputError
from schedcheck.cluster.fields import nearest
from schedcheck.model.production.framework.own import raised


def named_by(option: str, text: str) -> Any:
    """The thing of this name; modules are looked for in the current folder first, as `python -m` does.

    Raises: InputError.
    """
    module_name, colon, path = text.partition(":")
    if not (colon and path and all(part.isidentifier() for part in (*module_name.split("."), *path.split(".")))):
        raise InputError("expected package.module:name", path=option, value=text)
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    try:
        found = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        lacking = f"there is no module {error.name}" if error.name else str(error)
        raise InputError(lacking, path=option, value=text) from None
    except (Exception, SystemExit) as error:
        said = raised(error) if isinstance(error, Exception) else "SystemExit"
        raise InputError(f"to import {module_name} raised {said}", path=option, value=text) from None
    for part in path.split("."):
        if not hasattr(found, part):
            names = [name for name in vars(found) if not name.startswith("_")] if hasattr(found, "__dict__") else []
            raise InputError(f"{module_name} has no {part}{nearest(part, names)}", path=option, value=text)
        found = getattr(found, part)
    return found
