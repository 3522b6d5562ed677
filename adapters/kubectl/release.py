"""Build the archive of the plugin of kubectl and its manifest for Krew: `python adapters/kubectl/release.py OWNER FOLDER`.

The archive has the launcher, with the version of the package, and the license. The same sources give the same archive.
"""

import gzip
import hashlib
import io
import re
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LAUNCHER, LICENSE = "kubectl-schedcheck", "LICENSE"


def version() -> str:
    """Return the version of the package in these sources."""
    (found,) = re.findall(r'__version__ = "(.+)"', (ROOT / "schedcheck" / "version.py").read_text(encoding="utf-8"))
    return str(found)


def archive() -> bytes:
    """Return the archive that the manifest names."""
    launcher = (HERE / LAUNCHER).read_text(encoding="utf-8")
    assert launcher.count('version=""') == 1
    files = {
        LAUNCHER: (launcher.replace('version=""', f'version="{version()}"').encode(), 0o755),
        LICENSE: ((ROOT / LICENSE).read_bytes(), 0o644),
    }
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as made:
        for name, (content, mode) in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), mode
            made.addfile(entry, io.BytesIO(content))
    return gzip.compress(plain.getvalue(), mtime=0)


def manifest(owner: str, content: bytes) -> str:
    """Return the manifest for Krew of an archive that this owner publishes."""
    text = (HERE / "schedcheck.yaml").read_text(encoding="utf-8").partition("\n")[2]
    names = {"OWNER": owner, "VERSION": version(), "SHA256": hashlib.sha256(content).hexdigest()}
    return re.sub("|".join(names), lambda found: names[found[0]], text)


def main(owner: str, folder: str) -> None:
    """Write the archive and the manifest into a folder."""
    into, content = Path(folder), archive()
    into.mkdir(parents=True, exist_ok=True)
    (into / f"{LAUNCHER}.tar.gz").write_bytes(content)
    (into / "schedcheck.yaml").write_text(manifest(owner, content), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
