"""The Common Expression Language (CEL), in which device classes and requests select devices."""
