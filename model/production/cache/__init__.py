"""What the scheduler knows of nodes and of the pods on them, assumed ones included."""
