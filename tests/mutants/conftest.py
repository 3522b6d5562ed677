"""Without the extra `mutation`, which `dev` brings along, there is nothing to try mutants with, and nothing to test."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("cosmic_ray") and find_spec("coverage") else ["test_*.py"]
