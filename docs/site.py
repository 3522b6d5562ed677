"""The documentation site: `make site` writes `docs/_build/html` with Sphinx from the pages and the docstrings.

The pages are copied to `docs/_build/source` with the folders of the repository, so that links between them stay valid.
Three kinds of page are generated: a reference of the definitions, the properties, and the end of not-modelled.md.
A link to a missing file or heading ends the build with exit code 1.
"""

import ast
import posixpath
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "docs" / "_build"
GENERATED = ("docs/properties.md", "docs/reference/index.md")
PARTS = {
    "spec": "Vocabulary",
    "spec/volumes": "Volumes",
    "spec/properties": "Properties",
    "spec/published": "The published model",
    "spec/kubernetes": "kube-scheduler",
    "spec/kubernetes/filters": "kube-scheduler: filters",
    "spec/kubernetes/scores": "kube-scheduler: scores",
    "spec/kubernetes/preemption": "kube-scheduler: preemption",
    "spec/classic": "Early Kubernetes",
    "spec/classic/predicates": "Early Kubernetes: predicates",
    "spec/classic/priorities": "Early Kubernetes: priorities",
}
"""The headings of the reference by folder, in order."""
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
SECTION = re.compile(r"^(TLA\+|Kubernetes [\d.]+|Differs|Raises|Not modelled):", re.MULTILINE)
OPERATOR = re.compile(r"^(\w+)(?:\(.*?\))?\s*==", re.MULTILINE)
WORD = re.compile(r"\w+")


def pages() -> dict[str, str]:
    """Return the text of every page of the repository by its path, examples and mutants included."""
    patterns = (
        "*.md",
        "docs/*.md",
        "docs/decisions/*.md",
        "examples/**/README.md",
        "adapters/*/README.md",
        "tla/README.md",
        "tests/*/README.md",
    )
    found = sorted(path for pattern in patterns for path in ROOT.glob(pattern))
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in found}


def broken_links(texts: dict[str, str]) -> list[str]:
    """Return the relative links whose target neither exists nor is generated, each as `page: target`."""
    return [
        f"{page}: {target}"
        for page, text in texts.items()
        for _, target in LINK.findall(FENCE.sub("", text))
        if not _outside(target)
        and (place := _place(page, target)) not in texts
        and place not in GENERATED
        and not (ROOT / place).exists()
    ]


def linked(page: str, texts: dict[str, str]) -> str:
    """Return a page with links to folders led to their README, and links to other files written as code.

    A link whose label is a file name gets the title of the page as its label.
    """

    def link(matched: re.Match[str]) -> str:
        label, target = matched[1], matched[2]
        if _outside(target) or target.startswith("#"):
            return matched[0]
        place = _place(page, target)
        if place in texts and label.endswith(".md"):
            return f"[{title(texts[place])}]({target})"
        if place in texts or place in GENERATED:
            return matched[0]
        if f"{place}/README.md" in texts:
            return f"[{label}]({target.rstrip('/')}/README.md)"
        return f"`{place}`" if label.strip("`/") in (place, Path(place).name) else f"{label} (`{place}`)"

    parts = FENCE.split(texts[page])
    return "".join(part if part.startswith("```") else LINK.sub(link, part) for part in parts)


def title(text: str) -> str:
    """Return the title of a page."""
    return text.partition("\n")[0].removeprefix("# ")


def with_contents(page: str, texts: dict[str, str]) -> str:
    """Return a hidden table of contents of the README files in the folders below a page."""
    folder = posixpath.dirname(page)
    below = [posixpath.relpath(each, folder).removesuffix(".md") for each in texts if each.startswith(f"{folder}/")]
    entries = "\n".join(each for each in below if each.endswith("/README"))
    return f"\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{entries}\n```\n"


def _outside(target: str) -> bool:
    """Whether a link leads out of the repository."""
    return "://" in target or target.startswith("mailto:")


def _place(page: str, target: str) -> str:
    """Return the path in the repository that a relative link leads to."""
    path = target.partition("#")[0]
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page


def operators() -> dict[str, list[str]]:
    """Return the places of every operator of tla/ by its name, as `module.tla, line N`."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tla").glob("*.tla")):
        text = path.read_text(encoding="utf-8")
        for matched in OPERATOR.finditer(text):
            line = text.count("\n", 0, matched.start()) + 1
            found.setdefault(matched[1], []).append(f"tla/{path.name}, line {line}")
    return found


def reference() -> dict[str, str]:
    """Return the pages of the definitions in spec/, one for each module, and their index."""
    where, made = operators(), {}
    listed: dict[str, list[str]] = {folder: [] for folder in PARTS}
    for path in sorted((ROOT / "spec").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        body = "".join(_definition(node, source, where) for node in tree.body)
        if not body:
            continue
        name = path.relative_to(ROOT).with_suffix("").as_posix()
        docstring = ast.get_docstring(tree) or ""
        made[f"docs/reference/{name}.md"] = f"# {path.name}\n\n`{name}.py`\n\n{_prose(docstring)}\n{body}"
        entry = f"- [{path.name}]({name}.md): {_escaped(docstring.partition(chr(10))[0])}"
        listed.setdefault(posixpath.dirname(name), []).append(entry)
    made["docs/reference/index.md"] = _index(listed)
    return made


def _index(listed: dict[str, list[str]]) -> str:
    """Return the index of the reference: for each folder its modules with their first lines."""
    parts = [
        f"## {PARTS.get(folder, folder)}\n\n" + "\n".join(entries) for folder, entries in listed.items() if entries
    ]
    names = re.findall(r"\]\((.*?)\.md\): ", "\n".join(parts))
    return (
        "# Definitions\n\nThe definitions of `spec/` with their TLA+ text and the place of the operator in `tla/`.\n\n"
        + "\n\n".join(parts)
        + "\n\n```{toctree}\n:hidden:\n:maxdepth: 1\n\n"
        + "\n".join(names)
        + "\n```\n"
    )


def _definition(node: ast.stmt, source: str, where: dict[str, list[str]]) -> str:
    """Return the section of a public function or class that has a docstring, else an empty text."""
    if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
        return ""
    docstring = ast.get_docstring(node)
    if not docstring:
        return ""
    lines, text = source.splitlines(), node.body[0]
    code = "\n".join([*lines[node.lineno - 1 : text.lineno - 1], *lines[text.end_lineno : node.end_lineno]])
    names = re.findall(r"TLA\+:\s*(?:LOCAL )?(\w+)", docstring)
    places = [place for name in names for place in where.get(name, [])]
    found = f"\nDefined in {', '.join(f'`{place}`' for place in places)}.\n" if places else ""
    return f"\n## {node.name}\n\n{_prose(docstring)}{found}\n```python\n{code}\n```\n"


def _prose(docstring: str) -> str:
    """Return a docstring as Markdown: its sections one by one, TLA+ and indented lines as code."""
    starts = [0, *(matched.start() for matched in SECTION.finditer(docstring)), len(docstring)]
    parts = [docstring[a:b].strip("\n") for a, b in pairwise(starts) if docstring[a:b].strip()]
    return "\n".join(_part(part) for part in parts)


def _part(part: str) -> str:
    """Return a part of a docstring as Markdown."""
    if part.startswith("TLA+:"):
        return f"TLA+:\n\n```text\n{dedent(' ' * len('TLA+: ') + part.removeprefix('TLA+:').lstrip(' '))}\n```\n"
    return f"```text\n{part}\n```\n" if _verbatim(part) else f"{_escaped(part)}\n"


def _verbatim(part: str) -> bool:
    """Whether a part of a docstring keeps its layout: TLA+, or lines that are indented or fenced."""
    return part.startswith("TLA+") or bool(re.search(r"^( {2,}|```|\|)", part, re.MULTILINE))


def _escaped(text: str) -> str:
    """Return text in which Markdown finds no markup but code."""
    parts = re.split(r"(`[^`\n]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_<>\[\]#{}$~])", r"\\\1", part) for part in parts)


def properties() -> str:
    """Return the page of the named properties: kind, claim, the examples that violate each, the tests that name it."""
    import yaml

    from schedcheck.checker.properties.by_name import EXAMPLES, NAMES, SOUND, SOUNDNESS, asked
    from schedcheck.model.jobs import Job
    from schedcheck.model.rollouts import Rollout
    from schedcheck.report.text import statement
    from schedcheck.spec.objects import Pod, PodDisruptionBudget
    from schedcheck.spec.profiles import CORRECTED

    expected = yaml.safe_load((ROOT / "tests/examples/expected.yaml").read_text(encoding="utf-8"))
    tests, broken = list(_tests()), twins()
    rows, sections = [], []
    before = Rollout("Deployment", "WORKLOAD", "default", 2, (Pod("POD-1"), Pod("POD-2")))
    changing = replace(before, before=before)
    for name in (each for each in NAMES if each != SOUND):
        (question,) = asked(
            EXAMPLES.get(name, name),
            [Pod("POD")],
            CORRECTED,
            [PodDisruptionBudget("BUDGET")],
            rollouts=[changing],
            jobs=[Job("JOB", "default", 1, 1, 6, frozenset())],
        )
        violating = [
            f"[{example}](../examples/{example}/README.md)"
            for example, each in expected.items()
            if any(re.match(rf"{name}\b", violated) for violated in each.get("broken", ()))
        ]
        naming = [f"- `{test}`" for test, words in tests if name in words]
        kind, claim = statement.kind(question), _escaped(question.claim)
        rows.append(f"| [{_escaped(name)}](#{name}) | {kind} | {claim} |")
        sections.append(
            f"## {name}\n\n`{question.name}`, *{kind}*: {claim}\n\n"
            + f"Broken twin: {broken[name]}\n\n"
            + (f"Violated in: {', '.join(violating)}.\n\n" if violating else "")
            + ("Tests that name it:\n\n" + "\n".join(naming) + "\n" if naming else "")
        )
    return (
        "# Properties\n\nThe properties that `--property` and a scenario may name. Each has a broken twin, a system that violates it:"
        " a test finds the violation\nwith a shortest trace of known length, and another system satisfies the property"
        " (`tests/checker/properties/test_properties.py`).\nBelow it are the shipped examples that violate the property, and the"
        f" tests that name it.\n\n`{SOUND}` stands for those of\n"
        f"{', '.join(f'`{each}`' for each in SOUNDNESS)}\nthat the scheduler promises, and for `room_kept` if it nominates.\n\n"
        + "| property | kind | claim |\n|---|---|---|\n"
        + "\n".join(rows)
        + "\n\n"
        + "\n".join(sections)
    )


def twins() -> dict[str, str]:
    """Return the broken twin of each named property, as its comment, its system and the length of its trace."""
    source = (ROOT / "tests/checker/properties/test_properties.py").read_text(encoding="utf-8")
    lines, found = source.splitlines(), {}
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Twin"):
            continue
        question, _, system, length = node.args[:4]
        above = node.lineno - 1
        while lines[above - 1].lstrip().startswith("#"):
            above -= 1
        comment = " ".join(line.strip().lstrip("# ") for line in lines[above : node.lineno - 1])
        states = ast.literal_eval(length)
        length_of = f"{states} state{'s' * (states != 1)}"
        trace = f"the shortest trace has {length_of}" if states else "no single trace can show the violation"
        code = " ".join((ast.get_source_segment(source, system) or "").split())
        found[ast.literal_eval(question).partition("(")[0]] = f"{_escaped(comment)} `{code}`; {trace}.".strip()
    return found


def _tests() -> Iterator[tuple[str, frozenset[str]]]:
    """Yield every test function as file and name, with the words of its source."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        lines = source.split("\n")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield (
                    f"{path.name}::{node.name}",
                    frozenset(WORD.findall("\n".join(lines[node.lineno - 1 : node.end_lineno]))),
                )


def not_modelled() -> str:
    """Return the part of the page not-modelled.md that lists what the docstrings of the modules leave out."""
    rows = []
    for path in sorted(each for folder in ("spec", "model") for each in (ROOT / folder).rglob("*.py")):
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        found = re.search(r"Not modelled: (.*?)(?=\n\n|\Z)", docstring, re.DOTALL)
        if found:
            rows.append(f"- `{path.relative_to(ROOT).as_posix()}`: {_escaped(' '.join(found[1].split()))}")
    return "\n## By module\n\n" + "\n".join(rows) + "\n"


def sources() -> dict[str, str]:
    """Return every page of the site by its path.

    Raises: ValueError for broken links.
    """
    texts = pages()
    if broken := broken_links(texts):
        raise ValueError("broken links: " + "; ".join(broken))
    made = {page: linked(page, texts) for page in texts}
    made["docs/not-modelled.md"] += not_modelled()
    made["examples/README.md"] += with_contents("examples/README.md", texts)
    return {**made, **reference(), "docs/properties.md": properties()}


SETTINGS: dict[str, Any] = {
    "project": "schedcheck",
    "root_doc": "docs/index",
    "extensions": ["myst_parser"],
    "html_theme": "furo",
    "html_title": "schedcheck",
    "html_show_copyright": False,
    "html_show_sphinx": False,
    "myst_heading_anchors": 4,
    "nitpicky": True,
    # Headings of pages made for a repository: a level may be skipped, and code of tla is not highlighted.
    "suppress_warnings": ["myst.header", "toc.not_included", "misc.highlighting_failure"],
}


def main() -> int:
    """Build the site; return 1 if Sphinx is missing, a link is broken, or Sphinx warns."""
    if not all(find_spec(each) for each in ("sphinx", "myst_parser", "furo")):
        print("schedcheck: make site needs the extra docs: pip install '.[docs]'", file=sys.stderr)
        return 1
    from sphinx.application import Sphinx

    try:
        made = sources()
    except ValueError as error:
        print(f"schedcheck: {error}", file=sys.stderr)
        return 1
    shutil.rmtree(BUILD, ignore_errors=True)
    for page, text in made.items():
        path = BUILD / "source" / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for image in sorted((ROOT / "docs").glob("*.png")):
        shutil.copy(image, BUILD / "source" / "docs")
    html = BUILD / "html"
    built = Sphinx(
        str(BUILD / "source"),
        None,
        str(html),
        str(BUILD / "doctrees"),
        "html",
        SETTINGS,
        status=None,
        warningiserror=True,
    )
    built.build()
    (html / "index.html").write_text('<!doctype html><meta http-equiv="refresh" content="0; url=docs/index.html">\n')
    print(f"{len(made)} pages in {html.relative_to(ROOT)}")
    return built.statuscode


if __name__ == "__main__":
    sys.exit(main())
