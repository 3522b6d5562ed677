"""What must hold in every state of the production scheduler and of the machine around it."""
