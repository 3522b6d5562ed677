"""Decides whether what moves keeps to what is right."""
