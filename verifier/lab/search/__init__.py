"""Search: small examples of what is false, and of mechanisms that collapse."""
