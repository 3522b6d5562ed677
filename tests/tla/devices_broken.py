"""The modules about resource claims with a part broken each: `BROKEN` changes an answer, `BROKEN_STEPS` counts"""

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
        (r"~Slice.SelectsNodes \/ ", r"TRUE \/ "),
        (r"~Slice.PerDevice \/ SliceAt(Device, Node)", "TRUE"),
        ("IF Slice.PerDevice THEN Device ELSE Slice", "Slice"),
        ("ELSE IF Incomplete /\\ ~Serves THEN", "ELSE IF FALSE THEN"),
        ('"incomplete-pools-serve" \\in Departures', "FALSE"),
    ),
    "KubeDevices": (
        (r"Part.Admin \/ Offer.Id \notin Situation.Taken", "TRUE"),
        ('{"NoSchedule", "NoExecute"}', "{}"),
        ("IF Constraint.Distinct THEN", "IF FALSE THEN"),
        (r"/\ ConstraintsHold(Situation, Chosen)", r"/\ TRUE"),
        (r"/\ Separate(Situation, Chosen)", r"/\ TRUE"),
        (": ~Each.Admin}", ": TRUE}"),
    ),
    "KubeAllocations": (
        ("Chosen[k].Alternative <= Other[k].Alternative", "TRUE"),
        (r"IF Wished = {} \/ Usable # Wished THEN {}", "IF Wished = {} THEN {}"),
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
