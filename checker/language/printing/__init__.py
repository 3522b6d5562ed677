"""The printer: from syntax trees to TLA+ text."""
