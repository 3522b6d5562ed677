"""Runs every benchmark."""

from benchmarks import explore

if __name__ == "__main__":
    explore.main()
