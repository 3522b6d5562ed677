"""JUnit XML with one test case for each rule, property or set of nodes: `junit`.

A case with a failing statement has a `failure`; one that only something unknown leaves open has an `error`, since it is
neither passed nor failed.
"""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from schedcheck.errors import printable
from schedcheck.report.ci.case import Case, Level, Report, Told


def junit(report: Report) -> str:
    """Return the text of the report."""
    made = [_case(each, report) for each in report.cases]
    counts = {
        "tests": str(len(made)),
        "failures": str(sum(each.find("failure") is not None for each in made)),
        "errors": str(sum(each.find("error") is not None for each in made)),
        "skipped": str(sum(each.find("skipped") is not None for each in made)),
    }
    # Schemas of JUnit XML have no count of skipped cases over all suites.
    every = {name: count for name, count in counts.items() if name != "skipped"}
    suites = Element("testsuites", {"name": "schedcheck", **every})
    suite = SubElement(suites, "testsuite", {"name": f"schedcheck {report.command}", **counts})
    suite.extend(made)
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}'


def _case(case: Case, report: Report) -> Element:
    of = Element("testcase", {"classname": f"schedcheck.{report.command}", "name": _xml(case.name)})
    if case.skipped:
        SubElement(of, "skipped", {"message": _xml(case.skipped)})
        return of
    new = [each for each in case.told if not each.known]
    failing = [each for each in new if each.level in report.failing]
    unknown = [each for each in new if each.level is Level.UNKNOWN]
    others = [each for each in case.told if each not in failing and each not in unknown]
    if failing:
        _element(of, "failure", case, failing + unknown)
    elif unknown:
        _element(of, "error", case, unknown)
    if others:
        SubElement(of, "system-out").text = _xml("\n".join(map(_text, others)))
    return of


def _element(of: Element, name: str, case: Case, told: list[Told]) -> None:
    first = told[0].message
    message = first if len(told) == 1 else f"{len(told):,} times: {case.help}"
    made = SubElement(of, name, {"type": told[0].level.value, "message": _xml(message)})
    made.text = _xml("\n".join(map(_text, told)))


def _text(each: Told) -> str:
    where = "" if each.place is None else f"{each.place.file}:{each.place.line}: "
    known = " (known)" if each.known else ""
    lines = [f"{where}{each.level.value}{known}: {each.message}", *each.details.splitlines()]
    return "\n  ".join(lines)


def _xml(text: str) -> str:
    """Return the text with an escape for each character that XML 1.0 cannot hold."""
    return "\n".join(printable(line) for line in text.split("\n"))
