"""Certificates for tests, made by the command openssl: `Authority`."""

import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


@dataclass(frozen=True)
class Issued:
    """The files of a certificate and of its key."""

    certificate: Path
    key: Path


@dataclass(frozen=True)
class Authority:
    """A certificate authority with its files in `folder`, which issues certificates that are valid for a day."""

    folder: Path
    name: str

    @cached_property
    def own(self) -> Issued:
        """Its own certificate."""
        files = Issued(self.folder / f"{self.name}.pem", self.folder / f"{self.name}.key")
        subject = ("-subj", f"/CN={self.name}", "-days", "1")
        openssl("req", "-x509", *CURVE, *subject, "-keyout", files.key, "-out", files.certificate)
        return files

    def issue(self, name: str, alternative: str) -> Issued:
        """Issue a certificate for this alternative name, such as IP:127.0.0.1 or DNS:a.example."""
        stem = f"{self.name}-{name}"
        files = Issued(self.folder / f"{stem}.pem", self.folder / f"{stem}.key")
        request, names = self.folder / f"{stem}.csr", self.folder / f"{stem}.cnf"
        names.write_text(f"subjectAltName={alternative}\n")
        openssl("req", "-new", *CURVE, "-subj", f"/CN={name}", "-keyout", files.key, "-out", request)
        openssl(
            "x509", "-req", "-in", request, "-CA", self.own.certificate, "-CAkey", self.own.key, "-CAcreateserial",
            "-days", "1", "-extfile", names, "-out", files.certificate,
        )  # fmt: skip
        return files
