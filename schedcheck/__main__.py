"""`python -m schedcheck`: the command line, without the console script."""

import sys

from schedcheck.cli import main

if __name__ == "__main__":
    sys.exit(main())
