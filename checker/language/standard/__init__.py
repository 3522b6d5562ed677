"""The standard modules and some of the CommunityModules: tables of operators written in Python."""

from schedcheck.checker.language.standard.modules import MODULES

__all__ = ["MODULES"]
