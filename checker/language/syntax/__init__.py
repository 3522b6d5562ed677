"""The parser: from TLA+ text to syntax trees."""
