#!/usr/bin/env python3
"""Mooncake's address-free reshard planner, mooncake.reshard.weight, over shardproof's protocol.

Mooncake places boxes of a tensor ("fragments") on ranks with coordinates on the axes dp, pp, ep and tp, and
states for each axis whether it splits the tensor or replicates it. A parameter map has ranks and boxes alone, so
the coordinates are found here:

 1. ranks that hold the same boxes are replicas of each other, counted on one axis of their own;
 2. what is left is split by tp along the first axis of the tensor on which the ranks follow one another, or by
    ep along axis 0 and tp along another.

A box that is no single run of its shard is cut into rows that are. Where no coordinates can be found the
request is refused as unsupported; where they can, Mooncake's own validation judges them.
"""

import dataclasses
import importlib
import importlib.metadata
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import shardproof_adapter as shardproof  # noqa: E402

ITEM_BYTES = 2  # a weight's; every box is sent as so many bytes an element
NAME = "weight"
AXES = ("dp", "pp", "ep", "tp")

MAX_FRAGMENTS = 512  # of one side: Mooncake compares each with each, and takes seconds for more


def load():
    """The planner's public module."""
    shardproof.bare_package("mooncake")
    return importlib.import_module("mooncake.reshard.weight")


def planner(weight, replica_axes):
    """A function that plans a request as Mooncake does. replica_axes: on which the replicas of each side count."""

    def plan(request):
        source, target = request.boxes()
        try:
            placed = [Placement(weight, side, axis) for side, axis in zip((source, target), replica_axes)]
            planned = weight.plan_placement_transfer(*(placement.manifest for placement in placed))
        except (shardproof.Unsupported, ValueError) as error:  # Mooncake has one error for every reason
            raise shardproof.refusal(str(error), source, target) from error
        return [segment(operation, *placed) for operation in planned.operations]

    return plan


class Placement:
    """One side of a request as Mooncake's manifest, and where each of its fragments starts in its shard."""

    def __init__(self, weight, side, replica_axis):
        if not side.pieces:
            raise shardproof.Unsupported("a placement has a fragment at least")
        copies = shardproof.replicas([shard for shard in side.shards if shard.pieces])
        splits = splits_of(side.logical_shape, copies[0])
        fragments = [run for piece in side.pieces for run in piece.runs(MAX_FRAGMENTS)]
        if len(fragments) > MAX_FRAGMENTS:
            raise shardproof.Unsupported("%d fragments" % len(fragments))
        coordinates = {
            shard.rank: {**dict.fromkeys(AXES, 0), **place, replica_axis: number}
            for number, copy in enumerate(copies)
            for shard, place in zip(copy, splits.places)
        }
        sizes = {axis: 1 + max(place[axis] for place in coordinates.values()) for axis in AXES}
        self.starts = {}
        ranks = {rank: weight.ParallelRank(**place) for rank, place in coordinates.items()}
        self.manifest = weight.WeightPlacementManifest.from_fragments(
            resource_id="model",
            revision="1",
            weight_generation=1,
            placement_set_id="set",
            topology=weight.ParallelTopology(
                **{axis + "_size": size for axis, size in sizes.items()},
                participants=tuple(
                    weight.TopologyParticipant("rank-%d" % rank, place) for rank, place in ranks.items()
                ),
            ),
            tensors=[
                weight.TensorDescriptor(
                    tensor_id=NAME,
                    global_shape=side.logical_shape,
                    dtype="bfloat16",
                    itemsize=ITEM_BYTES,
                    shard_dims=tuple(sorted(splits.dims.values())),
                    layout_fingerprint="row-major",
                    parallel_axes=tuple(weight.SplitAxis(axis, dim) for axis, dim in splits.dims.items())
                    + ((weight.ReplicatedAxis(replica_axis),) if sizes[replica_axis] > 1 else ()),
                )
            ],
            fragments=[self.fragment(weight, ranks[run.rank], run) for run in fragments],
        )

    def fragment(self, weight, rank, run):
        """One run of a shard as a fragment, its place in the shard kept."""
        made = weight.PlacementFragment(
            tensor_id=NAME,
            global_offset=run.lo,
            local_shape=run.shape,
            nbytes=run.elements * ITEM_BYTES,
            rank=rank,
        )
        self.starts[made.fragment_id] = (run.rank, run.offset)
        return made


@dataclasses.dataclass
class Splits:
    """Which axis of the tensor each parallel axis splits, and the coordinates of each shard of one copy."""

    dims: dict
    places: list


def splits_of(logical_shape, shards):
    """How the shards of one copy of the tensor split it."""
    if len(shards) == 1:
        return Splits({}, [{}])
    bands = [bands_along(shards, dim) for dim in range(len(logical_shape))]
    for dim, numbers in enumerate(bands):
        if len(numbers) == len(shards):
            return Splits({"tp": dim}, [{"tp": numbers[band(shard, dim)]} for shard in shards])
    for dim, numbers in enumerate(bands[1:], 1):
        if len(bands[0]) * len(numbers) == len(shards):
            return Splits(
                {"ep": 0, "tp": dim},
                [{"ep": bands[0][band(shard, 0)], "tp": numbers[band(shard, dim)]} for shard in shards],
            )
    raise shardproof.Unsupported("no axis of the tensor, nor axis 0 with another, splits it between the ranks")


def bands_along(shards, dim):
    """The intervals of an axis that each rank holds, numbered in ascending order; none where two ranks' overlap."""
    bands = sorted({band(shard, dim) for shard in shards})
    intervals = sorted(interval for intervals in bands for interval in intervals)
    if any(left[1] > right[0] for left, right in zip(intervals, intervals[1:])):
        return {}
    return {intervals: i for i, intervals in enumerate(bands)}


def band(shard, dim):
    """The intervals of an axis that a shard's pieces span, touching and overlapping ones joined."""
    joined = []
    for low, high in sorted({(piece.lo[dim], piece.hi[dim]) for piece in shard.pieces}):
        if joined and low <= joined[-1][1]:
            low, high = joined[-1][0], max(high, joined.pop()[1])
        joined.append((low, high))
    return tuple(joined)


def segment(operation, source, target):
    """One operation, bytes looped over, as a copy of elements."""
    source_rank, source_start = source.starts[operation.source.fragment_id]
    target_rank, target_start = target.starts[operation.target.fragment_id]
    elements = lambda count: shardproof.elements_of_bytes(count, ITEM_BYTES)  # noqa: E731
    return {
        "shape": [*operation.outer_loop_counts, elements(operation.inner_bytes)],
        "source": [
            source_rank,
            source_start + elements(operation.source_base_offset),
            [*map(elements, operation.source_strides), 1],
        ],
        "target": [
            target_rank,
            target_start + elements(operation.target_base_offset),
            [*map(elements, operation.target_strides), 1],
        ],
    }


def main(arguments):
    output = shardproof.claim_output()
    holder, replica_axes = ("any", ("dp", "dp")) if arguments == ["--own-routing"] else ("lowest", ("dp", "pp"))
    version = importlib.metadata.version("mooncake-transfer-engine-non-cuda")
    hello = shardproof.Hello("mooncake", version, holder=holder)
    shardproof.serve(planner(load(), replica_axes), hello, output)


if __name__ == "__main__":
    main(sys.argv[1:])
