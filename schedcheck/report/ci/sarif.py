"""SARIF 2.1.0: `sarif`.

What is unknown is a result of the kind `open`. With a baseline each result is `new`, `unchanged` or `absent`.
"""

import json
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from schedcheck.report.ci.case import Case, Level, Report, Told, from_here
from schedcheck.version import __version__

Json = dict[str, Any]


def sarif(report: Report) -> str:
    """Return the text of the log, with one run."""
    rules = {case.name: number for number, case in enumerate(report.cases)}
    run = {
        "tool": {
            "driver": {
                "name": "schedcheck",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(case) for case in report.cases],
            }
        },
        "automationDetails": {"id": f"schedcheck/{report.command}/"},
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The folder in which schedcheck ran."}}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": report.exit_code != 3, "exitCode": report.exit_code}],
        "results": [
            *(_result(each, rules) for each in report.told()),
            *({**_result(each, rules), "baselineState": "absent"} for each in report.gone),
        ],
    }
    log = {"version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2)


def _rule(case: Case) -> Json:
    first = case.help[:1] if case.help.startswith("kube-") else case.help[:1].upper()
    text = f"{first}{case.help[1:]}."
    page = f" It is explained in {case.page}." if case.page else ""
    made: Json = {"id": case.name, "shortDescription": {"text": text}, "help": {"text": text + page}}
    if case.page:
        made["help"]["markdown"] = f"{text} It is explained in `{case.page}`."
    return made


def _result(each: Told, rules: dict[str, int]) -> Json:
    unknown = each.level is Level.UNKNOWN
    text = "\n".join(part for part in (each.message, each.details) if part)
    made: Json = {"ruleId": each.rule}
    if each.rule in rules:
        made["ruleIndex"] = rules[each.rule]
    made |= {
        "kind": "open" if unknown else "fail",
        "level": "none" if unknown else each.level.value,
        "message": {"text": text},
        "locations": [_location(each)] if each.place is not None else [],
        "partialFingerprints": {"schedcheckIdentity/v1": sha256(each.identity.encode()).hexdigest()},
    }
    return made if each.known is None else {**made, "baselineState": "unchanged" if each.known else "new"}


def _location(each: Told) -> Json:
    assert each.place is not None, "only a place has a location"
    path = from_here(each.place.file)
    artifact = (
        {"uri": path.as_uri()} if path.is_absolute() else {"uri": quote(path.as_posix()), "uriBaseId": "%SRCROOT%"}
    )
    region = {"startLine": each.place.line, "startColumn": each.place.column}
    made: Json = {"physicalLocation": {"artifactLocation": artifact, "region": region}}
    return {**made, "logicalLocations": [{"fullyQualifiedName": each.about}]} if each.about else made
