"""The folder of the TLA+ definitions that the package ships: `FOLDER`."""

from pathlib import Path

import schedcheck

FOLDER = Path(schedcheck.__file__).parent / "tla"
