"""Runs every benchmark."""

from benchmarks import explaining, explore, reading, victims

if __name__ == "__main__":
    explore.main()
    reading.main()
    explaining.main()
    victims.main()
