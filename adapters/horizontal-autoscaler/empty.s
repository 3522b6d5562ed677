// A file of assembly lets the package declare functions without bodies, which go:linkname needs.
