"""A live cluster, read through its API server and never written: the extra `live` installs what it needs."""
