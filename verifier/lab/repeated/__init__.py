"""What repeated runs of mechanisms leak, and when they rule out all but one world or secret."""
