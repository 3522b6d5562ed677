"""The hooks of Helm, which it creates at their time and not with the other objects: `is_hook`, `hooks_note`."""

from collections.abc import Sequence

from schedcheck.manifests.fields import Field

HOOK = "helm.sh/hook"
MOST = 3
"""The most hooks that a note names."""


def is_hook(field: Field) -> bool:
    """Whether the object is a hook of Helm that does not exist yet."""
    metadata = field["metadata"]
    return bool(metadata["annotations"][HOOK]) and not metadata["uid"].text()


def hooks_note(hooks: Sequence[str]) -> str:
    """Return the note that hooks, given as kind and name, were left out."""
    named = ", ".join(hooks[:MOST]) + (", …" if len(hooks) > MOST else "")
    number = "1 hook" if len(hooks) == 1 else f"{len(hooks)} hooks"
    return f"left out: {number} of Helm, created only at their time ({named})"
