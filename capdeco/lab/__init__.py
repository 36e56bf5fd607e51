"""The lab: what a narrow surface changes, measured; everything here is generic, the experiments are in examples/lab."""
