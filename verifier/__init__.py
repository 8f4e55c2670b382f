"""Exact decisions about the privacy of mechanisms over finite worlds: the door from Python.

`check` decides the checks of a spec file; `load` reads their questions; `decide` answers a
question. A question without a file comes from a module of `verifier.definitions`, such as
`differential_privacy.question(space=…, mechanism=…, level=…)`.

Names in `__all__`, the keyword `question` of every definition and the parameters that it names keep
their meaning within a major version: they are changed or removed only with a new one, after a
release in which the old name still works and warns. All other names are internal.

Nothing is loaded before its first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from verifier.base.nouns import show_by
from verifier.base.version import VERSION

if TYPE_CHECKING:
    from verifier.base.errors import InputError as InputError
    from verifier.base.errors import InputErrors as InputErrors
    from verifier.base.errors import LimitReached as LimitReached
    from verifier.base.errors import NotDecided as NotDecided
    from verifier.base.errors import VerifierError as VerifierError
    from verifier.base.level import Leakage as Leakage
    from verifier.base.level import Level as Level
    from verifier.mechanisms import mechanism_of as mechanism
    from verifier.priors import class_of as prior_class
    from verifier.priors.list import listed as listed_priors
    from verifier.questions.answer import Answer as Answer
    from verifier.questions.beliefs.prior import Prior as Prior
    from verifier.questions.beliefs.prior import prior_of as prior
    from verifier.questions.question import Question as Question
    from verifier.questions.secrets import Secret as Secret
    from verifier.run.verify import NotAccepted as NotAccepted
    from verifier.run.verify import Report as Report
    from verifier.run.verify import Result as Result
    from verifier.run.verify import answer as decide
    from verifier.run.verify import check as check
    from verifier.run.verify import load as load
    from verifier.world.mechanism import Mechanism as Mechanism
    from verifier.world.worlds import WorldSpace as WorldSpace
    from verifier.world.worlds import database as database
    from verifier.world.worlds import exchangeable as exchangeable
    from verifier.world.worlds import named as named

__version__ = VERSION

__all__ = [
    "Answer",
    "InputError",
    "InputErrors",
    "Leakage",
    "Level",
    "LimitReached",
    "Mechanism",
    "NotAccepted",
    "NotDecided",
    "Prior",
    "Question",
    "Report",
    "Result",
    "Secret",
    "VerifierError",
    "WorldSpace",
    "check",
    "database",
    "decide",
    "exchangeable",
    "listed_priors",
    "load",
    "mechanism",
    "named",
    "prior",
    "prior_class",
]

_PLACES = {  # module: names, as they are called there or, after a colon, here
    "base.errors": "InputError InputErrors LimitReached NotDecided VerifierError",
    "base.level": "Leakage Level",
    "questions.beliefs.prior": "Prior prior_of:prior",
    "questions.answer": "Answer",
    "questions.question": "Question",
    "questions.secrets": "Secret",
    "mechanisms": "mechanism_of:mechanism",
    "priors": "class_of:prior_class",
    "priors.list": "listed:listed_priors",
    "run.verify": "NotAccepted Report Result answer:decide check load",
    "world.mechanism": "Mechanism",
    "world.worlds": "WorldSpace database exchangeable named",
}


show_by(lambda: import_module("verifier.report.display"))


def __getattr__(name: str) -> object:
    for module, names in _PLACES.items():
        for there, _, here in (word.partition(":") for word in names.split()):
            if name == (here or there):
                found: object = getattr(import_module(f"verifier.{module}"), there)
                globals()[name] = found
                return found
    raise AttributeError(f"module 'verifier' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
