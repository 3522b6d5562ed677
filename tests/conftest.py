"""One fixed Hypothesis profile, so that one version of the code gives one result, and no state from earlier runs.

A shell ignores SIGINT in background jobs, and programs inherit that; the tests of interrupts need it.
"""

import os
import signal

from hypothesis import settings

signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ["SCHEDCHECK_TABLES"] = "none"

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.load_profile("fixed")
