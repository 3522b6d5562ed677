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


QUESTIONS = [("schedcheck li", {"lint"}), ("schedcheck lint --base", {"--baseline"}), ("schedcheck lint --format ", {"github", "json", "junit", "sarif", "text"})]  # fmt: skip


def there(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not on the path")


@there("fish")
@pytest.mark.parametrize(("line", "found"), QUESTIONS)
def test_fish_completes_commands_options_and_choices(line: str, found: set[str], tmp_path: Path) -> None:
    script = install("fish", tmp_path)
    text = f'source {script}; complete -C "{line}"'
    env = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(
        ["fish", "--no-config", "-c", text], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
    )
    assert {each.partition("\t")[0] for each in done.stdout.splitlines()} == found


IN_A_TERMINAL = r"""
zmodload zsh/zpty
zpty -b inner env HOME=$1 TERM=dumb zsh -f -i
zpty -w inner 'unset zle_bracketed_paste; fpath=($HOME/.zsh/completions $fpath); autoload -Uz compinit; compinit -u -d $HOME/dump; PROMPT=; print READY'
said=
until [[ $said == *$'\n'READY* ]]; do zpty -r -t inner more && said+=$more || sleep 0.05; done
said=
zpty -w -n inner "$2"$'\t'$'\t'
for each in {1..20}; do zpty -r -t inner more && said+=$more || sleep 0.05; done
print -r -- $said
zpty -d inner
"""


@there("zsh")
@pytest.mark.parametrize(("line", "found"), QUESTIONS)
def test_zsh_completes_commands_options_and_choices(line: str, found: set[str], tmp_path: Path) -> None:
    install("zsh", tmp_path)
    argv = ["zsh", "-f", "-c", IN_A_TERMINAL, "zsh", str(tmp_path), line]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=60)
    assert all(each in done.stdout for each in found), done.stdout
    assert "diff" not in done.stdout
