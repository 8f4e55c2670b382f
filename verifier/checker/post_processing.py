"""Certificates of kind "post_processing": M' as a mixture of post-processings of given mechanisms,
or payoffs with which M' earns more than any of them."""

from fractions import Fraction
from typing import Any

from .reading import (
    Rejected,
    Table,
    afford,
    denominator,
    fields,
    indices,
    items,
    mapping,
    need,
    number,
    numbers,
    read_given,
    read_table,
)

Rows = tuple[int, list[list[int]]]  # a denominator, and numerators by output and world


def check_post_processing(claim: Any, model: Any, relation: Any, witness: Any) -> bool:
    """Whether the evidence is a mixture rather than payoffs, if it proves what it says."""
    fields(claim, "definition kind verdict digest")
    need(relation is None, "this kind has no relation")
    wanted, given = read_table(model), read_given(model)
    need(type(witness) is dict, "the evidence is an object")
    if "mixture" in witness:
        fields(witness, "mixture")
        _check_mixture(wanted, given, witness["mixture"])
        return True
    fields(witness, "payoff earns best")
    _check_payoff(wanted, given, witness)
    return False


def _check_mixture(wanted: Table, given: list[Table], parts: Any) -> None:
    """Σ_k p_k A_k M_k = M'. For each output of M_k its column of A_k is listed, as pairs [output of
    M', probability]; with p_k = 0 nothing is."""
    scale, target = _rows(wanted)
    left = {}  # p_k A_k, by the numbers of mechanism and output, and by the output of M'
    for k, (part, table) in enumerate(zip(items(parts), given, strict=True)):
        fields(part, "weight post_processing")
        weight, rows = number(part["weight"]), part["post_processing"]
        need(weight >= 0, "a weight is negative", Rejected)
        if not weight:
            need(rows == [], "a mechanism with weight 0 is not processed")
            continue
        need(len(items(rows)) == len(table[1][0]), "each output is processed")
        for i, row in enumerate(rows):
            items(row, 2)
            places = indices([place for place, _ in row], len(target))
            need(len(set(places)) == len(places), "an output stands twice")
            found = {place: number(p) for place, p in row}
            need(all(p >= 0 for p in found.values()), "a probability is negative", Rejected)
            need(sum(found.values()) == 1, "probabilities do not sum to 1", Rejected)
            left[k, i] = {place: weight * p for place, p in found.items()}
    need(sum(number(part["weight"]) for part in parts) == 1, "weights do not sum to 1", Rejected)
    worlds = len(target[0])
    afford(4 * worlds * sum(map(len, left.values())))
    wholes = list(map(_rows, given))
    common = denominator(value for row in left.values() for value in row.values())
    rest = denominator(Fraction(1, own) for own, _ in wholes)
    sums = [[0] * worlds for _ in target]
    for (k, i), found in left.items():
        own, rows = wholes[k]
        for place, value in found.items():
            factor = value.numerator * (common // value.denominator) * (rest // own)
            sums[place] = [s + factor * p for s, p in zip(sums[place], rows[i], strict=True)]
    for made, asked in zip(sums, target, strict=True):
        same = all(s * scale == p * common * rest for s, p in zip(made, asked, strict=True))
        need(same, "the mixture is another mechanism", Rejected)


def _check_payoff(wanted: Table, given: list[Table], witness: Any) -> None:
    """M' earns so much, the given mechanisms at best so little. Outputs not listed pay 0."""
    scale, target = _rows(wanted)
    worlds = len(target[0])
    payoff = {int(output): numbers(pays) for output, pays in mapping(witness["payoff"]).items()}
    indices(list(payoff), len(target))
    need(set(map(str, payoff)) == set(witness["payoff"]), "an output is the text of a number")
    need(all(len(pays) == worlds for pays in payoff.values()), "a payoff for each world")
    common = denominator(value for pays in payoff.values() for value in pays)
    whole = {o: [v.numerator * (common // v.denominator) for v in u] for o, u in payoff.items()}
    earned = sum(_product(pays, target[output]) for output, pays in whole.items())
    announced = {tuple(pays) for pays in whole.values()}
    if len(whole) < len(target):
        announced.add((0,) * worlds)
    afford(4 * worlds * len(announced) * sum(len(table[1][0]) for table in given))
    best = max(
        Fraction(sum(max(_product(u, row) for u in announced) for row in rows), own)
        for own, rows in map(_rows, given)
    )
    earns = Fraction(earned, scale * common)
    need(number(witness["earns"]) == earns, "the mechanism earns another sum", Rejected)
    need(number(witness["best"]) * common == best, "the best is another", Rejected)
    need(earns > number(witness["best"]), "a post-processing may earn as much", Rejected)


def _product(pays: Any, row: list[int]) -> int:
    return sum(u * p for u, p in zip(pays, row, strict=True) if u)


def _rows(table: Table) -> Rows:
    """A likelihood matrix in integers."""
    values, columns = table
    common = denominator(values)
    whole = [value.numerator * (common // value.denominator) for value in values]
    return common, [[whole[code] for code in row] for row in zip(*columns, strict=True)]
