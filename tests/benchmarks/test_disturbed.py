"""The benchmark of questions about a disturbed cluster, on a small one."""

from benchmarks.disturbed import answers


def test_every_kind_of_question_is_asked_and_answered() -> None:
    found = answers(nodes=3, pods=8, events=0, each=1, limit=60)
    assert [each.kind for each in found] == ["pending", "bound", "budget"]
    assert all(each.verdict in ("HOLDS", "VIOLATED") for each in found), found
