"""What the mechanisms of a file protect: their row cones, facet by facet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations

from verifier.base.document import Mapping as MappingNode
from verifier.definitions import row_cone
from verifier.kernels.rows import Relaxation, RowCone, directions, relaxed
from verifier.mechanisms import known_exactly
from verifier.questions.evidence import FacetsEvidence
from verifier.run import verify
from verifier.run.verify import Options
from verifier.spec.model import Model
from verifier.spec.options import Check
from verifier.spec.reading import load
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace


@dataclass(frozen=True, eq=False)
class Explanation:
    """The row cone of some mechanisms.

    of          the names of the mechanisms
    checks      the names of the checks that are about this cone
    cone        its facets, which the checker has accepted
    relaxation  what it says about two worlds at a time
    private     the neighbours ("replace" or "all") and e^ε where the relaxation is exactly
                differential privacy
    """

    of: tuple[str, ...]
    checks: tuple[str, ...]
    space: WorldSpace
    cone: RowCone
    relaxation: Relaxation
    private: tuple[str, Fraction] | None


def explain(path: str, options: Options, start: int = 0) -> Iterator[Explanation]:
    """The cones that the file's `row_cone` checks are about, each once, else the cone of every
    mechanism by itself, from number `start` on; InputError where the file is bad, LimitReached at a
    limit."""
    with verify.limits(options):
        model, checks = load(path, options.allow_python)
        cones = _of_checks(checks) or _of_mechanisms(model)
    for number, (of, (names, mechanisms)) in list(enumerate(cones.items(), 1))[start:]:
        with verify.limits(options, f"cone {number}"):
            found = _explanation(model.space, of, names, mechanisms)
        yield found


Asked = dict[tuple[str, ...], tuple[list[str], Mapping[str, Mechanism]]]


def _of_checks(checks: list[Check]) -> Asked:
    found: Asked = {}
    for check in checks:
        if check.definition.text == "row_cone":
            mechanisms = check.definition.placed(check.given)
            names, _ = found.setdefault(tuple(mechanisms), ([], mechanisms))
            names += [check.name] if check.name else []
    return found


def _of_mechanisms(model: Model) -> Asked:
    table = model.node.get("mechanisms")
    if isinstance(table, MappingNode) and table.entries:
        keys = [key for key, _ in table.entries]
        return {
            (key.text,): ([], {key.text: known_exactly(model.mechanism_named(key))}) for key in keys
        }
    if model.node.get("mechanism") is None:
        raise model.node.fail("S605", "the file has no mechanism to explain")
    return {("mechanism",): ([], {"mechanism": known_exactly(model.single_mechanism())})}


def _explanation(
    space: WorldSpace, of: tuple[str, ...], names: list[str], mechanisms: Mapping[str, Mechanism]
) -> Explanation:
    number = 1  # any: the answer counts them, and its certificate lists them
    answer = verify.certified(row_cone.question(space=space, of=mechanisms, facets=number))
    assert answer.proof is not None and isinstance(answer.proof.witness, FacetsEvidence)
    equations, facets = (
        tuple(map(tuple, rows))
        for rows in (answer.proof.witness.equations, answer.proof.witness.facets)
    )
    cone = RowCone(space.size, directions(mechanisms.values()), equations, facets)
    found = relaxed(cone.rows)
    return Explanation(of, tuple(names), space, cone, found, _private(space, found))


def _private(space: WorldSpace, found: Relaxation) -> tuple[str, Fraction] | None:
    """Neighbours and e^ε, where the bounds are the same one for exactly these neighbours."""
    levels = set(found.bounds.values())
    if len(levels) != 1 or found.equal:
        return None
    pairs = set(permutations(range(space.size), 2))
    kinds = {"all": pairs}
    if space.records and space.absent_code is None:
        codes = space.record_codes
        one = {(v, w) for v, w in pairs if (codes[:, v] != codes[:, w]).sum() == 1}
        kinds = {"replace": one, "all": pairs}
    kind = next((kind for kind, pairs in kinds.items() if set(found.bounds) == pairs), None)
    return (kind, levels.pop()) if kind else None
