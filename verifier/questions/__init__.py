"""What can be asked and answered: claims, answers, and certificates as JSON.

May enter: a model, a definition's options, what an attacker may believe.
Must not know: how an answer is found, or told to people.
"""
