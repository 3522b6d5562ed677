"""The plugins of the default profile, a file a plugin, and their registry."""
