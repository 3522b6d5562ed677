"""Runs every benchmark."""

from benchmarks import explaining, explore, reading, scheduling, victims

if __name__ == "__main__":
    explore.main()
    reading.main()
    explaining.main()
    victims.main()
    scheduling.main()
