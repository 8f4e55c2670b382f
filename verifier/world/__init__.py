"""What is possible, released and compared: worlds, likelihood matrices, relations."""
