"""What a linear program is, and what it can turn out to be."""
