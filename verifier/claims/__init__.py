"""What can be asked and answered: claims, answers, and certificates as JSON."""
