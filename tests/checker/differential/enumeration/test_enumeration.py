"""The enumeration yields one cluster of each class, as many as a count without symmetry finds, and shows differences"""

from dataclasses import replace
from pathlib import Path

import pytest

from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.differential.enumeration import __main__ as enumeration
from tests.checker.differential.enumeration.page import PAGE, planted_table
from tests.checker.differential.enumeration.planted import first_finds, planted
from tests.checker.differential.enumeration.spaces import (
    BASES,
    BY_NODES,
    BY_PODS,
    CORE,
    Code,
    Feature,
    Space,
    images,
    renamed,
    same,
)
from tests.checker.differential.enumeration.vocabulary import FEATURES, NAMED, THEMES, budget, having, pending
from tests.corpus.__main__ import defects

SMALL = Feature(
    "small",
    (having(nominated_node_name="n1"), having(nominated_node_name="n2"), same),
    (same, having(priority=1), pending),
    (same, having(unschedulable=True)),
    (same, budget(1, disrupted=frozenset({"p0"})), budget(1, disrupted=frozenset({"p1"}))),
)
OTHER = Feature("other", (same, having(priority=2)), (same, having(namespace="other")), (same,))


Cluster = tuple[Pod, Snapshot]


def cluster(space: Space, code: Code) -> Cluster:
    asked, there, _ = space.question(code)
    return asked, there


def classes(space: Space) -> list[set[Cluster]]:
    """All clusters with their copies, in classes by renaming the objects themselves."""
    left = {cluster(space, space.code(number)) for number in range(space.raw)}
    assert len(left) == space.raw, "two numbers are one cluster"
    found = []
    while left:
        alike = {left.pop()}
        for names in (BY_NODES, BY_PODS):
            listed = {each: each[1].nodes if names == BY_NODES else each[1].pods for each in alike}
            alike |= {renamed(each, names) for each, some in listed.items() if len(some) == 2}
        left -= alike
        found.append(alike)
    return found


@pytest.mark.parametrize(
    "space",
    [Space(SMALL), Space(OTHER), Space(OTHER, replace(SMALL, beside=(same,), others=(same,)))],
    ids=lambda each: each.name,
)
def test_the_clusters_are_one_of_each_class_of_a_count_without_symmetry(space: Space) -> None:
    found = classes(space)
    chosen = {cluster(space, code) for _, code in space.clusters()}
    assert space.size == len(found) == len(chosen)
    assert sum(map(len, found)) == space.raw
    assert all(len(alike & chosen) == 1 for alike in found)


def test_a_number_is_a_cluster_until_there_are_no_more() -> None:
    space = Space(OTHER)
    with pytest.raises(IndexError):
        space.code(space.raw)


@pytest.mark.sampled(15)
@pytest.mark.parametrize("feature", FEATURES, ids=lambda each: each.name)
def test_every_vocabulary_is_closed_under_renaming_and_has_no_value_twice(feature: Feature) -> None:
    for part, base in BASES.items():
        for names in (BY_NODES, BY_PODS):
            found = images(getattr(feature, part), base, names)
            assert sorted(found) == list(range(len(found))), part
            assert len(getattr(feature.core, part)) >= min(CORE, len(found))


def test_a_vocabulary_without_a_counterpart_or_with_equal_values_is_refused() -> None:
    base = BASES["asked"]
    with pytest.raises(ValueError, match="no counterpart"):
        images((same, having(nominated_node_name="n1")), base, BY_NODES)
    with pytest.raises(ValueError, match="are equal"):
        images((same, having(priority=0)), base, BY_NODES)


def test_the_order_of_the_clusters_omits_none() -> None:
    for raw in (1, 2, 12, 97, 1000):
        assert sorted(enumeration.spread(place, raw) for place in range(raw)) == list(range(raw))


def test_the_core_of_a_feature_is_closed_and_small() -> None:
    core = SMALL.core
    assert core.beside == SMALL.beside and core.others == SMALL.others
    longer = Feature("longer", tuple(having(nominated_node_name=name) for name in ("n1", "x", "y", "z", "n2")))
    assert len(longer.core.asked) == 4


def test_themes_name_features() -> None:
    assert {name for theme in THEMES for name in theme} == {*NAMED}


def test_the_smallest_run_counts_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--of", "declared features", "cordons", "--jobs", "1", "--kept", str(tmp_path), "--most"]
    assert enumeration.main([*given, "3"]) == 0
    first = capsys.readouterr().out
    assert "| cordons | 420 | 180 | 3 | 0 |" in first
    assert "| **all** | 488 | 220 | 6 | 0 |" in first
    assert enumeration.main([*given, "5", "--seconds", "0"]) == 0
    assert capsys.readouterr().out == first, "the time was over"
    assert enumeration.main([*given, "5"]) == 0
    assert "| **all** | 488 | 220 | 10 | 0 |" in capsys.readouterr().out
    assert enumeration.main([*given, "5", "--pairs"]) == 0
    assert "| cordons and declared features |" in capsys.readouterr().out


def test_a_defect_is_found_and_its_clusters_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (defect,) = (each for name, each, _ in defects() if name == "kubernetes/kubernetes#58648")
    defect(monkeypatch)
    assert enumeration.main(["--of", "cordons", "--jobs", "1", "--kept", str(tmp_path), "--most", "20"]) == 1
    assert "cordons, number " in capsys.readouterr().out


def test_a_planted_defect_is_found_in_a_space_and_not_where_it_has_no_effect() -> None:
    spaces = [(name, Space(NAMED[name]), enumeration.spread) for name in ("declared features", "cordons")]
    assert first_finds(spaces, 20, 1, ["kubernetes/kubernetes#58648"]) == [("kubernetes/kubernetes#58648", "cordons")]
    assert first_finds(spaces[:1], 20, 1, ["kubernetes/kubernetes#58648"])[0][1] == ""
    assert len(planted()) > 50
    said = planted_table([("a", "cordons"), ("b", "")], 20)
    assert "1 of 2 defects" in said and "| cordons | 1 |" in said and said.endswith("Not found: b.")


def test_the_page_has_the_tables() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for section in ("features", "pairs", "defects"):
        assert f"<!-- {section} -->" in page and f"<!-- end of {section} -->" in page
