"""How much private mechanisms on disjoint groups of records leak together at worst.

Syntax. `parallel_composition: {graph: GRAPH, groups: [{records: [NAME, …], epsilon: NUMBER}, …],
at_most: NUMBER}`

Statement. Let S_1, …, S_p be disjoint groups of records, and let M_i run on D ∩ S_i, the records
of one group, such that D -> M_i(D ∩ S_i) is (ε_i, P)-Blowfish private. Whatever the mechanisms are,
all of them together are (max_i ε_i, P)-Blowfish private. This holds exactly where the value

    max over neighbours (w, w') of the policy P of Σ ε_i over the groups on which w and w' differ

is at most max_i ε_i, for the value is what they guarantee together, and no less: let M_i say
whether D ∩ S_i = w ∩ S_i, and lie with probability 1/(1 + e^ε_i). It is (ε_i, P)-Blowfish private,
and all of them say so with probabilities whose ratio at (w, w') is exactly e^Σ ε_i.

Beside the value: whether the sufficient condition of Theorem 4.3 is met, that every constraint
affects at most one group, to the letter of its definition of critical secrets (other records may
change along no edge), and with changes of one record only. The theorem is true where the secret
graphs are connected, and false otherwise; the value does not depend on it.

Options. `graph`; and
- `groups`: a list of {records: [ann, bob], epsilon: 1/2} without common records; `epsilon` is 1
  where it is not given
- `at_most`: another bound than the largest ε of a group

Leakage. None: there is no level and no mechanism; the answer is the value itself, a rational.

Example. Without constraints neighbours differ in one record, and the value is the largest ε_i
(Theorem 4.2). With a public count of ones, one record goes up while another one goes down, and two
groups of one record each add up.

    worlds: {records: [ann, bob], domain: [0, 1], where: count(value == 1) == 1}
    checks:
      - parallel_composition: {groups: [{records: [ann]}, {records: [bob]}]}
        expect: violated
      - parallel_composition: {groups: [{records: [ann]}, {records: [bob]}], at_most: 2}

References. He, Machanavajjhala, Ding 2014, Blowfish privacy, Section 4.1, Theorems 4.2 and 4.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from verifier.base.document import Node, Plain, Scalar, tree
from verifier.base.errors import InputError, LimitReached, TimeLimitReached, choice
from verifier.base.examples import KEYS
from verifier.definitions.blowfish import edges_of, neighbours_of
from verifier.questions.answer import Quantity
from verifier.questions.claim import SensitivityClaim
from verifier.questions.question import Question, stated
from verifier.questions.witness import ChangeWitness, GroupsWitness
from verifier.spec.options import Options
from verifier.world.neighbours.critical import affected
from verifier.world.space import needs_records
from verifier.world.worlds import WorldSpace, database, predicate

OPTIONS = ("graph", "groups", "at_most")
CLOSED = None  # about a policy
MAX_CELLS = 2**22

Group = tuple[list[int], Fraction]  # numbers of the records, and ε_i


def question(
    *,
    space: WorldSpace,
    groups: Plain,
    graph: Plain = "full",
    at_most: Plain | None = None,
    where: Sequence[Scalar | str] = (),
) -> Question:
    """What parallel runs leak together (He, Machanavajjhala, Ding 2014, Section 4.1).

    space    the possible worlds
    groups   [{"records": [name, …], "epsilon": number}, …], a record in one group at most
    graph    which values of a record are kept apart, as for `blowfish.question`
    at_most  the bound on the sum of ε; the largest ε of a group where not given
    where    the constraints that the worlds were built with, for Theorem 4.3

    InputError for groups that are none (S601, S603); LimitReached where they take too many values.

    The claim is one about a sensitivity: of the query whose components are 1[D ∩ S_i = v]·ε_i/2,
    one for each group and each v. Two of a group's components change where D ∩ S_i does.
    """
    if space.is_histograms:
        raise needs_records("S603", "parallel_composition", space)
    pairs = neighbours_of(space, graph)
    read_groups = _read_groups(space, tree(groups))
    largest = max(epsilon for _, epsilon in read_groups)
    remarks = _remarks(space, graph, read_groups, where)
    claim = SensitivityClaim(
        "parallel_composition",
        space,
        tuple(_components(space, read_groups)),
        pairs,
        None,
        scope={"pairs": pairs.count(), "notes": list(pairs.notes)},
        remarks=remarks,
        told=lambda value: Quantity(value, "together ε {}", remark=_condition(remarks)),
        at_most=largest if at_most is None else tree(at_most).rational("the bound"),
        shows=_shows(space, read_groups),
    )
    options = {"graph": stated(graph, names=space.value_name), "groups": stated(groups)}
    return Question(definition="parallel_composition", claim=claim, options=options)


def read(options: Options) -> Question:
    """The question that the `options` of a file ask."""
    return question(
        space=options.space,
        graph=options.value("graph", "full"),
        groups=options.needed("groups"),
        at_most=options.options.get("at_most"),
        where=options.model.where,
    )


def value(
    databases: Sequence[Sequence[object]],
    pairs: Iterable[tuple[int, int]],
    groups: Sequence[tuple[Sequence[int], Fraction]],
) -> Fraction:
    """The largest sum of ε_i over the groups with different records, straight from the definition.

    databases  for each world the value of each record
    pairs      the ordered pairs of worlds that are neighbours
    groups     the numbers of the records of each group, and its ε_i
    """
    return max(
        (
            sum(
                (
                    e
                    for records, e in groups
                    if any(databases[w][r] != databases[v][r] for r in records)
                ),
                Fraction(0),
            )
            for w, v in pairs
        ),
        default=Fraction(0),
    )


def _read_groups(space: WorldSpace, node: Node) -> list[Group]:
    items = node.sequence("a list of {records, epsilon}").items
    if not items:
        said = "the list of groups is empty: nothing would be composed"
        raise node.fail("S603", said, f"write {KEYS['groups']}")
    used: set[int] = set()
    groups = []
    for item in items:
        group = item.mapping(("records", "epsilon"), needs="records")
        records = [_record(space, name) for name in group["records"].sequence("records")]
        for record, name in zip(records, group["records"].sequence(), strict=True):
            if record in used:
                said = f"the record '{name.scalar().text}' stands twice"
                raise name.fail("S603", said, "leave it out of one of the groups")
            used.add(record)
        given = group.get("epsilon")
        epsilon = Fraction(1) if given is None else given.rational("a level")
        if given is not None and epsilon < 0:
            hint = f"write {-epsilon}"
            raise given.fail("S601", f"epsilon must be at least 0, found {epsilon}", hint)
        groups.append((records, epsilon))
    return groups


def _record(space: WorldSpace, node: Node) -> int:
    name = node.scalar("the name of a record").text
    if name not in space.records:
        hint = choice(name, space.records, "records")
        raise node.fail("S603", f"no record is named '{name}'", hint)
    return space.records.index(name)


def _restricted(space: WorldSpace, records: Sequence[int]) -> np.ndarray:
    """A number for D ∩ S in each world, from 0 on."""
    if not records:
        return np.zeros(space.size, dtype=np.int64)
    found = np.unique(space.record_codes[list(records)], axis=1, return_inverse=True)[1]
    return found.ravel()


def _components(space: WorldSpace, groups: Sequence[Group]) -> Iterator[tuple[Fraction, ...]]:
    restricted = [_restricted(space, records) for records, _ in groups]
    cells = space.size * sum(int(part.max()) + 1 for part in restricted)
    if cells > MAX_CELLS:
        raise LimitReached(f"the groups take too many values: {cells} cells")
    for part, (_, epsilon) in zip(restricted, groups, strict=True):
        for found in range(int(part.max()) + 1):
            yield tuple(epsilon / 2 if here == found else Fraction(0) for here in part.tolist())


def _condition(remarks: Mapping[str, bool]) -> str:
    """What is known of the sufficient condition."""
    if "theorem_4_3" not in remarks:
        return ""
    return f"the condition of Theorem 4.3 is {'' if remarks['theorem_4_3'] else 'not '}met"


def _shows(
    space: WorldSpace, groups: Sequence[Group]
) -> Callable[[int, int, ChangeWitness], GroupsWitness]:
    """The groups in which two worlds differ, for a witness."""

    def shows(left: int, right: int, found: ChangeWitness) -> GroupsWitness:
        codes = space.record_codes
        names = [
            [space.records[r] for r in records]
            for records, epsilon in groups
            if epsilon and (codes[records, left] != codes[records, right]).any()
        ]
        return GroupsWitness(found.pair, found.distance, names)

    return shows


def _remarks(
    space: WorldSpace, graph: Plain, groups: Sequence[Group], where: Sequence[Scalar | str]
) -> dict[str, bool]:
    """Whether the condition of Theorem 4.3 is met, in both readings."""
    edges = edges_of(space, graph)
    entries = space.entry_values
    domain = dict(zip(space.attributes, entries, strict=True)) if space.attributes else entries[0]
    try:
        everything = database(space.records, domain, space.may_be_absent)
        known = [predicate(everything, item) for item in where]
        met = {
            alone: all(
                _one_group(affected(everything, holds, edges, alone), groups) for holds in known
            )
            for alone in (False, True)
        }
    except TimeLimitReached:
        raise
    except (LimitReached, InputError):  # a constraint may be undefined where an earlier one fails
        return {}
    return {"theorem_4_3": met[False], "theorem_4_3_single_changes": met[True]}


def _one_group(records: set[int], groups: Sequence[Group]) -> bool:
    """Whether these records are in at most one of the groups."""
    return sum(bool(records & set(members)) for members, _ in groups) <= 1
