"""Questions that the publications leave open, one module each."""
