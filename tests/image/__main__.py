"""Build the container image, and try it on an example: `make image`

BASE is the image that it is built on: python:3.13-slim by default, or `debian` for one that mmdebstrap makes from Debian's
packages, where no container registry answers. Exit status: 3 if it cannot be built, 1 if the image does not answer.
"""

import argparse
import sys
from collections.abc import Sequence

from tests.image.building import DEFAULT, NAME, ROOT, CannotBuild, found

OWN = "localhost/schedcheck-base"


def main(argv: Sequence[str] | None = None) -> int:
    """Build and try."""
    parser = argparse.ArgumentParser(prog="make image", description=__doc__)
    parser.add_argument("--base", default=DEFAULT, help="the base, or debian")
    base = parser.parse_args(argv).base
    try:
        builder = found()
        if base == "debian":
            base = OWN
            if not builder.has(base):
                builder.base_from_debian(base)
        builder.get(base)
        builder.build(base)
    except CannotBuild as error:
        print(f"make image: {error}", file=sys.stderr)
        return 3
    print(
        f"{NAME}, built by {builder.program} on {base}: {builder.size(NAME)} MB, of which the base {builder.size(base)} MB",
        flush=True,
    )
    tried = builder.run(NAME, ROOT / "examples", ["explain", "batch/import-6xhfs", "dump"])
    # The notes on the input come first, as without the image.
    print(tried.stderr, end="", file=sys.stderr, flush=True)
    print(tried.stdout, end="")
    return int(tried.returncode != 0)


if __name__ == "__main__":
    sys.exit(main())
