#!/usr/bin/env python3
"""Awex's transfer planner, awex.transfer.transfer_plan, over shardproof's protocol.

Awex describes a parameter as replicas, each a list of shards that together are one whole copy, and pairs the
target's replicas with the source's in turn. Ranks are numbered here from 0 on each side. Every piece of a
rank is a shard of its own, so that fused and gathered layouts are expressed too.
"""

import importlib
import importlib.metadata
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import shardproof_adapter as shardproof  # noqa: E402

NAME = "weight"


def load():
    """A function that plans a request as Awex does."""
    import torch

    for package in ("awex.transfer", "awex.meta", "awex.sharding", "awex.util"):
        shardproof.bare_package(package)
    transfer = importlib.import_module("awex.transfer.transfer_plan")
    metas = importlib.import_module("awex.meta.weight_meta")
    transfer.logger.setLevel(transfer.logging.LogLevel.ERROR)  # it tells of every plan

    def plan(request):
        source, target = request.boxes()
        builder = transfer.TransferPlanBuilder(len(target.shards), len(source.shards))
        try:
            sides = [Side(metas, torch.bfloat16, side) for side in (target, source)]
            operations = builder.build_weights_mapping_operations(*([side.parameter] for side in sides))
        except (shardproof.Unsupported, ValueError) as error:  # Awex has one error for every reason
            raise shardproof.refusal(str(error), source, target) from error
        return [segment(operation, *(side.pieces for side in sides)) for operation in operations]

    return plan


class Side:
    """One side of a request as Awex's metadata, and the piece that each of its shards is."""

    def __init__(self, metas, dtype, side):
        numbers = {shard.rank: i for i, shard in enumerate(side.shards)}
        holding = [shard for shard in side.shards if shard.pieces]
        self.pieces = {}
        self.parameter = metas.ParameterMeta(
            name=NAME,
            global_numel=shardproof.product(side.logical_shape),
            global_shape=side.logical_shape,
            dtype=dtype,
            shards=[],
            replicas=[
                metas.ParameterReplicaMeta(
                    [
                        self.shard(metas, dtype, piece, numbers[shard.rank], len(numbers))
                        for shard in copy
                        for piece in shard.pieces
                    ]
                )
                for copy in shardproof.replicas(holding)
            ],
        )
        self.parameter.shards = [shard for replica in self.parameter.replicas for shard in replica.shards]

    def shard(self, metas, dtype, piece, number, world_size):
        """One piece as a shard, kept by the name that comes back with each operation."""
        name = "rank %d piece %d" % (piece.rank, piece.index)
        self.pieces[name] = piece
        return metas.ParameterShardMeta(
            tp_rank=number,
            attn_tp_rank=number,
            pp_rank=0,
            ep_rank=0,
            ep_tp_rank=0,
            global_rank=number,
            world_size=world_size,
            engine_rank=0,
            name=name,
            shape=piece.shape,
            numel=piece.elements,
            dtype=dtype,
            global_offset=piece.lo,
        )


def segment(operation, targets, sources):
    """One operation as a copy between shards: its slices are of the two pieces."""
    source, target = sources[operation.send_shard_meta.name], targets[operation.recv_shard_meta.name]
    return shardproof.segment(
        source,
        [low + part.start for low, part in zip(source.lo, operation.train_slices)],
        target,
        [low + part.start for low, part in zip(target.lo, operation.inf_slices)],
        operation.overlap_shape,
    )


if __name__ == "__main__":
    output = shardproof.claim_output()
    hello = shardproof.Hello("awex", importlib.metadata.version("awex"), holder="any")
    shardproof.serve(shardproof.lazily(load), hello, output)
