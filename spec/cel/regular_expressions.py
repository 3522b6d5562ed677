"""The function `matches` of CEL, for the regular expressions that RE2 and Python's `re` read alike."""

import re
from typing import Final

from schedcheck.spec.cel.syntax import Unsupported
from schedcheck.spec.cel.values import typed

RE2: Final = re.compile(
    r"(?:[^\\()\[\]{}?*+|^$]|\\[.+*?()|\[\]{}^$\\/_-]|\\[dDwW]|\(\?:|\((?!\?)|[)|^$]|\[\^?(?:[^\\\[\]]|\\[dwDW.$+*?_/\\-])+\]"
    r"|(?:[?*+]|\{\d{1,3}(?:,\d{0,3})?\})\??(?![?*+{]))*"
)
"""The regular expressions that RE2 and Python's `re` read alike: without lookaheads, flags, and counts above 999."""
REPEATED: Final = re.compile(
    r"[^(]\?[^()]*\)[*+{]|[*+{][^()]*\)[?]?[*+{]|\)[^()]*\)[*+{]|[*+{][^|]*[*+{][^|]*[*+{][^|]*[*+{]|\)[*+{].*\)[*+{]|\|.*\)[*+{]"
)
"""Repetitions within or beside others, for which `re` may need a time that is exponential in the text."""
ESCAPED: Final = re.compile(r"\\[\\\]].*\$|\$.*\\[\\\]]")
"""An escaped backslash or bracket beside `$`, of which `END` does not tell whether it stands for the end."""
END: Final = re.compile(r"(?<!\\)\$(?![^\[]*\])")
"""The end of the text; `$` of Python stands before a last line feed as well."""


@typed(str, str)
def matches(text: str, pattern: str) -> bool:
    """Whether the pattern matches a part of the text. Raises: Unsupported for a pattern that `re` may read otherwise."""
    if RE2.fullmatch(pattern) is None or REPEATED.search(pattern) is not None or ESCAPED.search(pattern):
        raise Unsupported("this regular expression of CEL")
    try:
        return re.search(END.sub(r"\\Z", pattern), text, re.ASCII) is not None
    except (re.error, OverflowError) as error:
        raise Unsupported("this regular expression of CEL") from error
