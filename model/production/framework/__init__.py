"""How plugins are built and run: statuses, cycle state, extension points, registry, framework, waiting pods."""
