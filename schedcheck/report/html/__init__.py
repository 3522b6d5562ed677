"""An answer as one HTML file that needs no network, made from its JSON alone."""
