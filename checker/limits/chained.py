"""A folder of a run with numbered records, each of which contains the checksum of the one before: `Chained`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from schedcheck.checker.limits.durable import Unusable, claim, keep, sealed, unsealed

RUN = "run.json"


class Chained:
    """A folder that belongs to one run. A record is a small file, written last, that says that its number is complete.

    - `kind`: what is numbered, as "level". - `kinds`: the files of the folder in words.
    """

    def __init__(self, folder: Path, kind: str, kinds: str) -> None:
        """Hold the folder. Raises Unusable if another process writes to it."""
        self.folder, self.kind, self.kinds = folder, kind, kinds
        self._lock = claim(folder)

    def close(self) -> None:
        """Release the folder for other processes."""
        self._lock.close()

    def begin(self, identity: Mapping[str, str]) -> None:
        """Compare the run's identity with that of the folder; write it if the folder has none. Raises Unusable."""
        path = self.folder / RUN
        text, self._last = sealed(dict(identity))
        if path.exists():
            other = self._opened(path, 1)[0]
            different = [name for name in identity if other.get(name) != identity[name]]
            if different:
                raise Unusable(f"{self.folder}: belongs to another run: not the same {', '.join(different)}")
        elif any(self.folder.glob("*-*.json")):
            raise Unusable(f"{path}: missing, so the run of the {self.kinds} in this folder is unknown")
        else:
            keep(path, [text])

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the content of each record, once `begin` was called. Raises Unusable if one is damaged or missing."""
        names = (path.stem.rpartition("-")[2] for path in self.folder.glob(f"{self.kind}-{6 * '[0-9]'}.json"))
        for number in range(1, max(map(int, names), default=0) + 1):
            path = self.path(number, "json")
            content, total = self._opened(path, number)
            if content.get(self.kind) != number or content.get("before") != self._last:
                raise self.damaged(path, number, f"does not follow the {self.kind} before")
            self._last = total
            yield content

    def add(self, number: int, content: Mapping[str, Any]) -> None:
        """Write the record of a number whose other files are complete. Raises Unusable."""
        text, total = sealed({self.kind: number, "before": self._last, **content})
        keep(self.path(number, "json"), [text])
        self._last = total

    def damaged(self, path: Path, number: int, why: str) -> Unusable:
        """Return the error for a damaged file; its text says what can still be used."""
        if number == 1:
            return Unusable(f"{path}: damaged: {why}; no earlier {self.kind} can be resumed")
        after = f"remove {self.path(number, 'json').name}, and that of every later {self.kind}"
        return Unusable(f"{path}: damaged: {why}; {after}, to resume from {self.kind} {number - 1}")

    def path(self, number: int, ends: str) -> Path:
        """Return the path of a file of this number."""
        return self.folder / f"{self.kind}-{number:06}.{ends}"

    def _opened(self, path: Path, number: int) -> tuple[dict[str, Any], str]:
        """Return the content of a sealed file, with its checksum. Raises Unusable."""
        try:
            found = unsealed(path.read_bytes())
        except OSError as error:
            raise self.damaged(path, number, error.strerror or str(error)) from None
        if found is None:
            raise self.damaged(path, number, "not what was written")
        return found
