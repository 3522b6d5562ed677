"""An object store in this process, as a file system of fsspec: it puts whole objects, and has no folders and no renaming"""

import io
from typing import Any

from fsspec import AbstractFileSystem, register_implementation

BUCKET = "bucket"


class _Put(io.BytesIO):
    """An object that is there once it is closed; the upload may end with only its first bytes."""

    def __init__(self, store: "Objects", path: str) -> None:
        super().__init__()
        self.store, self.path = store, path

    def close(self) -> None:
        if not self.closed:
            content = self.getvalue()
            super().close()
            try:
                self.store.fail()
            except OSError:
                self.store.objects[self.path] = content[: len(content) // 2]
                raise
            self.store.objects[self.path] = content


class Objects(AbstractFileSystem):  # type: ignore[misc]  # fsspec has no types
    """The bucket. `failures` are raised by the next calls, one each."""

    protocol = "objects"
    objects: dict[str, bytes] = {}  # noqa: RUF012  # one store for all, as each worker makes a file system of its own
    failures: list[Exception] = []  # noqa: RUF012

    def fail(self) -> None:
        if self.failures:
            raise self.failures.pop(0)

    def _there(self, path: str) -> None:
        self.fail()
        if path.split("/", maxsplit=1)[0] != BUCKET:
            raise FileNotFoundError(2, "The specified bucket does not exist")

    def exists(self, path: str, **options: Any) -> bool:
        return path.split("/", maxsplit=1)[0] == BUCKET

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        raise AssertionError("a bucket would be made")

    def pipe_file(self, path: str, value: bytes, **options: Any) -> None:
        self._there(path)
        self.objects[path] = value

    def open(self, path: str, mode: str = "rb", **options: Any) -> _Put:
        assert mode == "wb", "objects are only put as a whole"
        self._there(path)
        return _Put(self, path)

    def cat_file(self, path: str, **options: Any) -> bytes:
        self._there(path)
        if path not in self.objects:
            raise FileNotFoundError(2, "The specified key does not exist", path)
        return self.objects[path]

    def rm(self, path: str, recursive: bool = False, **options: Any) -> None:
        self._there(path)
        for each in [name for name in self.objects if name.startswith(path + "/")]:
            del self.objects[each]


register_implementation("objects", Objects, clobber=True)
