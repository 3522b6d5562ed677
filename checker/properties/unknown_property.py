"""The error for a text that names no property: `UnknownProperty`."""


class UnknownProperty(ValueError):
    """No property has this name, or its arguments are wrong."""
