#!/usr/bin/env python3
"""torch.distributed.checkpoint's save and load planning over shardproof's protocol.

A source rank's pieces are the chunks that it would write to a checkpoint, a target rank's those that it would
read; the copy is a read item, from the chunk of the rank that the save plan lets write it. No process group is
needed. That both sides state one tensor size, and that the tensor was saved at all, is checked here, as
DefaultLoadPlanner does before it makes read items.
"""

import importlib.metadata
import logging
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import shardproof_adapter as shardproof  # noqa: E402

NAME = "weight"


def load():
    """A function that plans a request as torch.distributed.checkpoint does."""
    import torch
    from torch.distributed.checkpoint import _dedup_save_plans, default_planner, metadata, planner, planner_helpers

    default_planner.logger.setLevel(logging.ERROR)  # it warns of each error that it returns too
    properties = metadata.TensorProperties(dtype=torch.bfloat16)

    def plan(request):
        source, target = request.boxes()
        if source.logical_shape != target.logical_shape:
            raise shardproof.refusal("size mismatch between saved and current", source, target)
        written, tensor, errors = save(source)
        if target.pieces and not written:
            raise shardproof.refusal("missing key in checkpoint state_dict", source, target)
        if errors:
            raise shardproof.refusal("%s (%d errors)" % (errors[0], len(errors)), source, target)
        return [
            segment(item, written, shard)
            for shard in target.shards
            for item in planner_helpers.create_read_items_for_chunk_list(NAME, tensor, [chunk(p) for p in shard.pieces])
        ]

    def save(source):
        """The piece written as each chunk of the checkpoint, the tensor's metadata, and what is wrong with the plan."""
        size = torch.Size(source.logical_shape)
        plans = [
            planner.SavePlan([write_item(number, piece, size) for number, piece in enumerate(shard.pieces)])
            for shard in source.shards
        ]
        kept = _dedup_save_plans.dedup_save_plans(plans, save_to_lowest_rank=True)
        plans, saved = default_planner.create_default_global_save_plan(kept)
        tensor = saved.state_dict_metadata.get(NAME, metadata.TensorStorageMetadata(properties, size, []))
        return pieces_of(source, kept, plans), tensor, default_planner._validate_global_plan(plans, saved)

    def write_item(number, piece, size):
        return planner.WriteItem(
            metadata.MetadataIndex(NAME, torch.Size(piece.lo), number),
            planner.WriteItemType.SHARD,
            tensor_data=planner.TensorWriteData(chunk=chunk(piece), properties=properties, size=size),
        )

    def chunk(piece):
        return metadata.ChunkStorageMetadata(torch.Size(piece.lo), torch.Size(piece.shape))

    return plan


def pieces_of(source, kept, plans):
    """The piece that is written as each chunk, by the chunk's number in the checkpoint.

    An item that is kept has the number of its piece as the hint of its index, which torch then rewrites.
    """
    return {
        item.index.index: shard.pieces[own.index.index]
        for shard, before, after in zip(source.shards, kept, plans)
        for own, item in zip(before.items, after.items)
    }


def segment(item, written, shard):
    """One read item as a copy between shards."""
    source, target = written[item.storage_index.index], shard.pieces[item.dest_index.index]
    return shardproof.segment(
        source,
        [low + offset for low, offset in zip(source.lo, item.storage_offsets)],
        target,
        [low + offset for low, offset in zip(target.lo, item.dest_offsets)],
        item.lengths,
    )


if __name__ == "__main__":
    output = shardproof.claim_output()
    hello = shardproof.Hello("torch.distributed.checkpoint", importlib.metadata.version("torch"))
    shardproof.serve(shardproof.lazily(load), hello, output)
