"""The specification as a web service: the extender protocol of KEP-1819, and verdicts. The extra `serve` installs it."""
