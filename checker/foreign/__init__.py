"""Schedulers that are programs of others: driven line by line, their decisions read and judged."""
