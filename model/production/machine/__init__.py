"""The production scheduler as a state machine: actions, states, and the API server that it calls."""
