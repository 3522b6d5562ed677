"""One fixed Hypothesis profile, so that one version of the code gives one result."""

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.load_profile("fixed")
