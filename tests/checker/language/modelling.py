"""Small TLA+ modules with their configurations, explored"""

from schedcheck.checker.language.checking.checking import Checked, check
from schedcheck.checker.language.checking.config import read_configuration
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.syntax.parser import parsed
from schedcheck.checker.result import Bounds


def model(text: str, configuration: str, *others: str) -> Model:
    """The module of a text that follows MODULE, with the other modules that it needs."""
    modules = {module.name: module for module in (parsed(each, _name(each)) for each in (text, *others))}
    return Model(modules, _name(text), read_configuration(configuration, "M.cfg"))


def explored(text: str, configuration: str, *others: str, bounds: Bounds | None = None) -> Checked:
    """Check the module."""
    return check(model(text, configuration, *others), bounds or Bounds(seconds=60))


def counts(checked: Checked) -> tuple[int, int, int]:
    """Distinct and generated states, and the depth."""
    return checked.result.distinct, checked.result.generated, checked.result.depth


def broken(checked: Checked) -> list[str]:
    """The names of the violated properties."""
    return [each.name for each in checked.found]


def _name(text: str) -> str:
    return text.split("MODULE", 1)[1].split(maxsplit=1)[0]
