"""Random clusters and scenarios: Hypothesis strategies. Public are those in `schedcheck.testing`."""
