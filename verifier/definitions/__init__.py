"""Definitions of privacy: one module each, named after its keyword in a file.

`question(*, …)` is what a definition asks, with typed parameters and without a file; only
`read(options)` knows a file. Each module says its definition twice: a question has a claim for the
engine, `value(…)` computes the defined quantity by plain arithmetic, straight from the paper.
`OPTIONS` lists the options it takes; its docstring is what `verifier explain` prints.
"""
