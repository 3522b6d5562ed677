"""maxSurge and maxUnavailable of a rolling update, as the API server takes them: `of_deployment`, `of_daemon_set`.

Kubernetes 1.34: pkg/apis/apps/v1/defaults.go for the defaults; pkg/apis/apps/validation/validation.go,
ValidateRollingUpdateDeployment and ValidateRollingUpdateDaemonSet.
"""

from schedcheck.manifests.fields import Field

Limit = int | str
"""A number of pods, or a percentage such as `25%`."""


def of_deployment(limits: Field) -> tuple[Limit, Limit]:
    """Return maxSurge and maxUnavailable. Raises: InputError."""
    surge, unavailable = limit(limits["maxSurge"], "25%"), limit(limits["maxUnavailable"], "25%")
    if _number(surge) == _number(unavailable) == 0:
        raise limits["maxUnavailable"].error("the API server refuses 0 if maxSurge is 0 too")
    _refuse_more_than_all(limits["maxUnavailable"], unavailable)
    return surge, unavailable


def of_daemon_set(limits: Field) -> tuple[Limit, Limit]:
    """Return maxSurge and maxUnavailable. Raises: InputError."""
    surge, unavailable = limit(limits["maxSurge"], 0), limit(limits["maxUnavailable"], 1)
    if _number(surge) == _number(unavailable) == 0:
        raise limits["maxUnavailable"].error("the API server refuses 0 unless maxSurge is more than 0")
    if _number(surge) and _number(unavailable):
        raise limits["maxSurge"].error(f"the API server refuses it unless maxUnavailable is 0; it is {unavailable}")
    _refuse_more_than_all(limits["maxUnavailable"], unavailable)
    _refuse_more_than_all(limits["maxSurge"], surge)
    return surge, unavailable


def limit(field: Field, default: Limit) -> Limit:
    """Return a number of pods or a percentage. Raises: InputError."""
    text = field.value
    if not field:
        return default
    if isinstance(text, str) and text.endswith("%") and text[:-1].isdecimal() and text.isascii():
        return text
    if isinstance(text, str):
        raise field.error("expected a number or a percentage, such as 25%")
    return field.integer(0)


def _number(given: Limit) -> int:
    return given if isinstance(given, int) else int(given[:-1])


def _refuse_more_than_all(field: Field, given: Limit) -> None:
    if isinstance(given, str) and _number(given) > 100:
        raise field.error("the API server refuses more than 100%")
