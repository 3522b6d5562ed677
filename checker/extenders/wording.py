"""Messages about extenders that were not asked: `not_asked`."""

from collections.abc import Iterable


def not_asked(urls: Iterable[str]) -> str:
    """Return the message that these extenders were not asked."""
    known = list(urls)
    return f"{' and '.join(f'extender {url}' for url in known)} {'was' if len(known) == 1 else 'were'} not asked"
