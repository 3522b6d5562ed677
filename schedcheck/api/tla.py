"""TLA+: modules checked, expressions evaluated, scenarios exported: `check_module`, `Evaluator`, `evaluate`, `export`."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from schedcheck.api.answer import Answer, within
from schedcheck.api.check import EXIT_CODES, unknown_property
from schedcheck.api.formulas import in_tla
from schedcheck.api.preparing import prepared
from schedcheck.api.values import SILENT, Limits, Observer, Profile, as_profile
from schedcheck.checker.language.checking.checking import Checked
from schedcheck.checker.language.checking.checking import check as explored
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.checking.explored import Failed
from schedcheck.checker.language.checking.keeping import Keeping, outside
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.checking.module_search import USUAL, ModuleSearch
from schedcheck.checker.language.checking.parts import Folder
from schedcheck.checker.language.evaluation.configuration import Configuration
from schedcheck.checker.language.evaluation.evaluator import Session
from schedcheck.checker.language.standard.modules import MODULES
from schedcheck.checker.language.syntax.errors import TlaError
from schedcheck.checker.language.syntax.loading import Loaded, loaded
from schedcheck.checker.limits.durable import Full, Unusable
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.checker.result import Verdict
from schedcheck.checker.tabulated.answers.identity import ROOT, sources
from schedcheck.errors import GaveUp, InputError
from schedcheck.manifests import Cluster
from schedcheck.report.files import module_graph, module_trace
from schedcheck.report.json.pieces import Json
from schedcheck.report.text import tla_checked
from schedcheck.tla_export.export import export as exported
from schedcheck.tla_export.properties import properties_in_tla
from schedcheck.tla_export.shipped import FOLDER
from schedcheck.tla_export.text import NotExportable


class NotEvaluated(InputError):
    """An expression of a module that could not be evaluated in some state; `failed` has the behaviour that led to it."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(str(failed))
        self.failed = failed


@dataclass(frozen=True)
class ModuleResult(Answer):
    """The result for a module.

    checked
        The exploration itself; not part of the stable interface.
    """

    checked: Checked = field(repr=False)

    @property
    def verdict(self) -> Verdict:
        """HOLDS, VIOLATED or GAVE_UP."""
        return self.checked.result.verdict

    @property
    def exit_code(self) -> int:
        """The exit code of the command `tla check`."""
        return EXIT_CODES[self.verdict.value]

    @property
    def states(self) -> int:
        """The number of distinct states."""
        return self.checked.result.distinct

    @property
    def properties(self) -> Mapping[str, str]:
        """The result for each property that the configuration names."""
        return tla_checked.standings(self.checked)

    def text(self) -> str:
        """Return the JSON as text, with the letters of TLA+ strings as they are."""
        return json.dumps(self.to_json(), indent=2, ensure_ascii=False)

    def to_json(self) -> Json:
        """Return what `schedcheck tla check --format json` prints."""
        return tla_checked.checked_json(self.checked, self.exit_code)

    def write_graph(self, path: str | Path) -> None:
        """Write the explored graph as a .dot file; `check_module` must have kept the `edges`. Raises: InputError."""
        module_graph.fitting(Path(path))
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        module_graph.write(self.checked, Path(path))

    def write_trace(self, path: str | Path) -> tuple[Path, ...]:
        """Write the first counterexample as an .itf.json file, if there is one; return the files. Raises: InputError."""
        module_trace.fitting(Path(path))
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        return tuple(module_trace.write(self.checked, Path(path)))


def check_module(
    module: str | Path,
    *,
    config: str | Path | None = None,
    library: Sequence[str | Path] = (),
    deadlock: bool | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
    search: ModuleSearch = USUAL,
    checkpoint: str | Path | None = None,
) -> ModuleResult:
    """Explore every state that a module of TLA+ reaches, and judge what its configuration asks.

    config
        None is the .cfg beside the module.
    library
        Folders with more modules; those of schedcheck are found without it.
    deadlock
        Whether a state without a step is a violation; None is the configuration's answer.
    search
        How the module is checked: up to the first violation, all of them, or random behaviours of at most `limits.depth`
        states (100). With `edges` the steps are kept for `write_graph`.
    checkpoint
        A folder that keeps the exploration, and from which a run of the same module, configuration and version goes on.

    Raises: InputError; NotEvaluated, which is one, where an expression fails in a state; GaveUp.
    """
    limits = limits or Limits()
    with within(limits):
        try:
            doing("reading the module")
            read, asked = _read(module, library), configuration(Path(config or Path(module).with_suffix(".cfg")))
            if deadlock is not None:
                asked = replace(asked, check_deadlock=deadlock)
            model = Model(read.modules, read.root.name, asked, read.untranslated)
            with _kept(checkpoint, read, model, search) as keeping:
                return ModuleResult(explored(model, limits.bounds(), observer.progress, search, keeping))
        except Full as error:
            raise GaveUp(f"gave up: {error}; complete parts remain, and the same command continues from them") from None
        except Unusable as error:
            raise InputError(str(error)) from None
        except Failed as error:
            raise NotEvaluated(error) from None
        except TlaError as error:
            raise InputError(str(error)) from None


@contextmanager
def _kept(checkpoint: str | Path | None, read: Loaded, model: Model, search: ModuleSearch) -> Iterator[Keeping | None]:
    """Hold the folder of a kept exploration. Raises: InputError, Unusable."""
    if checkpoint is None:
        yield None
        return
    if search.behaviours is not None:
        raise InputError("keeps an exploration, not random behaviours", path=parameter("storage.checkpoint"))
    if outside(model):
        why = f"keeps no module that reads files or the environment: {outside(model)}"
        raise InputError(why, path=parameter("storage.checkpoint"))
    identity = {
        "version": sources(ROOT),
        "modules": _digest(*(file.read_text(encoding="utf-8") for file in read.files)),
        "configuration": _digest(repr(model.asked)),
        "search": f"{'all' if search.proceed else 'first'} violations{', with edges' if search.edges else ''}",
    }
    with Folder(Path(checkpoint), identity) as folder:
        yield Keeping(folder)


def _digest(*texts: str) -> str:
    return hashlib.blake2b("\0".join(texts).encode(), digest_size=16).hexdigest()


def _read(module: str | Path, library: Sequence[str | Path]) -> Loaded:
    return loaded(Path(module), (*map(Path, library), FOLDER), MODULES)


class Evaluator:
    """A module of TLA+, or the standard ones alone, in which expressions are evaluated and definitions added."""

    def __init__(
        self,
        module: str | Path | None = None,
        *,
        config: str | Path | None = None,
        library: Sequence[str | Path] = (),
    ) -> None:
        """Read the module. Raises: InputError."""
        try:
            asked = configuration(Path(config)) if config is not None else Configuration()
            if module is None:
                self._session = Session({}, None, asked)
            else:
                read = _read(module, library)
                self._session = Session(read.modules, read.root.name, asked)
        except TlaError as error:
            raise InputError(str(error)) from None

    def answer(self, text: str) -> str:
        """Return the value of an expression in TLA+; or add definitions and return an empty text. Raises: InputError."""
        try:
            return self._session.answer(text)
        except TlaError as error:
            raise InputError(str(error)) from None


def evaluate(
    expression: str,
    *,
    module: str | Path | None = None,
    config: str | Path | None = None,
    library: Sequence[str | Path] = (),
    limits: Limits | None = None,
) -> str:
    """Return the value of an expression in TLA+. Raises: InputError, GaveUp."""
    with within(limits or Limits()):
        evaluator = Evaluator(module, config=config, library=library)
        doing("evaluating the expression")
        return evaluator.answer(expression)


@dataclass(frozen=True)
class Exported:
    """The files of an exported scenario: its module, its configuration, and the modules that it extends.

    left_out
        The properties that TLC cannot judge, each with the reason. The configuration names them too.
    """

    module: Path
    configuration: Path
    extended: tuple[Path, ...]
    left_out: tuple[tuple[str, str], ...] = ()


def export(
    cluster: Cluster,
    folder: str | Path,
    *,
    profile: Profile | str | None = None,
    properties: Sequence[str] = (),
    fairness: Literal["none", "weak", "strong"] | None = None,
    observer: Observer = SILENT,
) -> Exported:
    """Write a scenario as a module and a configuration that TLC runs, with the modules that it extends.

    properties
        As for `check`; empty asks the scenario's.
    fairness
        That of the scheduler and the controllers in properties of behaviours; None is the scenario's.

    Raises: InputError, Unanswerable.
    """
    made = prepared(cluster, as_profile(profile), observer, gangs=True, scaled=True)
    scenario = made.scenario if fairness is None else replace(made.scenario, fairness=fairness)
    if properties:
        in_tla(tuple(properties), scenario)
        scenario = replace(scenario, properties=tuple(properties))
    try:
        module, asked, *extended = exported(scenario, Path(folder))
        left_out = properties_in_tla(scenario).left_out
    except UnknownProperty as error:
        raise unknown_property(str(error), made, scenario, tuple(properties)) from None
    except NotExportable as error:
        raise InputError(str(error)) from None
    return Exported(module, asked, tuple(extended), left_out)
