"""The standard modules, and some of the CommunityModules, as tables: what each name means, written in Python."""

from schedcheck.checker.language.standard.modules import MODULES

__all__ = ["MODULES"]
