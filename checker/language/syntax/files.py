"""Reading TLA+ texts from files."""

from pathlib import Path

from schedcheck.checker.language.syntax.errors import Misread


def read(path: Path) -> str:
    """Return the text of the file. Raises: Misread if it cannot be read or is not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Misread(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Misread(f"cannot read {path}: no UTF-8 at byte {error.start}") from None
