"""Programs that draw: what they return in every world, with exact probabilities.

May enter: statements, parsed, and the worlds that they are run in.
Must not know: what is asked of their outputs.
"""
