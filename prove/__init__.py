"""The long proofs: what must hold again and again, with both cores loaded, after crashes, and between processes.

`python -m prove` plays cells and writes one JSON line for each into `build/prove/<proof>.jsonl`. A cell that stands
there for the same code is not played again, whatever came of it: a failure is not retried until it passes.
"""
