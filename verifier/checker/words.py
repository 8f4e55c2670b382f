"""The claim of a certificate in words."""

from typing import Any

NAMELESS = "no definition: the stated relation, of kind"
LONG = 60  # characters of an option


def claimed(question: Any, answer: Any) -> str:
    """The definition with its options, the level, the verdict and what was found."""
    return " ".join([_asked(question), _answered(answer), _place(question["source"])]).strip()


def _asked(question: Any) -> str:
    kind = question["kind"]
    name = question["definition"] or f"{NAMELESS} {kind}"
    options = _listed(question["options"] | _given(question["relation"]))
    level = question.get("level")
    bounds = {key: question[key] for key in ("equals", "at_most", "facets") if question.get(key)}
    stated = (f"{key} {value}" for key, value in ({**level} if level else bounds).items())
    about = f" ({options})" if options else ""
    at = ", ".join(stated)
    return f"{name}{about}{' at ' if level else ' with ' if at else ''}{at}"


def _given(relation: Any) -> dict[str, Any]:
    """What a relation has beside the options: classes of priors, levels inside."""
    if relation is None:
        return {}
    found = {}
    if type(relation.get("priors")) is dict:
        found["priors"] = relation["priors"]["class"]
    if type(relation.get("level")) is dict:  # of a premise
        found |= {f"if at {key}": value for key, value in relation["level"].items()}
    if "exp_epsilon" in relation:
        found["exp_epsilon"] = relation["exp_epsilon"]
    return found


def _listed(options: Any) -> str:
    return "; ".join(
        f"{key}: {_short(value)}" for key, value in options.items() if value is not None
    )


def _short(value: Any) -> str:
    if isinstance(value, dict) and set(value) == {"definition", "options"}:
        inner = _listed(value["options"])
        return f"{value['definition']}{f' ({inner})' if inner else ''}"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"


def _answered(answer: Any) -> str:
    leakage = answer.get("leakage")
    found = [answer["verdict"]]
    if answer.get("value") is not None:
        found.append(f"value {answer['value']}")
    if leakage is None:
        return "; ".join(found)
    if "vacuous" in leakage:
        found.append("vacuous, nothing is compared")
    elif "infinite" in leakage:
        found.append("no level serves")
    elif "lower" in leakage:
        found.append(f"smallest exp_epsilon from {leakage['lower']} to {leakage['upper']}")
    else:
        found.append(f"smallest exp_epsilon {leakage['exp_epsilon']}")
    return "; ".join(found)


def _place(source: Any) -> str:
    """Which check of which file."""
    if source is None:
        return ""
    name = "" if source["name"] is None else f" ({source['name']})"
    return f"[check {source['check'] + 1}{name} of a file with {source['spec'][:19]}…]"
