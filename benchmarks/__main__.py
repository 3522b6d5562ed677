"""Runs every benchmark."""

from benchmarks import explaining, explore, reading, scheduling, temporal, victims

if __name__ == "__main__":
    explore.main()
    reading.main()
    explaining.main()
    victims.main()
    scheduling.main()
    temporal.main()
