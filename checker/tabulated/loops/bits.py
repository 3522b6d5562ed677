"""Machine instructions that Python has no name for: `lowest`, `fetch`, `seen`, `claim`, `publish`."""

from collections.abc import Callable
from typing import cast

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.compiled import instruction

lowest = cast(Callable[[np.uint64], np.uint64], instruction("lowest"))
"""Return the number of the lowest bit that is set in a word; undefined for 0."""

fetch = cast(Callable[[Words, np.uint64], None], instruction("fetch"))
"""Prefetch a row of an array of words, without waiting for it."""

seen = cast(Callable[[Words, np.uint64], np.uint64], instruction("seen"))
"""Load the first word of a row (acquire), so that what its writer stored before publishing it is visible too."""

claim = cast(Callable[[Words, np.uint64, np.uint64, np.uint64], bool], instruction("claim"))
"""Compare and swap the first word of a row; return whether it was swapped, which only one thread is told."""

publish = cast(Callable[[Words, np.uint64, np.uint64], None], instruction("publish"))
"""Store the first word of a row (release), so that everything written before it is visible to its readers."""
