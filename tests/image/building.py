"""The container image: built and run by docker, podman or buildah: `Builder`, `found`"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
BUILDERS: Final = ("docker", "podman", "buildah")
DEFAULT: Final = "python:3.13-slim"
"""The base that the Dockerfile names."""

NAME: Final = "schedcheck"
CERTIFICATES: Final = Path("/etc/ssl/certs")
"""What this machine trusts, which pip in the build trusts as well."""

DEBIAN: Final = ("mmdebstrap", "--quiet", "--variant=minbase", "--include=python3,python3-venv,ca-certificates",
                 "--customize-hook=ln -s python3 \"$1/usr/bin/python\"", "trixie")  # fmt: skip
"""Makes the files of a base from Debian's packages: Debian 13 with Python 3.13."""


class CannotBuild(Exception):
    """The image cannot be built here; the text says why."""


@dataclass(frozen=True)
class Builder:
    """A program that builds and runs images, with the options that it needs here."""

    program: str

    @property
    def _bare(self) -> bool:
        """Whether it is buildah, which does not start containers by their entry point."""
        return self.program == "buildah"

    def _environment(self) -> Mapping[str, str]:
        """Without a service for containers, buildah runs a step in a changed root and copies whole layers."""
        return {"BUILDAH_ISOLATION": "chroot", "STORAGE_DRIVER": "vfs", **os.environ} if self._bare else os.environ

    def call(self, *given: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command of the program. Raises: CannotBuild."""
        done = subprocess.run(
            [self.program, *given], cwd=ROOT, env=self._environment(), capture_output=True, text=True, check=False
        )
        if check and done.returncode:
            raise CannotBuild(f"{self.program} {given[0]} ended with status {done.returncode}: {_last(done)}")
        return done

    def has(self, image: str) -> bool:
        """Whether an image is on this machine."""
        return self.call("inspect", "--type", "image", image, check=False).returncode == 0

    def get(self, image: str) -> None:
        """Bring an image onto this machine, if it is not there. Raises: CannotBuild."""
        if not self.has(image) and self.call("pull", image, check=False).returncode:
            raise CannotBuild(f"{self.program} has no image {image} and can pull none")

    def base_from_debian(self, image: str) -> None:
        """Make a base from Debian's packages. Raises: CannotBuild."""
        if shutil.which(DEBIAN[0]) is None:
            raise CannotBuild(f"there is no {DEBIAN[0]} on the path, which makes a base from Debian's packages")
        with TemporaryDirectory() as made:
            archive = Path(made) / "base.tar"
            if subprocess.run([*DEBIAN, str(archive)], check=False).returncode:
                raise CannotBuild(f"{DEBIAN[0]} cannot make a base")
            (Path(made) / "Dockerfile").write_text("FROM scratch\nADD base.tar /\n")
            self.call("build", "-t", image, made)

    def build(self, base: str, image: str = NAME) -> None:
        """Build the image of the Dockerfile on a base. Raises: CannotBuild."""
        trusted = [] if self.program == "docker" else ["-v", f"{CERTIFICATES}:{CERTIFICATES}:ro"]
        self.call("build", *trusted, "--build-arg", f"BASE={base}", "-t", image, ".")

    def size(self, image: str) -> int:
        """Return the size of an image in MB."""
        if self._bare:
            (found,) = json.loads(self.call("images", "--json", image).stdout)
            number, unit = found["size"].split()
            return round(float(number) * {"MB": 1, "GB": 1000}[unit])
        return int(self.call("image", "inspect", "--format", "{{.Size}}", image).stdout) // 1_000_000

    def run(self, image: str, mounted: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
        """Start a container by its entry point, without network, with a folder that it may only read."""
        options = ("--network=none", "-v", f"{mounted}:/work:ro")
        if not self._bare:
            return self.call("run", "--rm", *options, image, *arguments, check=False)
        with self._container(image) as name:
            return self.call("run", *options, name, "--", *self._entry_point(image), *arguments, check=False)

    def as_user(self, image: str, script: str) -> str:
        """Return what a script in a container prints."""
        if not self._bare:
            return self.call("run", "--rm", "--network=none", "--entrypoint=sh", image, "-c", script).stdout
        with self._container(image) as name:
            return self.call("run", "--network=none", name, "--", "sh", "-c", script).stdout

    @contextmanager
    def _container(self, image: str) -> Iterator[str]:
        name = self.call("from", "--pull-never", image).stdout.strip()
        try:
            yield name
        finally:
            self.call("rm", name)

    def _entry_point(self, image: str) -> list[str]:
        told = self.call("inspect", "--type", "image", image).stdout
        found: list[str] = json.loads(told)["OCIv1"]["config"]["Entrypoint"]
        return found


def _last(done: subprocess.CompletedProcess[str]) -> str:
    lines = (done.stderr or done.stdout).strip().splitlines()
    return lines[-1] if lines else ""


def found() -> Builder:
    """Return the first builder that answers. Raises: CannotBuild."""
    for each in BUILDERS:
        if shutil.which(each) and Builder(each).call("info", check=False).returncode == 0:
            return Builder(each)
    raise CannotBuild(f"none of {', '.join(BUILDERS)} answers here")
