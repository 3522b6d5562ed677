"""`schedcheck properties`: the properties and constraints that can be named."""


def properties() -> int:
    """List the properties that --property and a scenario may name, and the constraints of a scenario."""
    import schedcheck
    from schedcheck.report.text.properties import show
    from schedcheck.report.text.terminal import output

    found = schedcheck.properties()
    show(((f"{each.name} *" if each.default else each.name, each.kind, each.claim) for each in found), output())
    return 0
