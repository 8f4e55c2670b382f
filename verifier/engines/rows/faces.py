"""What it takes to prove that a list of facets is complete.

Example. The rows (3, 1) and (1, 3) span a cone with the facets 3 x_1 >= x_0 and 3 x_0 >= x_1. Each
has one row on it, as many as its dimension: a simplex, of which nothing more has to be proved.

After Lin, Kifer 2012, Reasoning about privacy using axioms, Definition 3.5.
"""

from __future__ import annotations

from collections.abc import Sequence

from verifier.rows.facets import Row


def proof_steps(rows: Sequence[Row], facets: Sequence[Row], equations: int, most: int) -> int:
    """Steps to prove that, with so many equations, these are all facets of a cone of rows; more
    than `most` where it takes more. The proof goes down the faces of the cone, as far as they are
    no simplices: each facet of a facet lies on another facet."""
    size, count = len(rows[0]), len(rows)
    steps = count * size * (size + 2 * len(facets)) * (1 if count + equations == size else size)
    proof = _Proof(rows, steps, most)
    if steps <= most:
        proof.visit((1 << count) - 1, _on(rows, facets), size - equations)
    return proof.steps


class _Proof:
    """Counts steps over faces, which are sets of rows written as the bits of an integer."""

    def __init__(self, rows: Sequence[Row], steps: int, most: int) -> None:
        self.rows, self.steps, self.most, self.seen = rows, steps, most, set[int]()

    def visit(self, whole: int, faces: list[int], dimension: int) -> None:
        """Count the steps for the facets of one face of this dimension: `faces` of the `whole`
        one."""
        if whole in self.seen or whole.bit_count() == dimension:
            return
        self.seen.add(whole)
        self.steps += sum(face.bit_count() for face in faces)
        for face in faces:
            if self.steps > self.most:
                return
            if face.bit_count() == dimension - 1:
                self.steps += dimension * dimension * (1 + len(faces) // 500)
            else:
                self.visit(face, self._ridges(face, faces, dimension), dimension - 1)

    def _ridges(self, face: int, faces: list[int], dimension: int) -> list[int]:
        import flint

        self.steps += 3 * len(faces)
        found = []
        for ridge in {face & other for other in faces if other != face}:
            if ridge.bit_count() >= dimension - 2 and self.steps <= self.most:
                on = [row for at, row in enumerate(self.rows) if ridge >> at & 1]
                self.steps += len(on) * len(self.rows[0]) * dimension
                if (flint.fmpz_mat(on).rank() if on else 0) == dimension - 2:
                    found.append(ridge)
        return found


def _on(rows: Sequence[Row], facets: Sequence[Row]) -> list[int]:
    """The rows on each facet."""
    import flint

    products = (flint.fmpz_mat(facets) * flint.fmpz_mat(rows).transpose()).tolist()
    zeros = [[at for at, value in enumerate(line) if value == 0] for line in products]
    return [sum(1 << at for at in line) for line in zeros]
