"""The production scheduler compared with the specification."""
