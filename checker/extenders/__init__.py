"""Scheduler extenders under check: asked over HTTP, recorded as values, or not asked at all."""
