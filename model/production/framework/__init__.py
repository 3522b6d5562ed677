"""The framework that builds and runs plugins: statuses, cycle state, extension points, registry, waiting pods."""
