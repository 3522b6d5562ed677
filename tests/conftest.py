"""One fixed Hypothesis profile, so that one version of the code gives one result; and nothing kept of earlier runs."""

import os

from hypothesis import settings

os.environ["SCHEDCHECK_TABLES"] = "none"

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.load_profile("fixed")
