"""The plugins of the default profile, one file a plugin, and their registry."""
