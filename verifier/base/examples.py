"""Short examples of what a file may say: hints of errors about shapes, missing keys and YAML."""

from __future__ import annotations

# what was expected, in the words of the message -> how it is written
SHAPES: dict[str, str] = {
    "a mapping of worlds, mechanism, checks, …": "worlds: [sun, rain], then mechanism: and checks:",
    "a list of checks": "- differential_privacy: {epsilon: ln(3)}",
    "a check such as {differential_privacy: {epsilon: ln(3)}}": (
        "- differential_privacy: {epsilon: ln(3)}"
    ),
    "a mapping of options": "{epsilon: ln(3)}",
    "a definition": "{differential_privacy: {exp_epsilon: 2}}",
    "a mechanism": "{randomized_response: {truth: 3/4}}, or the name of one",
    "a mapping from names to mechanisms": "{response: {randomized_response: {truth: 3/4}}}",
    "a list of mechanisms": "[response, {randomized_response: {truth: 3/4}}]",
    "a mapping from names to secrets": "{bob_yes: bob == 1, bob_no: bob == 0}",
    "a predicate or a list of worlds": "bob == 1, or [sun, rain]",
    "a list of pairs": "[[bob_yes, bob_no]], or the word values",
    "a pair [secret, secret]": "[bob_yes, bob_no]",
    "a class of priors": "product, all, or {list: [uniform]}",
    "a list of priors": "[uniform, {worlds: {sun: 1/2, rain: 1/2}}]",
    "a prior": "uniform, or {worlds: {sun: 1/2, rain: 1/2}}",
    "a mapping from worlds to probabilities": "{sun: 1/2, rain: 1/2}",
    "a mapping from values to probabilities": "{0: 1/2, 1: 1/2}",
    "a mapping from values to distributions": "{0: {0: 2/3, 1: 1/3}, 1: {0: 1/4, 1: 3/4}}",
    "a mapping from secrets to priors": "{bob_yes: uniform}",
    "one distribution per record": "[{0: 1/2, 1: 1/2}, {0: 1/3, 1: 2/3}]",
    "{secret: prior, …}": "{bob_yes: {worlds: {11: 1}}, bob_no: {worlds: {10: 1}}}",
    "a list of {weight, prior}": "[{weight: 1/2, prior: uniform}, …]",
    "a list of {weight, mechanism}": "[{weight: 1/2, mechanism: response}, …]",
    "a list of {records, epsilon}": "[{records: [ann], epsilon: 1}]",
    "a list of constraints": '["P(bob_yes) <= 1/2"]',
    "a constraint such as P(s) <= 1/2": 'a text in quotes, "P(bob_yes) in [1/4, 1/2]"',
    "a constraint (an expression)": "count(value == 1) <= 1",
    "a chain": "{initial: stationary, transition: {0: {0: 2/3, 1: 1/3}, 1: {0: 1/4, 1: 3/4}}}",
    "a tree": "{parents: {bob: ann}, initial: stationary, transition: {0: {0: 2/3, 1: 1/3}, …}}",
    "a mapping from records to their parents": "{bob: ann, cat: ann}",
    "a mapping from records to transitions": "{bob: {0: {0: 2/3, 1: 1/3}, 1: {0: 1/4, 1: 3/4}}}",
    "hedging": "{weight: 1/10, known: {0: 1/2, 1: 1/2}}",
    "a table": "{outputs: [dry, wet], sun: [4/5, 1/5], rain: [1/4, 3/4]}",
    "a list of outputs": "[dry, wet]",
    "a list of probabilities": "[4/5, 1/5], one for each output",
    "a mapping from outputs": "{yes: a, no: b}",
    "a mapping from new outputs to probabilities": "{yes: 1/2, no: 1/2}",
    "a list of values of the domain": "[0, 1]",
    "a number of records, or a list of their names": "3, or [ann, bob]",
    "an expression": 'count(value == 1); in quotes if it starts with a bracket: "[ann, bob]"',
    "an expression or 'histogram'": 'ann + bob, or in quotes: "(ann, 3 * bob)"',
    "a program": "program: | and the lines of the program below, indented",
    "the path of a csv file": "table.csv",
    "a graph": "full, {edges: [[a, b], [b, c]]} or {distance: 2}",
    "a distance": "hamming, l1, linf or {graph: [[a, b], [b, c, 1/2]]}",
    "a list of edges [value, value]": "[[a, b], [b, c]]",
    "an edge [value, value]": "[a, b]",
    "a list of edges [world, world] or [world, world, length]": "[[a, b], [b, c, 1/2]]",
    "an edge [world, world] or [world, world, length]": "[a, b], or [b, c, 1/2]",
    "a list of blocks of values": "[[a, b], [c, d]]",
    "a block: a list of values": "[a, b]",
    "a list of [value, value, distance]": "[[a, b, 1], [b, c, 2]]",
    "[value, value, distance]": "[a, b, 1]",
    "per-record graphs": "{ann: full, bob: {edges: [[0, 1]]}}",
    "[world, z, probability]": "[sun, warm, 1/2]",
    "neighbours": "add_remove, or {hamming: 2}",
    "a list of levels e^ε": "[1, 3/2, 2], or corners",
    "a level": "epsilon: ln(3), or exp_epsilon: 3",
    "a leakage": "3, infinite, [1.8, 1.9], or [[p <= 3/4, p/(1 - p)], [p > 3/4, infinite]]",
    "a mapping of parameters": "{p: 1/2 < p < 1, n: 2..6}",
    "values or an interval": "1/2 < p < 1, 2..6 or [2, 4, 8]",
    "a condition": "p <= 3/4, 1/2 < p < 3/4, or a list of such comparisons",
    "a number": "3, 1/3, 0.25 or 1e-9",
    "a probability": "3/4, or 0.75",
    "delta": "delta: 1/1000",
    "a value": "yes, or 3",
    "a name": "a word such as response",
    "text": 'words, in quotes if need be: "a title: with a colon"',
    "true or false": "true",
}

# a key that is missing -> how it is written
KEYS: dict[str, str] = {
    "worlds": "worlds: [sun, rain], or worlds: {records: [ann, bob], domain: [0, 1]}",
    "checks": "checks: [{differential_privacy: {epsilon: ln(3)}}]",
    "records": "records: [ann, bob]",
    "domain": "domain: [0, 1]",
    "outputs": "outputs: [dry, wet]",
    "truth": "truth: 3/4",
    "query": "query: count(value == 1)",
    "candidates": "candidates: [0, 1]",
    "score": "score: count(value == candidate)",
    "base": "base: 2",
    "runs": "runs: 2",
    "weight": "weight: 1/2",
    "mechanism": "mechanism: {randomized_response: {truth: 3/4}}",
    "prior": "prior: uniform",
    "known": "known: {0: 1/2, 1: 1/2}",
    "initial": "initial: stationary",
    "parents": "parents: {bob: ann}",
    "transition": "transition: {0: {0: 2/3, 1: 1/3}, 1: {0: 1/4, 1: 3/4}}",
    "file": "file: noise.py",
    "function": "function: noise",
    "given": "given: {sun: uniform, rain: uniform}",
    "rho": "rho: 1/2",
    "groups": "groups: [{records: [ann], epsilon: 1}, {records: [bob], epsilon: 1/2}]",
    "secrets": "secrets: {bob_yes: bob == 1, bob_no: bob == 0}",
    "if": "if: {differential_privacy: {exp_epsilon: 2}}",
    "then": "then: {differential_privacy: {exp_epsilon: 4, neighbours: all}}",
    "under": "under: {differential_privacy: {exp_epsilon: 2}}",
    "loss": "loss: abs(output - ann)",
    "alt": 'alt: "(ann, bob)"',
    "priv": "priv: ann",
}


# part of what the YAML library says -> what to write instead
PROBLEMS = {
    "cannot start any token": "put a text that starts with %, @ or ` into quotes",
    "mapping values are not allowed": "put a text with ': ' in it into quotes, or begin a new line",
    "',' or ']'": "close the list with ], and put a comma between two elements",
    "',' or '}'": "close the mapping with }, and put a comma between two entries",
    "end of stream": "close the quotation mark",
    "expected key": "begin each entry of a block in the same column, as `key: value`",
    "'-' indicator": "begin each item of a block in the same column, as `- item`",
    "expected ':'": "write `key: value`, with a colon and a blank",
    "document start": "write everything below one key, or at the left margin as `key: value`",
    "block sequence entries": "begin a list on a line of its own, or write [a, b]",
    "escape": "double the backslash, or use single quotation marks",
    "comment or line break": "begin the text of a block on the next line",
    "alphabetic or numeric": "put a text that starts with & or * into quotes",
}


def missing(key: str, told: str = "") -> str:
    """The hint that a key is to be added, with an example, which may be that of a `told` word."""
    return f"add {KEYS.get(key) or _shown(key, told) or f'{key}: …'}"


def _shown(key: str, told: str) -> str:
    """The key with its value, as the example of a text has it in braces; "" where it has none."""
    start = told.find(f"{key}: ", max(0, told.find("\n\nExample.")))
    depth = 0
    for end in range(start, len(told) if start >= 0 else start):
        depth += (told[end] in "([{") - (told[end] in ")]}")
        if depth < 0 or (told[end] in ",\n" and depth == 0):
            return told[start:end]
    return ""


def like(what: str) -> str:
    """The hint how `what` was expected is written; nothing where no example is known."""
    return f"write {SHAPES[what]}" if what in SHAPES else ""
