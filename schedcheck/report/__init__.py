"""What the tool says: verdicts, traces and explanations as text, JSON and YAML; scenarios as TLA+ modules."""
