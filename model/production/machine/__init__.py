"""The production scheduler as a machine: actions, states, and the API server that it talks to."""
