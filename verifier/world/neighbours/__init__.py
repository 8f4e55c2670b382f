"""Which worlds a definition compares: neighbour relations over a space of worlds."""
