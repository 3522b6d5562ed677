"""A scheduler's record replayed: each decision judged by what the scheduler may have known."""
