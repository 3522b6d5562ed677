"""Whether the specification gives the recorded answers of kube-scheduler: `conformance`, `Conformance`."""

from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from schedcheck.api.answer import Answer, within
from schedcheck.api.preparing import configured, of_plugins
from schedcheck.api.values import SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.recordings.conformance import Agreement
from schedcheck.recordings.conformance import conformance as compared
from schedcheck.recordings.recorded import recorded
from schedcheck.report.json.agreement import agreement_json
from schedcheck.report.json.pieces import Json
from schedcheck.spec.profiles import departing


@dataclass(frozen=True)
class Conformance(Answer):
    """The comparison of recorded answers with those of the specification.

    verdict
        "holds", "violated" (a recorded value differs), "gave up", or "unknown" (something could not be compared).
    records
        How many records were read.
    agreement
        Every compared field and every difference; not part of the stable interface.
    """

    verdict: str
    records: int
    profile: str
    notes: tuple[str, ...]
    agreement: Agreement = field(repr=False)

    @property
    def exit_code(self) -> int:
        """0, 1 for a difference, 2 where something was not compared."""
        return {"holds": 0, "violated": 1}.get(self.verdict, 2)

    def to_json(self) -> Json:
        """Return what `schedcheck conformance --format json` prints."""
        return agreement_json(self.agreement, self.profile, self.verdict, self.exit_code)


def conformance(
    *files: str | Path,
    profile: Profile | str | None = "kubernetes",
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Conformance:
    """Compare recorded answers, one JSON object a line, with those of the specification, field by field.

    Raises: InputError, GaveUp.
    """
    chosen = as_profile(profile)
    name = of_plugins(chosen)
    with within(limits or Limits()):
        told, said = noting(observer)
        given = configured(chosen, None, False, told)
        plugins = departing(name, given.plugins)
        made = compared(chain.from_iterable(recorded(str(file)) for file in files), *plugins)
        return Conformance(_verdict(made), made.records, name, tuple(said), made)


def _verdict(made: Agreement) -> str:
    """Return the verdict on all records; what was not compared is unknown, unless something differs."""
    if made.differences:
        return "violated"
    if made.stopped:
        return "gave up"
    return "holds" if made.whole else "unknown"
