"""The objects of dynamic resource allocation, from their manifests: `devices`.

The versions v1, v1beta2 and v1beta1 of resource.k8s.io are read. `generated` makes the claims of pods that are not stored
yet from their templates, as the resource claim controller does.
Kubernetes 1.37: k8s.io/api/resource/v1, v1beta2, v1beta1.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from frozendict import frozendict

from schedcheck.manifests.affinity import node_selector
from schedcheck.manifests.fields import Field
from schedcheck.manifests.pods import Entry
from schedcheck.spec.device_objects import (
    ALL,
    CLAIMS,
    EXACT_COUNT,
    MOST_ALTERNATIVES,
    MOST_CONSUMERS,
    MOST_RESULTS,
    NO_DEVICES,
    TEMPLATES,
    Allocation,
    Attribute,
    Constraint,
    Consumer,
    Device,
    DeviceClass,
    Devices,
    DeviceTaint,
    DeviceToleration,
    Place,
    Policy,
    Request,
    ResourceClaim,
    ResourceSlice,
    Result,
)
from schedcheck.spec.values import Amounts

KINDS: Final = frozendict(
    {
        "ResourceSlice": "resourceSlices",
        "DeviceClass": "deviceClasses",
        "ResourceClaim": "resourceClaims",
        "ResourceClaimTemplate": "resourceClaimTemplates",
    }
)
"""The kinds of object, each with its name in recorded answers."""

INT64: Final = 2**63
MODES: Final = (EXACT_COUNT, ALL)
EFFECTS: Final = ("NoSchedule", "NoExecute", "None")
TYPES: Final = ("bool", "int", "string", "version")
LISTS: Final = ("bools", "ints", "strings", "versions")
LIST_ATTRIBUTE: Final = "the attribute {}, a list,"
UNKNOWN_OF_DEVICE: Final = ("nodeAllocatableResources", "nodeAllocatableResourceMappings")
"""What a device has for DRANodeAllocatableResources, in 1.37 and in 1.36."""
GROUPS: Final = "compatibilityGroups"
"""What a device has of the counters that it consumes."""
UNKNOWN_OF_REQUEST: Final = ("derivedAttributes",)


def devices(fields: Mapping[str, Iterable[Field]], present: Collection[str] | None = None) -> Devices:
    """Return the objects of the manifests; the keys of `fields` are the kinds of `KINDS`.

    present
        The kinds that the input has, if only by an empty list; nothing is known of the others. None: it has all kinds,
        or no object of any.
    """
    if present is None:
        present = KINDS if any(fields[kind] for kind in KINDS) else ()
    return Devices(
        lacking=tuple(kind for kind in NO_DEVICES.lacking if kind not in present),
        slices=tuple(sorted(map(resource_slice, fields["ResourceSlice"]), key=lambda each: each.name)),
        classes=tuple(sorted(map(device_class, fields["DeviceClass"]), key=lambda each: each.name)),
        claims=tuple(sorted(map(claim, fields["ResourceClaim"]), key=lambda each: each.key)),
    )


def generated(
    entries: Sequence[Entry], templates: Iterable[Field], there: Devices, present: Collection[str]
) -> tuple[list[Entry], Devices]:
    """Return the pods and devices after the resource claim controller has made the claims of pods that are not stored.

    A claim made here is named after the pod and the pod's name for it. A pod whose template is missing stays without.
    If the input has no claims and no pod is missing one, the claims made are all claims; and if it has no templates
    (none of `present`) and a pod is missing one, nothing is known of them.
    """
    known = {
        (field["metadata"]["namespace"].text() or "default", field["metadata"]["name"].text()): field
        for field in templates
    }
    made: list[ResourceClaim] = []
    found = []
    taken = {each.key for each in there.claims}
    for entry in entries:
        pod = entry.pod
        claims = []
        for each in pod.resource_claims:
            template = known.get((pod.namespace, each.template))
            if entry.live or each.generated or template is None:
                claims.append(each)
                continue
            stem = f"{pod.name}-{each.name}"
            names = (stem, *(f"{stem}-{number}" for number in range(1, len(taken) + 2)))
            name = next(one for one in names if (pod.namespace, one) not in taken)
            taken.add((pod.namespace, name))
            own = _spec(template["spec"]["spec"])
            made.append(ResourceClaim(name, pod.namespace, f"{pod.namespace}/{name}", *own, owner_uid=each.pod_uid))
            claims.append(replace(each, claim=name, generated=True))
        found.append(replace(entry, pod=replace(pod, resource_claims=tuple(claims))) if claims else entry)
    lacking = {*there.lacking} - ({CLAIMS} if made and _all_there(found, taken) else set())
    if TEMPLATES not in present and any(map(_without_template, found)):
        lacking.add(TEMPLATES)
    if there == NO_DEVICES and not made:
        return found, there
    every = tuple(sorted((*there.claims, *made), key=lambda each: each.key))
    return found, replace(there, claims=every, lacking=tuple(sorted(lacking)))


def _all_there(entries: Iterable[Entry], taken: Collection[tuple[str, str]]) -> bool:
    """Whether every claim that a pod names is among those taken."""
    return all(
        not each.claim or (entry.pod.namespace, each.claim) in taken
        for entry in entries
        for each in entry.pod.resource_claims
    )


def _without_template(entry: Entry) -> bool:
    """Whether the pod is not stored yet and has a claim that was not made from its template."""
    return not entry.live and any(each.template and not each.generated for each in entry.pod.resource_claims)


def resource_slice(field: Field) -> ResourceSlice:
    """Return the resource slice of a manifest."""
    spec, pool = field["spec"], field["spec"]["pool"]
    return ResourceSlice(
        name=field["metadata"]["name"].text(),
        driver=spec["driver"].required("the name of a driver"),
        pool=pool["name"].required("the name of a pool"),
        generation=pool["generation"].integer(0, INT64 - 1) if pool["generation"] else 0,
        slices=pool["resourceSliceCount"].integer(1, INT64 - 1) if pool["resourceSliceCount"] else 1,
        place=_place(spec),
        per_device=spec["perDeviceNodeSelection"].boolean() if spec["perDeviceNodeSelection"] else None,
        devices=tuple(_device(item) for item in spec["devices"].items()),
        counters=tuple(
            (item["name"].required("the name of a counter set"), _counters(item["counters"]))
            for item in spec["sharedCounters"].items()
        ),
    )


def device_class(field: Field) -> DeviceClass:
    """Return the device class of a manifest."""
    spec = field["spec"]
    return DeviceClass(
        name=field["metadata"]["name"].text(),
        selectors=_selectors(spec),
        extended_resource=spec["extendedResourceName"].text(),
    )


def claim(field: Field) -> ResourceClaim:
    """Return the resource claim of a manifest."""
    metadata, status = field["metadata"], field["status"]
    consumers = status["reservedFor"].items()
    if len(consumers) > MOST_CONSUMERS:
        raise status["reservedFor"].error(f"expected at most {MOST_CONSUMERS} items")
    requests, constraints = _spec(field["spec"])
    return ResourceClaim(
        name=metadata["name"].text(),
        namespace=metadata["namespace"].text() or "default",
        uid=metadata["uid"].text(),
        requests=requests,
        constraints=constraints,
        allocation=_allocation(status["allocation"]) if status["allocation"] else None,
        reserved_for=tuple(
            Consumer(item["name"].text(), item["uid"].text(), item["resource"].text("pods")) for item in consumers
        ),
        owner_uid=next(
            (each["uid"].text() for each in metadata["ownerReferences"].items() if each["controller"].boolean()), ""
        ),
        terminating=bool(metadata["deletionTimestamp"].text()),
    )


def _spec(spec: Field) -> tuple[tuple[Request, ...], tuple[Constraint, ...]]:
    asked = spec["devices"]
    requests = asked["requests"].items()
    if len(requests) > MOST_RESULTS:
        raise asked["requests"].error(f"expected at most {MOST_RESULTS} items")
    return tuple(map(_request, requests)), tuple(map(_constraint, asked["constraints"].items()))


def _request(field: Field) -> Request:
    name = field["name"].required("the name of a request")
    alternatives = field["firstAvailable"].items()
    if len(alternatives) > MOST_ALTERNATIVES:
        raise field["firstAvailable"].error(f"expected at most {MOST_ALTERNATIVES} items")
    if alternatives and field["exactly"]:
        raise field["exactly"].error("expected either exactly or firstAvailable")
    if alternatives:
        return Request(name, alternatives=tuple(_part(each["name"].required("a name"), each) for each in alternatives))
    return _part(name, field["exactly"] if field["exactly"] else field)


def _part(name: str, field: Field) -> Request:
    mode = field["allocationMode"].one_of(MODES, EXACT_COUNT)
    count = field["count"].integer(0, INT64 - 1) if field["count"] else 0
    if mode == ALL and count:
        raise field["count"].error("expected no count beside allocationMode All")
    return Request(
        name=name,
        device_class=field["deviceClassName"].required("the name of a device class"),
        mode=mode,
        count=count or 1,
        selectors=_selectors(field),
        admin=field["adminAccess"].boolean(),
        tolerations=tuple(
            DeviceToleration(
                each["key"].text(),
                each["operator"].one_of(("Equal", "Exists"), "Equal"),
                each["value"].text(),
                each["effect"].one_of(EFFECTS),
            )
            for each in field["tolerations"].items()
        ),
        capacity=field["capacity"]["requests"].quantities() if field["capacity"] else None,
        unmodelled=next((key for key in UNKNOWN_OF_REQUEST if field[key]), ""),
    )


def _constraint(field: Field) -> Constraint:
    distinct = field["distinctAttribute"]
    name = distinct if distinct else field["matchAttribute"]
    if "/" not in name.text():
        raise name.error("expected the name of an attribute with its domain")
    return Constraint(name.text(), field["requests"].texts(), bool(distinct))


def _selectors(field: Field) -> tuple[str, ...]:
    return tuple(_expression(each["cel"]["expression"]) for each in field["selectors"].items())


def _expression(field: Field) -> str:
    from schedcheck.spec.cel.compiling import refused

    text = field.required("an expression")
    fault = refused(text)
    if fault:
        raise field.error(f"expected an expression of CEL that the API server accepts: {fault}")
    return text


def _place(field: Field) -> Place:
    selector = field["nodeSelector"]
    return Place(field["nodeName"].text(), field["allNodes"].boolean(), node_selector(selector) if selector else None)


def _device(field: Field) -> Device:
    basic = field["basic"] if field["basic"] else field
    consumed = basic["consumesCounters"].items()
    unknown = [key for key in UNKNOWN_OF_DEVICE if basic[key]]
    unknown += [GROUPS] if any(each[GROUPS] for each in consumed) else []
    attributes = {key: _attribute(each) for key, each in basic["attributes"].entries()}
    unknown += [LIST_ATTRIBUTE.format(key) for key, each in attributes.items() if each is None]
    return Device(
        name=field["name"].required("the name of a device"),
        attributes=frozendict({key: each for key, each in attributes.items() if each is not None}),
        capacity=frozendict({key: _amount(each) for key, each in basic["capacity"].entries()}),
        policies=frozendict(
            {key: _policy(each["requestPolicy"]) for key, each in basic["capacity"].entries() if each["requestPolicy"]}
        ),
        place=_place(basic),
        taints=tuple(
            DeviceTaint(
                each["key"].required("the key of a taint"),
                each["effect"].one_of(EFFECTS) or each["effect"].required("the effect of a taint"),
                each["value"].text(),
            )
            for each in basic["taints"].items()
        ),
        consumes=tuple(
            (each["counterSet"].required("the name of a counter set"), _counters(each["counters"])) for each in consumed
        ),
        multiple=basic["allowMultipleAllocations"].boolean(),
        conditional=bool(basic["bindingConditions"].items()),
        binds_to_node=basic["bindsToNode"].boolean(),
        unmodelled=unknown[0] if unknown else "",
    )


def _policy(field: Field) -> Policy:
    within = field["validRange"]

    def amount(each: Field) -> int | None:
        return each.quantity() if each else None

    step = amount(within["step"])
    if step is not None and step <= 0:
        raise within["step"].error("expected an amount above 0")
    return Policy(
        default=amount(field["default"]),
        values=tuple(each.quantity() for each in field["validValues"].items()),
        minimum=amount(within["min"]),
        maximum=amount(within["max"]),
        step=step,
    )


def _counters(field: Field) -> Amounts:
    return frozendict({key: _amount(each) for key, each in field.entries()})


def _amount(field: Field) -> int:
    if not field["value"]:
        raise field["value"].error("expected a quantity")
    return field["value"].quantity()


def _attribute(field: Field) -> Attribute | None:
    """Return the attribute of a device; None if it is a list of values."""
    given = [key for key in TYPES if field[key]]
    if not given and any(field[key] for key in LISTS):
        return None
    if len(given) != 1:
        raise field.error(f"expected exactly one of {', '.join(TYPES)}")
    kind, value = given[0], field[given[0]]
    if kind == "bool":
        return Attribute(kind, value.boolean())
    return Attribute(kind, value.integer(-INT64, INT64 - 1) if kind == "int" else value.text())


def _allocation(field: Field) -> Allocation:
    selector = field["nodeSelector"]
    return Allocation(
        tuple(map(_result, field["devices"]["results"].items())), node_selector(selector) if selector else None
    )


def _result(field: Field) -> Result:
    return Result(
        request=field["request"].required("the name of a request"),
        driver=field["driver"].required("the name of a driver"),
        pool=field["pool"].required("the name of a pool"),
        device=field["device"].required("the name of a device"),
        admin=field["adminAccess"].boolean(),
        shared=bool(field["shareID"].text()),
        consumed=field["consumedCapacity"].quantities(),
    )
