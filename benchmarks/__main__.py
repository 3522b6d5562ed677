"""Runs every benchmark."""

from benchmarks import direct, explaining, explore, reading, scheduling, temporal, victims

if __name__ == "__main__":
    direct.main()
    explore.main()
    reading.main()
    explaining.main()
    victims.main()
    scheduling.main()
    temporal.main()
