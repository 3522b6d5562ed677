"""The reference scenario in schedcheck beside TLC and SPIN: `python -m benchmarks.peers`."""
