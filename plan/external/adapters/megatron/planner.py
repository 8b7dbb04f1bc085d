#!/usr/bin/env python3
"""Megatron-core's reshard planner, megatron.core.resharding, over shardproof's protocol.

Megatron describes a parameter by the axis along which tensor parallelism splits it evenly, by the blocks packed
along it where there are several, and by the ranks that split and that replicate it. All that is found here from a
map's boxes; a map that is nothing of the kind is unsupported. It knows local shapes alone, so that both sides mean
one tensor is checked here. The source's ranks are numbered past the target's: to Megatron a rank of both sides is
one process, here the two sides are apart.
"""

import importlib
import importlib.metadata
import os
import sys
from dataclasses import dataclass

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import shardproof_adapter as shardproof  # noqa: E402

ITEM_BYTES = 2  # a weight's
NAME = "weight"


def load():
    """A function that plans a request as Megatron-core does."""
    import torch

    shardproof.bare_package("megatron.core.resharding")
    planner = importlib.import_module("megatron.core.resharding.planner")
    utils = importlib.import_module("megatron.core.resharding.utils")

    def plan(request):
        source, target = request.boxes()
        shift = 1 + max((shard.rank for shard in target.shards), default=0)
        try:
            if source.logical_shape != target.logical_shape:
                raise shardproof.Unsupported("two tensors")
            sides = side_of(source), side_of(target)
            packing = packing_of(*sides)
            sources = metadata(utils, torch.bfloat16, sides[0], packing[0], shift)
            targets = metadata(utils, torch.bfloat16, sides[1], packing[1], 0)
            rosters = {meta.owner_rank: {NAME: meta} for meta in targets}, {NAME: sources}
            return [
                segment(operation, source, shift, shard)
                for shard in target.shards
                if shard.pieces
                for operation in planner.build_plan_from_rosters(*rosters, shard.rank).recv_ops
            ]
        except (shardproof.Unsupported, RuntimeError) as error:  # Megatron has one error for every reason
            raise shardproof.refusal(str(error), source, target) from error

    return plan


@dataclass(frozen=True)
class Side:
    """A map as whole copies of the tensor, each a list of shards in the order of their parts."""

    copies: list
    dim: int  # the axis that is split
    blocks: list  # the extents of the blocks packed along it in one part

    @property
    def parts(self):
        return len(self.copies[0])


def side_of(read):
    """A map as Megatron has it. Raises Unsupported where it is no even split of one axis."""
    copies = shardproof.replicas([shard for shard in read.shards if shard.pieces])
    if not copies:
        raise shardproof.Unsupported("no rank owns the parameter")
    dim = split_axis(read.logical_shape, [shard for copy in copies for shard in copy])
    copies = [sorted(copy, key=lambda shard: runs(shard, dim)) for copy in copies]
    blocks = [extent for _, extent in runs(copies[0][0], dim)]
    for copy in copies:
        for part, shard in enumerate(copy):
            if not is_part(shard, dim, read.logical_shape, blocks, part, len(copy)):
                raise no_even_part(shard, dim)
    return Side(copies, dim, blocks)


def split_axis(logical_shape, shards):
    """The one axis along which shards differ from the tensor, the first where none does."""
    if any(len(shard.shape) != len(logical_shape) for shard in shards):
        raise shardproof.Unsupported("a flat shard")
    axes = {axis for shard in shards for axis, extent in enumerate(shard.shape) if extent != logical_shape[axis]}
    if len(axes) > 1:
        raise shardproof.Unsupported("more than one axis is split")
    return axes.pop() if axes else 0


def runs(shard, dim):
    """Where each block of a shard begins along an axis of the tensor, and its extent, in the shard's order.

    Pieces may be cut in any way: those that continue each other along the axis are of one block. Raises Unsupported
    where the shard is not made of blocks that are whole along the other axes.
    """
    joined = []  # where a block begins in the shard, where in the tensor, and its extent
    for at, low, extent in sorted({span(shard, piece, dim) for piece in shard.pieces if shard.shape}):
        if joined and at - low == joined[-1][0] - joined[-1][1]:
            joined[-1][2] = max(joined[-1][2], at + extent - joined[-1][0])
        elif joined and at < joined[-1][0] + joined[-1][2]:
            raise no_even_part(shard, dim)
        else:
            joined.append([at, low, extent])
    return [(low, extent) for _, low, extent in joined]


def span(shard, piece, dim):
    """Where a piece begins along an axis in its shard and in the tensor, and its extent there."""
    lo = shardproof.coordinate(piece.offset, shard.shape)
    if any(at != low for axis, (at, low) in enumerate(zip(lo, piece.lo)) if axis != dim):
        raise no_even_part(shard, dim)
    return lo[dim], piece.lo[dim], piece.shape[dim]


def no_even_part(shard, dim):
    return shardproof.Unsupported("rank %d does not hold an even part of axis %d" % (shard.rank, dim))


def is_part(shard, dim, logical_shape, blocks, part, parts):
    """Whether a shard is the part of that number of each block along the axis."""
    expected, start = [], 0
    for extent in blocks:
        expected.append((start + part * extent, extent))
        start += parts * extent
    return runs(shard, dim) == expected and [start] == list(logical_shape[dim : dim + 1] or [0])


def packing_of(source, target):
    """partition_stride and partition_sizes of each side.

    Blocks of one size are a stride. Where one side has others, both name theirs; a side that is not split
    has the blocks of the other, whole.
    """
    if all(len(set(side.blocks)) <= 1 for side in (source, target)):
        return [{"partition_stride": max(len(side.blocks), 1)} for side in (source, target)]
    packed = source if len(source.blocks) > len(target.blocks) else target
    whole = [packed.parts * extent for extent in packed.blocks]
    return [{"partition_sizes": side.blocks if side.parts > 1 else whole} for side in (source, target)]


def metadata(utils, dtype, side, packing, shift):
    """A side as the metadata of each rank, ascending."""
    ranks = [[shard.rank + shift for shard in copy] for copy in side.copies]
    made = [
        utils.ParameterMetadata(
            name=NAME,
            shape=shard.shape,
            dtype=dtype,
            element_size=ITEM_BYTES,
            is_tp=side.parts > 1,
            partition_dim=side.dim,
            owner_rank=shard.rank + shift,
            tensor_parallel_group_ranks=group,
            data_parallel_group_ranks=list(replicas),
            resolved_name=NAME,
            **packing,
        )
        for copy, group in zip(side.copies, ranks)
        for shard, replicas in zip(copy, zip(*ranks))
    ]
    return sorted(made, key=lambda meta: meta.owner_rank)


def segment(operation, source, shift, target_shard):
    """What a rank receives as a copy between shards, whose slices count from the shards' starts."""
    rank = operation.peer_rank - shift
    source_shard = next(shard for shard in source.shards if shard.rank == rank)
    source_lo, source_shape = box(operation.peer_slice, source_shard.shape)
    target_lo, target_shape = box(operation.my_slice, target_shard.shape)
    if source_shape != target_shape:
        raise ValueError("a copy of %s into %s" % (source_shape, target_shape))
    return {
        "shape": target_shape,
        "source": [rank, *view(source_lo, source_shard.shape)],
        "target": [target_shard.rank, *view(target_lo, target_shard.shape)],
    }


def box(slices, shape):
    """First coordinate and extents of slices of a tensor, as Python slices it."""
    ranges = [part.indices(extent) for part, extent in zip(slices, shape)]
    return [start for start, _, _ in ranges], [stop - start for start, stop, _ in ranges]


def view(lo, shape):
    """Offset and strides of a box that begins at a coordinate of a shard."""
    strides = list(shardproof.row_major(shape))
    return sum(coordinate * stride for coordinate, stride in zip(lo, strides)), strides


if __name__ == "__main__":
    output = shardproof.claim_output()
    hello = shardproof.Hello("megatron-core", importlib.metadata.version("megatron-core"), holder="any")
    shardproof.serve(shardproof.lazily(load), hello, output)
