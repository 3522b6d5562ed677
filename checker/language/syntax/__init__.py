"""From TLA+ text to syntax trees."""
