"""Definitions of privacy: one module each, named after its keyword in a file.

May enter: a model, and the options of a check or the arguments of a caller.
Must not know: which engine will decide the claim that it makes.

Each module says its definition twice: `question(…)` makes a question of it, with the claim that an
engine decides; `value(…)` computes the defined quantity by plain arithmetic, straight from the
paper. `read(options)` asks what a file asks, `OPTIONS` lists the options it takes; the docstring is
what `verifier explain` prints, in the form that `verifier.report.words` reads.
"""
