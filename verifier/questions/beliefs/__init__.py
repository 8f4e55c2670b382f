"""What an attacker may believe: single priors, supports of classes, views of coupled worlds."""
