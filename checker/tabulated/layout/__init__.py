"""How states are packed into words, and what a question reads of them."""
