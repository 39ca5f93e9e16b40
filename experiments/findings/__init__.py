"""Our own findings, one page each."""
