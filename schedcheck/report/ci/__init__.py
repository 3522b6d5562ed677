"""Answers in the formats of continuous integration: JUnit, SARIF, and annotations of GitHub workflows."""
