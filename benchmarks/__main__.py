"""Runs every benchmark."""

from benchmarks import (
    direct,
    disturbed,
    explaining,
    explore,
    reading,
    replaying,
    scale,
    scheduling,
    serving,
    simulating,
    temporal,
    victims,
)

if __name__ == "__main__":
    direct.main()
    explore.main()
    reading.main()
    explaining.main()
    scale.main(*scale.SIZES)
    disturbed.main(*disturbed.DEFAULT)
    victims.main()
    scheduling.main()
    simulating.main()
    serving.main()
    temporal.main()
    replaying.main(*replaying.SIZE)
