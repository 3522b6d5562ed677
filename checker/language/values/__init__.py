"""The values of TLA+: equality, order, and lazy sets. With any of them, `showing` registers the text of values."""

from schedcheck.checker.language.values import showing as showing
