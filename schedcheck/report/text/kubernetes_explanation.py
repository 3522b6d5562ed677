"""The text of a scheduling cycle's explanation: the refused nodes with reasons, the other nodes' scores, the choice."""

from collections.abc import Iterator, Mapping

from rich.text import Text

from schedcheck.checker.explain.devices import together
from schedcheck.checker.explain.extenders import MOST_ANSWERS, open_nodes, refuser
from schedcheck.checker.explain.kubernetes import CycleExplanation, Evictions
from schedcheck.checker.extenders.wording import not_asked
from schedcheck.report.text.amounts import with_amounts
from schedcheck.report.text.published_explanation import BREAK, Beside, about_pod, alike, names_of
from schedcheck.report.text.terminal import Terminal, counted, facts, joined, listed, printed, table
from schedcheck.spec.decisions import Bind, Nominate, Wait
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.extended_cycle import Decisions
from schedcheck.spec.kubernetes.preemption.choice import casualty
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.refusal import Code

MOST_ROWS = 40
HELPS = {Code.UNSCHEDULABLE: "may help", Code.UNRESOLVABLE: "cannot help", Code.ERROR: "is not tried"}


def show_cycle(
    explanation: CycleExplanation, snapshot: Snapshot, profile: str, beside: Beside, console: Terminal
) -> None:
    """Print all answers of the specification."""
    console.show(facts(about_pod(explanation.pod, explanation.stood, snapshot, profile, NO_FAULTS, beside)))
    console.show()
    show_nodes(explanation, console)
    console.show()
    for sentence in _conclusions(explanation):
        console.show(Text(printed(sentence)))


def show_nodes(explanation: CycleExplanation, console: Terminal) -> None:
    """Print the nodes that refuse the pod, the scores of the others, and the candidates for evictions."""
    _show_verdicts(explanation, console)
    if any(explanation.devices.values()):
        console.show()
        _show_devices(explanation, console)
    if explanation.scores.total:
        console.show()
        _show_scores(explanation, console)
    if explanation.evictions is not None and (explanation.evictions.candidates or explanation.evictions.statuses):
        console.show()
        _show_evictions(explanation.evictions, console)


def _show_verdicts(explanation: CycleExplanation, console: Terminal) -> None:
    """Print each node with the plugins that refuse it, in their order, and whether an eviction could change that."""
    if not explanation.verdicts:
        console.show("There are no nodes.")
        return
    shown = table("Nodes", "Verdict", "Plugin", "Eviction", "Why")
    groups = alike(explanation.verdicts, lambda name: explanation.refusals.get(name, ()))
    for names in groups[:MOST_ROWS]:
        refusals = explanation.refusals.get(names[0], ())
        if not refusals:
            shown.add_row(names_of(names), *_admitted(explanation))
        for number, refusal in enumerate(refusals):
            first = (names_of(names), Text("refused", style="red")) if number == 0 else (Text(), Text())
            said = (with_amounts(reason, names, explanation.short) for reason in refusal.reasons)
            reasons = Text(printed("\n".join(said)))
            shown.add_row(*first, refuser(names[0], refusal, explanation.consulted), HELPS[refusal.code], reasons)
    console.show(shown)
    _more(groups[MOST_ROWS:], console)
    if any(len(refusals) > 1 for refusals in explanation.refusals.values()):
        console.show()
        console.show(Text("kube-scheduler stops at the first plugin that refuses a node.", style="dim"))


def _show_devices(explanation: CycleExplanation, console: Terminal) -> None:
    """Print the requests that nodes cannot meet, with the numbers of their devices."""
    numbers = ["Asked", "Offered", "Selected", "Free"]
    shown = table("Nodes", "Claim", "Request", *numbers, numbers=numbers)
    groups = alike(explanation.devices, lambda name: explanation.devices[name])
    for names in groups[:MOST_ROWS]:
        for number, lack in enumerate(explanation.devices[names[0]]):
            cells = (Text(printed(lack.claim)), Text(printed(lack.request)))
            asked = "all" if lack.asked is None else f"{lack.asked}"
            first = names_of(names) if number == 0 else Text()
            shown.add_row(first, *cells, asked, f"{lack.offered}", f"{lack.selected}", f"{lack.free}")
    console.show(shown)
    _more(groups[MOST_ROWS:], console)


def _lacking_devices(explanation: CycleExplanation) -> Iterator[str]:
    """Yield what no node has enough devices for, if every node is refused for that."""
    if set(explanation.devices) != set(explanation.verdicts):
        return
    for lack in together(explanation.devices.values()):
        of = f"for the request {lack.request} of the claim {lack.claim}"
        yield f"No node has {lack.what} left {of}; the most that one has is {lack.free}."


def _admitted(explanation: CycleExplanation) -> tuple[Text, str, str, Text]:
    """Return the row of a node that no plugin refuses; an extender that was not asked might still refuse it."""
    why = explanation.unmodelled or open_nodes(explanation.cycle, explanation.consulted)
    if not why:
        return Text("feasible", style="green"), "all", "", Text("no filter refuses the node")
    return Text("unknown", style="yellow"), "all", "", Text(printed(f"no plugin refuses the node; {why}"))


def _show_scores(explanation: CycleExplanation, console: Terminal) -> None:
    """Print the feasible nodes with each score before and after normalization and weighting, and the sum.

    A plugin that gives every node 0 is named below the table.
    """
    scores, weights = explanation.scores, explanation.cycle.plugins.weights
    even = [
        name for name, by_node in scores.raw.items() if not any((*by_node.values(), *scores.weighted[name].values()))
    ]
    plugins = [name for name in scores.weighted if name not in even]
    headings = [f"{BREAK.sub(chr(10), name)}\n×{weights[name]}" for name in plugins]
    shown = table("Nodes", "Score", *headings, "Sum", "", numbers=[*headings, "Sum"])
    ordered = sorted(scores.total, key=lambda name: (-scores.total[name], name))
    steps: tuple[tuple[str, Mapping[str, Mapping[str, int]]], ...] = (
        ("raw", scores.raw),
        ("normalised", scores.normalised),
        ("weighted", scores.weighted),
    )
    groups = alike(ordered, lambda name: tuple(by[plugin][name] for _, by in steps for plugin in plugins))
    for names in groups[:MOST_ROWS]:
        for heading, by_plugin in steps:
            last = heading == "weighted"
            cells = [f"{by_plugin[plugin][names[0]]}" for plugin in plugins]
            best = Text("best", style="bold green") if last and names[0] in scores.best else ""
            total = f"{scores.total[names[0]]}" if last else ""
            shown.add_row(names_of(names) if heading == "raw" else Text(), heading, *cells, total, best)
    console.show(shown)
    _more(groups[MOST_ROWS:], console)
    asked = explanation.consulted
    if asked is not None and any(asked.points.values()):
        more = [f"{name} {number:+}" for name, number in sorted(asked.points.items())]
        console.show()
        console.show(Text(f"Of the sum, from extenders: {printed(listed(more, ', '))}."))
    if even:
        console.show()
        console.show(Text(f"0 for every node: {joined(even)}.", style="dim"))
    if scores.skipped:
        console.show()
        console.show(Text(f"Without a score for this pod: {joined(list(scores.skipped))}.", style="dim"))


def _show_evictions(evictions: Evictions, console: Terminal) -> None:
    """Print the nodes where evictions may help, with their victims, most important first, or why they do not help."""
    shown = table("Evictions on", "Victims", "Violations", "", numbers=["Violations"])
    by_order = "least" if len(set(map(casualty, evictions.selected))) < 2 else "least in some order"
    for candidate in evictions.candidates[:MOST_ROWS]:
        victims = listed(
            [f"{victim} (priority {victim.priority:,}{_elsewhere(victim, candidate)})" for victim in candidate.victims],
            ", ",
        )
        least = Text(by_order, style="bold green") if candidate in evictions.selected else ""
        shown.add_row(Text(printed(candidate.node.name)), Text(printed(victims)), f"{candidate.violations}", least)
    groups = alike(evictions.statuses, lambda name: evictions.statuses[name])
    for names in groups[:MOST_ROWS]:
        shown.add_row(
            names_of(names), Text(printed("; ".join(evictions.statuses[names[0]].reasons)), style="dim"), "", ""
        )
    console.show(shown)
    _more([[each.node.name] for each in evictions.candidates[MOST_ROWS:]] + groups[MOST_ROWS:], console)


def _elsewhere(victim: Pod, candidate: Candidate) -> str:
    """Return on which other node a victim is, as pods of a group may be evicted all together."""
    return f", on {victim.node_name}" if victim.node_name != candidate.node.name else ""


def _more(groups: list[list[str]], console: Terminal) -> None:
    """Print that not all nodes were shown."""
    if groups:
        left = counted(sum(len(names) for names in groups), "more node")
        console.show(Text(f"… and {left}; --format json has them all.", style="dim"))


def _conclusions(explanation: CycleExplanation) -> Iterator[str]:
    """Yield the result for the pod in words."""
    pod, choice = explanation.pod, explanation.choice
    if explanation.gated is not None:
        without = "Without its gates" if explanation.gated.plugin == "SchedulingGates" else "If it were"
        yield f"{pod} is not in the queue: {'; '.join(explanation.gated.reasons)}. {without}:"
    yield from _lacking_devices(explanation)
    if explanation.scores.error is not None:
        yield f"Scoring ends in an error: {explanation.scores.error}"
    elif choice.kind == "error":
        yield f"Filtering ends in an error: {choice.error}"
    match choice.kind, choice.mode:
        case "unknown", _ if explanation.unmodelled:
            yield f"Unknown: {explanation.unmodelled}."
            if explanation.possible:
                yield f"If they can be met, {pod} would {possibilities(explanation.possible)}; else it waits."
        case "unknown", _:
            yield from _depends_on_extenders(explanation)
        case "scheduled", "nominated":
            yield f"{pod} is nominated to {choice.hosts[0]}, which is feasible: it would be bound there."
        case "scheduled", "single":
            yield f"{pod} would be bound to {choice.hosts[0]}, the only feasible node; nothing is scored then."
        case "scheduled", _:
            alone = len(choice.hosts) == 1
            where = choice.hosts[0] if alone else f"any one of: {listed(choice.hosts)}, each with the same chance"
            yield f"{pod} would be bound to {where}."
        case "error", _ if choice.error != explanation.scores.error:
            yield f"The cycle of {pod} ends in an error, and it waits: {choice.error}"
        case "error", _:
            yield f"The cycle of {pod} ends in an error, and it waits."
        case _:
            yield from _without_a_node(explanation)


def _depends_on_extenders(explanation: CycleExplanation) -> Iterator[str]:
    """Yield that the result is unknown, and the possible results."""
    asked = explanation.consulted
    assert asked is not None, "only extenders leave the end unknown"
    yield f"Unknown: {not_asked(asked.unknown)}; --ask-extenders asks."
    more = "" if asked.complete else f"; only the first {MOST_ANSWERS} answers were tried"
    yield f"By its answer {explanation.pod} would {possibilities(asked.possible)}{more}."


NOT_ALL_TRIED = (
    "Pods of equal priority and start time may be evicted in each other's place, and disruption budgets that protect the same"
    " pods count in any order; not all such choices were tried."
)


def _without_a_node(explanation: CycleExplanation) -> Iterator[str]:
    """Yield kube-scheduler's message, and its victims."""
    pod, evictions = explanation.pod, explanation.evictions
    assert evictions is not None, "no node is feasible"
    yield f"No node is feasible. The event says: {evictions.event}"
    yield from (f"Or it says: {each}" for each in evictions.events[1:MOST_ROWS])
    if len(evictions.events) > MOST_ROWS:
        yield f"  … or one of {len(evictions.events) - MOST_ROWS:,} others; --format json has them all."
    if not evictions.selected and evictions.all_orders:
        yield f"{pod} waits."
        return
    if len(evictions.selected) == 1 and evictions.all_orders:
        where = evictions.selected[0].node.name
        only = evictions.selected[0]
        there = "" if any(_elsewhere(victim, only) for victim in only.victims) else " there"
        yield f"{pod} would be nominated to {where}, and the victims{there} evicted; it waits until they have ended."
    else:
        ways = "one of these ways, any of which" if evictions.all_orders else "one of several ways. One of these"
        yield f"{pod} would be nominated in {ways} may be chosen; it waits until the victims have ended:"
    alone = len(evictions.selected) == 1 and evictions.all_orders
    for candidate in evictions.selected[: 0 if alone else MOST_ROWS]:
        yield f"  {candidate.node.name}, evicting {listed([str(victim) for victim in candidate.victims], ', ')}"
    if len(evictions.selected) > MOST_ROWS:
        yield f"  … and {len(evictions.selected) - MOST_ROWS:,} more; --format json has them all."
    if not evictions.all_orders:
        yield NOT_ALL_TRIED


def possibilities(decisions: Decisions) -> str:
    """Return the possible decisions in words: bindings, then nominations, then that the pod stays pending."""
    nodes = sorted(each.node.name for each in decisions if isinstance(each, Bind))
    said = [f"be bound to {listed(nodes, ' or ')}"] if nodes else []
    for each in sorted((each for each in decisions if isinstance(each, Nominate)), key=str):
        victims = joined([str(pod) for pod in sorted(each.victims, key=lambda pod: pod.key)])
        evicting = f"have {victims} evicted" if victims else "have no pod evicted"
        said.append(f"be nominated to {each.node} and {evicting}")
    return ", or ".join([*said, *(["wait"] if any(isinstance(each, Wait) for each in decisions) else [])])
