"""TLA+ read, evaluated and explored."""
