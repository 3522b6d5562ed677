"""Runs every benchmark."""

from benchmarks import explore, reading

if __name__ == "__main__":
    explore.main()
    reading.main()
