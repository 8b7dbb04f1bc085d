"""Copies the shards of one layout into those of another. It has a bug, which shardproof finds."""

import sys

from shardproof import adapter


def plan(request):
    source, target = request.boxes()
    wrong = adapter.contradiction(source, target)
    if wrong:
        raise adapter.Invalid(wrong)
    copies = []
    for wanted in target.pieces:
        for held in source.pieces:
            if held.rank != min(held.locations):
                continue
            common = held.overlap(wanted)
            if common is None:
                continue
            lo, shape = common
            # The bug: the read starts where the source piece does, whatever part of it is wanted.
            copies.append(adapter.segment(held, held.lo, wanted, lo, shape))
    return copies


if __name__ == "__main__":
    adapter.serve(plan, adapter.Hello("example", "1.0"), adapter.claim_output())
