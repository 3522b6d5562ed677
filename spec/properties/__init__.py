"""The properties of a scheduler: their kinds, and the named ones of snapshots, decisions and pods."""
