"""What is asked over many checks: repeated runs, influence curves, searches, explanations."""
