"""The folder of the TLA+ definitions that the package ships: `FOLDER`."""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "tla"
