"""The modules about resource claims with a part broken each: `BROKEN` and `BROKEN_SHARING` change an answer, `BROKEN_STEPS` counts"""

from tests.tla.regenerate import TLA

BROKEN = {
    "KubeClaims": (
        (r"\/ Claim.Terminating", r"\/ FALSE"),
        ("Claim.OwnerUid # Each.PodUid", "FALSE"),
        (r'Each.Template # "" /\ ~Each.Generated', "FALSE"),
    ),
    "KubePools": (
        ("Slice.NodeName = Node.Name", "TRUE"),
        ("Other.Generation <= Slice.Generation", "TRUE"),
        (r"\E Slice \in Every : Slice.Generation > One.Generation", "FALSE"),
        ("IF Invalid THEN {} ELSE Listing", "Listing"),
        (r"/\ ~Slice.SelectsNodes", r"/\ TRUE"),
        (r"~Slice.PerDevice \/ SliceAt(Device, Node)", "TRUE"),
        ("IF Slice.PerDevice THEN Device ELSE Slice", "Slice"),
        ("ELSE IF Incomplete /\\ ~Serves THEN", "ELSE IF FALSE THEN"),
        ('Serves == "incomplete-pools-serve" \\in Departures', "Serves == FALSE"),
    ),
    "KubeDevices": (
        (r"Part.Admin \/ Offer.Id \notin Situation.Taken", "TRUE"),
        ('{"NoSchedule", "NoExecute"}', "{}"),
        ("IF Constraint.Distinct THEN", "IF FALSE THEN"),
        (": ~Result(Each).Admin}", ": TRUE}"),
    ),
    "KubeDraws": (
        (r"/\ ConstraintsHold(Situation, Chosen)", r"/\ TRUE"),
        (r"/\ Separate(Situation, Chosen)", r"/\ TRUE"),
    ),
    "KubeAllocations": (
        ("Chosen[k].Alternative <= Other[k].Alternative", "TRUE"),
        (r"IF Every = {} \/ Usable(Every) # Every THEN {}", "IF Every = {} THEN {}"),
        (r"\/ Situation.Unready /\ ", r"\/ FALSE /\ "),
        (r"IF \E Offer \in Some : Offer.Local THEN", "IF FALSE THEN"),
        ("Mine[m] < Theirs[m]", "Mine[m] > Theirs[m]"),
    ),
    "KubeFilterDevices": (
        (r"\E Part \in Parts(Waiting[i]) : Part.DeviceClass \notin Names", "FALSE"),
        ("Available(Those[i], Node) THEN", "TRUE THEN"),
        ("MostAlternatives - (n - 1)", "MostAlternatives"),
    ),
    "KubeClaimChanges": (
        ("IF ReservedBy(Pod, Claim) THEN @ ELSE Append(@, Consumer)", "@"),
        ("ELSE Deallocated(Claim)\n\nReleased", "ELSE Claim\n\nReleased"),
        (r"Known \ InUse", "{}"),
    ),
}
"""Definitions to break in each module: a text that occurs once, and what replaces it."""

BROKEN_SHARING = {
    "KubePools": (
        (r'/\ Slice.Counters = {} \/ "incomplete-pools-serve" \in Departures', r"/\ TRUE"),
        (r"Twice \/ (Counted /\ Miscounted(Whole))", "Twice"),
        (r"Names(One) \intersect Names(Other) # {}", "FALSE"),
        (
            "Counters |-> UNION {Slice.Counters : Slice \\in Whole}",
            "Counters |-> UNION {Slice.Counters : Slice \\in Here}",
        ),
        ("UNION {OffersOf(Slice, Node) : Slice \\in Whole}", "Listing"),
    ),
    "KubeDevices": (
        (r": ~Several(Each.Device)}", ": TRUE}"),
        (r'/\ Offer.Device.Consumes = {} \/ "partitionable-devices-unused" \notin Departures', r"/\ TRUE"),
        (r"DOMAIN Held_ \ DOMAIN Shares", "DOMAIN Held_"),
    ),
    "KubeAllocations": (
        (r"Selectable(Part, Offer) /\ LargeEnough(Part, Offer.Device, <<>>)", "Selectable(Part, Offer)"),
        ("IF Shared THEN Consumption(Part, Offer.Device) ELSE <<>>", "<<>>"),
    ),
    "KubeCapacities": (
        ("Policy.Default = Null THEN Size ELSE Policy.Default", "TRUE THEN Size ELSE Size"),
        ("IF Enough = {} THEN Asked_ ELSE Min(Enough)", "Asked_"),
        ("Max({Asked_, Policy.Minimum})", "Asked_"),
        (r"((Policy.Minimum - Asked_) \div Policy.Step) * Policy.Step", "(Policy.Minimum - Asked_)"),
        (r"Policy.Values = {} \/ Amount \in Policy.Values", "TRUE"),
        (r"Policy.Maximum = Null \/ Amount <= Policy.Maximum", "TRUE"),
        (r"DOMAIN Part.Capacity \subseteq DOMAIN Device.Capacity", "TRUE"),
        (r'Device.Multiple /\ "consumable-capacity-unused" \notin Departures', "Device.Multiple"),
        ("Given(Before, Name) + Consumption", "Consumption"),
    ),
    "KubeDraws": (
        (r"Offer.Id \notin SharedDevices(Situation)", "TRUE"),
        (r"\A l \in 1..(k - 1) : Offer \notin DevicesAt(Chosen, l)", "TRUE"),
        (r"Situation.Taken \union SharedDevices(Situation)", "Situation.Taken"),
        (r"(\A Use \in Uses : Use[2].Device.Consumes = {}) \/ ", ""),
        ("Held_(Name) + Earlier(Name)", "Earlier(Name)"),
        ("Held_(Name) + Earlier(Name)", "Held_(Name)"),
        (r"/\ CountersSuffice(Situation, Chosen)", r"/\ TRUE"),
        (r"/\ CapacitiesSuffice(Situation, Chosen)", r"/\ TRUE"),
    ),
}
"""Definitions of shared counters and of devices that are allocated several times to break."""

BROKEN_STEPS = {
    "KubeClaimChanges": (
        ("THEN Deallocatable(Pod, Seen(Snapshot)) ELSE {}", "THEN {} ELSE {}"),
        (r"/\ MayBeDeallocated(Pod, Claim)", r"/\ TRUE"),
        (r"Refusing(Node) /\ ~Available(Claim, Node)", "~Available(Claim, Node)"),
    ),
    "KubeDeviceCluster": (
        ("Claims' = Released(Outcomes, Pods(Objects'), ClaimingUids)", "Claims' = Claims"),
        (
            "/\\ Claims' = Released(Claims, Pods(Objects'), ClaimingUids)\n     /\\ UNCHANGED Left",
            "/\\ UNCHANGED <<Left, Claims>>",
        ),
    ),
    "KubeControlLoop": (("~WaitsForClaims(Pod, Snapshot)}", "TRUE}"),),
}
"""Parts of steps to break, which must change the states of some scenario."""


def broken(module: str, old: str, new: str) -> dict[str, str]:
    text = (TLA / f"{module}.tla").read_text(encoding="utf-8")
    assert text.count(old) == 1, (module, old)
    return {module: text.replace(old, new)}
