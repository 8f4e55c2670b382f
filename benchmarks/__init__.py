"""Timings in fresh processes: `python -m benchmarks [JOB…]`, described in docs/benchmarks.md."""
