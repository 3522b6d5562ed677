"""The output of the tool: verdicts, traces and explanations as text, JSON and YAML; scenarios as TLA+ modules."""
