"""The tabulated explorer on a graphics processor: tables, known states and levels lie in its memory."""
