"""The agreement of recorded answers and specification, as JSON: `agreement_json`."""

from collections import Counter
from typing import Any

from schedcheck.recordings.conformance import Agreement, Difference
from schedcheck.report.json.pieces import FORMAT
from schedcheck.version import __version__

Json = dict[str, Any]


def agreement_json(agreement: Agreement, profile: str, verdict: str, exit_code: int) -> Json:
    """Return all results, with every difference and every value that was not compared."""
    differing = Counter((each.family, each.compared.field) for each in (*agreement.differences, *agreement.doubtful))
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "profile": profile,
        "verdict": verdict,
        "exitCode": exit_code,
        "records": agreement.records,
        "compared": [
            {"family": family, "field": field, "values": values, "differing": differing[family, field]}
            for (family, field), values in agreement.compared.items()
        ],
        "differences": [_difference_json(each) for each in agreement.differences],
        "noTruth": [_difference_json(each) for each in agreement.doubtful],
        "notCompared": {
            "records": [{"id": each.id, "family": each.family, "why": each.why} for each in agreement.unknown],
            "fields": dict(sorted(agreement.not_compared.items())),
        },
        "notTold": dict(sorted(agreement.not_told.items())),
        "stopped": agreement.stopped or None,
    }


def _difference_json(difference: Difference) -> Json:
    compared = difference.compared
    return {
        "id": difference.id,
        "family": difference.family,
        "field": compared.field,
        "place": compared.place or compared.field,
        "recorded": compared.recorded,
        "said": compared.said,
        "note": difference.note,
    }
