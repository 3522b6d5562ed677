"""What a page says first: the verdict as a word, its tone, and the answer in a sentence or two: `lead`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from schedcheck.report.html.folding import several
from schedcheck.report.html.plain import named, text
from schedcheck.report.text.terminal import counted

Json = Mapping[str, Any]

GOOD, BAD, OPEN = "good", "bad", "open"
TONES = {"holds": GOOD, "holds vacuously": OPEN, "violated": BAD, "gave up": OPEN, "unknown": OPEN}


@dataclass(frozen=True)
class Lead:
    """The verdict as a word, its tone (good, bad or open), and sentences."""

    word: str
    tone: str
    sentences: tuple[str, ...]


def lead(answer: Json, kind: str) -> Lead:
    """Return what is said first of an answer of this kind, which is the name of its class."""
    if "unknown" in answer and isinstance(answer["unknown"], str):
        return Lead("unknown", OPEN, (answer["unknown"],))
    found = LEADS.get(kind, _by_exit_code)(answer)
    stopped = answer.get("stopped")
    return Lead(found.word, found.tone, (*found.sentences, f"Stopped: {stopped}.") if stopped else found.sentences)


def kind_of(answer: Json) -> str:
    """Return the class of an answer about one of the pods that a label selector selects."""
    return "Explanation" if "choice" in answer else "Capacity" if "scheduler" in answer else "Victims"


def _by_exit_code(answer: Json) -> Lead:
    code = answer.get("exitCode", 0)
    words = {0: ("nothing found", GOOD), 1: ("found", BAD)}
    return Lead(*words.get(code, ("not known", OPEN)), ())


def _check(answer: Json) -> Lead:
    said = answer["bounds"]["proof"] or answer["bounds"]["statement"]
    violated = [each["name"] for each in answer["properties"] if each["verdict"] == "violated"]
    what = (f"{several(violated)} {'is' if len(violated) == 1 else 'are'} violated.",) if violated else ()
    return Lead(answer["verdict"], TONES[answer["verdict"]], (*what, said, *answer["warnings"]))


def _explain(answer: Json) -> Lead:
    if answer["completed"]:
        return Lead("ended", OPEN, (f"{named(answer['pod'])} has ended, and is not scheduled.",))
    if answer["group"] is not None:
        return _group(answer)
    choice, decisions = answer["choice"]["kind"], answer["decisions"]
    tone = {"scheduled": GOOD, "unschedulable": BAD, "error": BAD}.get(choice, OPEN)
    said = [answer["message"] or ""]
    if decisions:
        said.append(f"Allowed: {several([each['text'] for each in decisions])}.")
    if answer["choice"]["error"]:
        said.append(str(answer["choice"]["error"]))
    return Lead(choice, tone, tuple(filter(None, said)))


def _group(answer: Json) -> Lead:
    group = answer["group"]
    have = len(group["bound"]) + sum(each["node"] is not None for each in group["members"])
    needed = "one is needed" if group["minCount"] is None else f"minCount is {group['minCount']:,}"
    found = f"In the shown cycle {have:,} of {counted(group['pods'], 'pod')} have a node; {needed}."
    said = {
        "kept": "; ".join((group["kept"] or {"reasons": ()})["reasons"]),
        "error": f"The cycle ends in an error: {group['error'] or 'see the pods'}.",
        "unknown": f"What happens is not known: {group['unknown']}.",
        "depends": "It depends on the order of its pods, or on the choice among equally good nodes.",
    }.get(group["verdict"], found)
    word, tone = GROUP_WORDS[group["verdict"]]
    return Lead(word, tone, (f"{group['kind']} {group['name']}.", said))


GROUP_WORDS = {
    "placed": ("placed", GOOD), "waits": ("waits", BAD), "preempts": ("preempts", OPEN), "error": ("error", BAD),
    "alone": ("a pod preempts", OPEN), "depends": ("depends", OPEN), "kept": ("not in the queue", BAD),
    "unknown": ("unknown", OPEN),
}  # fmt: skip
"""The word and the tone for each verdict about a gang."""


def _victims(answer: Json) -> Lead:
    best = answer.get("best", [])
    if not best:
        return Lead("no victims", OPEN, (f"No eviction makes room for {named(answer['pod'])} on any node.",))
    return Lead(
        "room", GOOD, (f"Evictions make room for {named(answer['pod'])}, with the least casualty on {several(best)}.",)
    )


def _optimum(answer: Json) -> Lead:
    best = answer["optimum"]
    if best is None:
        return _by_exit_code(answer)
    placed = counted(len(best["placement"]), "pod")
    found = f"The best placement that was found binds {placed}, with a score of {best['score']:,}"
    most = best["most"]
    if best["proved"]:
        proof = "; it is proved that none is better."
    elif most and most["placed"] == best["placed"]:
        proof = f". It is proved that no more pods can be placed, and that as many have a score of {most['score']:,} at most."
    else:
        proof = "; a better one is not excluded."
    reached = counted(len(answer["outcomes"]), "different end")
    return Lead(
        "proved" if best["proved"] else "not proved",
        GOOD if best["proved"] else OPEN,
        (found + proof, f"The scheduler can reach {reached}."),
    )


def _relocated(answer: Json) -> Lead:
    done = "The drain" if answer["asked"] == "drain" else "The failure"
    words = {
        "holds": f"{done} ends well in every behaviour.",
        "violated": f"{done} does not end well in every behaviour.",
    }
    turns, sets = answer["inTurn"], answer["sets"]
    said = [words.get(answer["verdict"], f"Whether {done.lower()} ends well is not known.")]
    if turns:
        every = "In every order" if turns["everyOrder"] else f"In the order {several(turns['order'])}"
        said.append(
            f"{every} the nodes can be drained one after another." if turns["order"] else "No order is known to work."
        )
    if sets:
        said.append(", ".join(f"{text(key)}: {text(value)}" for key, value in sets.items()) + ".")
    return Lead(answer["verdict"], TONES[answer["verdict"]], tuple(said))


def _deployed(answer: Json) -> Lead:
    words = {
        "holds": "Every pod of what is applied is bound and every rollout completes in every behaviour.",
        "violated": "Not every behaviour ends with every pod of what is applied bound and every rollout complete.",
    }
    said = words.get(
        answer["verdict"], "Whether every pod of what is applied is bound and every rollout completes is not known."
    )
    return Lead(answer["verdict"], TONES[answer["verdict"]], (said,))


def _capacity(answer: Json) -> Lead:
    pod, counts, best = answer["pod"], answer["scheduler"], answer["best"]
    of = pod.get("of") or named(pod)
    least, greatest = counts["least"], counts["greatest"]
    many = f"{least:,}" if least == greatest and least is not None else f"{least} to {greatest}"
    said = (
        [f"The scheduler places {many} more {'pod' if many == '1' else 'pods'} like {of}."] if least is not None else []
    )
    if best["bound"] is not None:
        said.append(f"No choice of nodes places more than {best['bound']:,}.")
    if answer["message"]:
        said.append(f"The next one: {answer['message']}")
    if answer["asked"] is None:
        return Lead("none fits" if least == 0 else f"{many} fit", BAD if least == 0 else GOOD, tuple(said))
    words = {True: (f"{answer['asked']:,} fit", GOOD), False: (f"{answer['asked']:,} do not fit", BAD)}
    return Lead(*words.get(answer["fits"], ("not known", OPEN)), tuple(said))


def _nodes_needed(answer: Json) -> Lead:
    fewest = answer["scheduler"]["fewest"]
    words = {True: ("enough", GOOD), False: ("never enough", BAD)}
    said = f"{counted(fewest, 'more node')} of this shape" if fewest is not None else "The number of nodes"
    sentence = f"{said} {'is' if fewest == 1 else 'are'} enough for {counted(answer['pods'], 'pod')}."
    never = f"No number of nodes of this shape is enough for all {counted(answer['pods'], 'pod')}."
    unknown = f"How many nodes of this shape are enough for {counted(answer['pods'], 'pod')} is not known."
    sentences = never if answer["enough"] is False else sentence if fewest is not None else unknown
    return Lead(*words.get(answer["enough"], ("not known", OPEN)), (sentences,))


def _nodes_to_spare(answer: Json) -> Lead:
    spare = [each["node"] for each in answer["nodes"] if each["emptied"] in ("scheduler", "best")]
    if not spare:
        return Lead("none", OPEN, ("No node is known to be one that could be removed.",))
    return Lead(counted(len(spare), "node"), GOOD, (f"Each of these could be removed: {several(spare)}.",))


def _compared(answer: Json) -> Lead:
    differing, unknown = len(answer["differences"]), len(answer["unknown"])
    alike = len(answer.get("same", answer.get("agreed", ())))
    said = f"{counted(differing, 'pod')} decided differently, {alike:,} alike, {unknown:,} not known."
    word, tone = (
        ("different", BAD)
        if differing
        else ("not known", OPEN)
        if unknown or answer["notCompared"]
        else ("the same", GOOD)
    )
    return Lead(word, tone, (said,))


def _smallest_difference(answer: Json) -> Lead:
    found = answer["difference"] is not None
    clusters = counted(answer["clusters"], "cluster")
    said = (
        "The smallest cluster on which the two differ was found."
        if found
        else "No cluster was found on which the two differ."
    )
    return Lead("different" if found else "no difference", BAD if found else GOOD, (said, f"Compared: {clusters}."))


def _program(answer: Json) -> Lead:
    wrong, counts = len(answer["complaints"]), answer["verdicts"]
    said = ", ".join(f"{number:,} {text(word)}" for word, number in counts.items())
    return Lead(
        "complaints" if wrong else "no complaint",
        BAD if wrong else GOOD,
        (f"{counted(answer['questions'], 'question')}: {said}.",),
    )


def _replayed(answer: Json) -> Lead:
    counts = answer["verdicts"]
    said = f"Of {counted(answer['decisions'], 'decision')} {counts['allowed']:,} are allowed, {counts['refused']:,} refused, {counts['unknown']:,} unknown."
    first = answer["first"]
    more = (
        (f"The first that no knowledge explains is in line {first['line']:,}, about {first['pod']}.",) if first else ()
    )
    words = {0: ("allowed", GOOD), 1: ("refused", BAD)}
    return Lead(*words.get(answer["exitCode"], ("not known", OPEN)), (said, *more))


def _simulated(answer: Json) -> Lead:
    runs = counted(len(answer["runs"]), "run")
    said = f"{runs} of {answer['until']:,.0f} simulated seconds, a sample and not a proof."
    waiting = [each["name"] for each in (answer["summary"] or {}).get("workloads", []) if each["waiting"][1]]
    more = (
        (f"Pods wait at the end of some run: {several(waiting)}.",)
        if waiting
        else ("No pod waits at the end of any run.",)
    )
    return Lead("sampled", OPEN if waiting else GOOD, (said, *more))


def _each(answer: Json) -> Lead:
    tone, answers = _by_exit_code(answer).tone, counted(len(answer["groups"]), "answer")
    return Lead(answers, tone, (f"Pods with {answer['selector']} that differ in their names alone have one answer.",))


def _inductions(answer: Json) -> Lead:
    found = {each["name"]: each["verdict"] for each in answer["properties"]}
    sentences = tuple(f"{several(names)}: {verdict}." for verdict in ("inductive", "not inductive", "violated at first", "unknown")
                      if (names := [name for name, given in found.items() if given == verdict]))  # fmt: skip
    bad = {"not inductive", "violated at first"}.intersection(found.values())
    if bad:
        return Lead("not inductive", BAD, sentences)
    return Lead("unknown", OPEN, sentences) if "unknown" in found.values() else Lead("inductive", GOOD, sentences)


LEADS: dict[str, Callable[[Json], Lead]] = {
    "CheckResult": _check, "ExploredResult": _check, "SchedulerCheck": _check, "Explanation": _explain,
    "Explanations": _each, "EachSelected": _each, "Victims": _victims, "Optimum": _optimum, "Relocated": _relocated,
    "Deployed": _deployed, "Capacity": _capacity, "NodesNeeded": _nodes_needed, "NodesToSpare": _nodes_to_spare,
    "Comparison": _compared, "Differences": _compared, "SmallestDifference": _smallest_difference,
    "SchedulerDifferences": _program, "Replayed": _replayed, "Simulated": _simulated,
    "Inductions": _inductions,
}  # fmt: skip
