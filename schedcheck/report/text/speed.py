"""The time of an exploration and its speed, as text: `speed`."""

BRIEF = 0.001
"""The seconds up to which no speed is said."""


def speed(generated: int, seconds: float) -> str:
    """Return the seconds, and how many states were generated in each."""
    rate = f", {generated / seconds:,.0f} generated states a second" if seconds > BRIEF else ""
    return f"{seconds:,.2f} s{rate}"
