"""Many methods, parameters and seeds side by side, and advice on which to take."""
