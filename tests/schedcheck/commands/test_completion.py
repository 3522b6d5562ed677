"""`schedcheck --install-completion`: bash completes commands, options and choices by what was installed"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from schedcheck.commands.application import LIMITED, OTHERS

SCRIPTS = {
    "bash": ".local/share/bash-completion/completions/schedcheck",
    "zsh": ".zsh/completions/_cyclopts_schedcheck",
    "fish": ".config/fish/completions/schedcheck.fish",
}


def install(shell: str, home: Path) -> Path:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "BASH", "ZDOTDIR"))}
    argv = [sys.executable, "-m", "schedcheck", "--install-completion", "--shell", shell]
    done = subprocess.run(argv, env={**env, "HOME": str(home)}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return home / SCRIPTS[shell]


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_script_of_each_shell_names_every_command(shell: str, tmp_path: Path) -> None:
    text = install(shell, tmp_path).read_text()
    assert [each for each in (*LIMITED, *OTHERS) if each not in text] == []
    program = shutil.which(shell)
    if program is not None:
        subprocess.run([program, "-n", str(tmp_path / SCRIPTS[shell])], check=True)


COMPLETE = """
source "$1"; shift
function=$(complete -p schedcheck | sed 's/.*-F \\([^ ]*\\).*/\\1/')
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
"$function" schedcheck "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("li",), {"lint"}),
        (("d",), {"drain", "deploy", "diff", "demo"}),
        (("lint", "--base"), {"--baseline"}),
        (("lint", "--format", "s"), {"sarif"}),
    ],
    ids=["command", "commands", "option", "choice"],
)
def test_bash_completes_commands_options_and_choices(words: tuple[str, ...], found: set[str], tmp_path: Path) -> None:
    script = install("bash", tmp_path)
    argv = ["bash", "--noprofile", "--norc", "-c", COMPLETE, "bash", str(script), "schedcheck", *words]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert {each.strip() for each in done.stdout.splitlines()} == found
