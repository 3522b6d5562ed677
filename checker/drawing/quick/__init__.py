"""Random clusters drawn by a plain generator of random numbers, each with a random subset of the features."""
