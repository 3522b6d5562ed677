"""Skip these tests if the extra `mutation`, which is part of `dev`, is not installed."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("cosmic_ray") and find_spec("coverage") else ["test_*.py"]
