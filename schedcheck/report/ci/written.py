"""A report in one of the formats of continuous integration: `written`, `FORMATS`."""

from schedcheck.report.ci.case import Case, Level, Report, Told
from schedcheck.report.ci.github import annotations
from schedcheck.report.ci.junit import junit
from schedcheck.report.ci.sarif import sarif

FORMATS = {"junit": junit, "sarif": sarif, "github": annotations}


def written(report: Report, format: str) -> str:
    """Return the report as text in this format."""
    return FORMATS[format](report)


def unknown(command: str, why: str) -> Report:
    """Return the report of a command whose answer is unknown as a whole."""
    told = Told("answer", Level.UNKNOWN, "", why, identity=why)
    return Report(command, (Case("answer", "the answer as a whole", (told,), page="docs/output.md"),), 2, "UNKNOWN")
