"""The commands of the tool, one a module; `application` puts them together."""
