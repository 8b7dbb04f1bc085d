#!/usr/bin/env python3
"""modelexpress's reshard planner, modelexpress.refit.reshard.slice_plan, over shardproof's protocol.

A target piece is the copy that a weight loader makes: a chain of narrow calls on the full tensor, into a strided
view of its shard. The source's pieces are the shards that publishers announce, one for each geometry as
modelexpress's own rendezvous retains them, here that of the lowest rank. Its shards are contiguous buffers, so a
piece that is not contiguous in its shard is announced as several. The answer is in runs of bytes; a piece's
address is its offset in the shard, and the session names the rank. A loader narrows the tensor that was published,
so that both sides mean one tensor, and that it was published at all, is checked here.
"""

import importlib
import importlib.metadata
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import shardproof_adapter as shardproof  # noqa: E402

ITEM_BYTES = 2  # a weight's
NAME = "weight"
MAX_RUNS = 1 << 14  # of a piece or a plan: the planner lists each, a run an element where columns meet rows


def load():
    """A function that plans a request as modelexpress does."""
    import torch

    shardproof.bare_package("modelexpress.refit.reshard")
    planner = importlib.import_module("modelexpress.refit.reshard.slice_plan")

    def plan(request):
        source, target = request.boxes()
        try:
            if source.logical_shape != target.logical_shape:
                raise shardproof.Unsupported("two tensors")
            shards = published(planner, source)
            if target.pieces and not shards:
                raise shardproof.Unsupported("the tensor is not published")
            limit_runs(shards, target)
            return [
                segment(run, piece)
                for piece in target.pieces
                for run in planner.plan_pull(
                    copy(planner, piece, torch.bfloat16), source.logical_shape, torch.bfloat16, ITEM_BYTES, shards
                )
            ]
        except (shardproof.Unsupported, planner.UnsupportedReshard) as error:
            raise shardproof.refusal(str(error), source, target) from error

    return plan


def limit_runs(shards, target):
    """Refuses what would be listed in too many runs."""
    runs = 0
    for piece in target.pieces:
        for shard in shards:
            shared = shardproof.intersection(piece.lo, piece.shape, shard.shard_offset, shard.shape)
            if shared:
                runs += runs_between(shared[1], piece.strides, shardproof.row_major(shard.shape))
            if runs > MAX_RUNS:
                raise shardproof.Unsupported("a plan of more than %d runs" % MAX_RUNS)


def runs_between(shape, strides, other_strides):
    """The runs of a box that are contiguous on both sides."""
    run, axis = 1, len(shape)
    while axis and strides[axis - 1] == other_strides[axis - 1] == run:
        axis -= 1
        run *= shape[axis]
    return shardproof.product(shape[:axis])


def published(planner, source):
    """The source's pieces as the shards that a receiver sees."""
    lowest = {}
    for piece in source.pieces:
        lowest.setdefault((piece.lo, piece.shape), piece)
    return [
        planner.Shard(run.lo, run.shape, str(run.rank), run.offset * ITEM_BYTES, ITEM_BYTES)
        for piece in lowest.values()
        for run in piece.runs(MAX_RUNS)
    ]


def copy(planner, piece, dtype):
    """A target piece as the copy of a weight loader."""
    chain = tuple(("narrow", (axis, low, extent), ()) for axis, (low, extent) in enumerate(zip(piece.lo, piece.shape)))
    return planner.RecordedCopy(NAME, chain, NAME, piece.offset, piece.shape, piece.strides, dtype)


def segment(run, piece):
    """One run of bytes as a copy of elements."""
    return shardproof.run_segment(
        (int(run.session), shardproof.elements_of_bytes(run.src_addr, ITEM_BYTES)),
        (piece.rank, shardproof.elements_of_bytes(run.dst_byte, ITEM_BYTES)),
        shardproof.elements_of_bytes(run.nbytes, ITEM_BYTES),
    )


if __name__ == "__main__":
    output = shardproof.claim_output()
    hello = shardproof.Hello("modelexpress", importlib.metadata.version("modelexpress"))
    shardproof.serve(shardproof.lazily(load), hello, output)
