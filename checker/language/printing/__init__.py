"""From syntax trees to TLA+ text."""
