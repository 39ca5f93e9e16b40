"""The publications' experiments, measured again on public data. `experiments.run` runs them."""
