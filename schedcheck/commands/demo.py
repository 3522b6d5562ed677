"""`schedcheck demo`: a shipped example with a violation."""

import shlex
from importlib.resources import as_file, files

EXAMPLE = "gpu-small-without-taints"
VIOLATED = 1


def demo() -> int:
    """Check a shipped example that violates a property."""
    from schedcheck.commands.check import check
    from schedcheck.report.text.terminal import output

    with as_file(files("schedcheck") / "examples" / EXAMPLE) as folder:
        command = shlex.join(["schedcheck", "check", str(folder)])
        output().out(f"{command}\n", highlight=False)
        code = check(str(folder))
    return 0 if code == VIOLATED else code or VIOLATED
