"""Makes a planner written in Python answer over shardproof's planner protocol, version 1.

A planner is a function of a Request that returns its copies, or raises a Refusal:

    import shardproof_adapter as shardproof

    output = shardproof.claim_output()   # before anything that may print is imported
    import my_planner

    def plan(request):
        source, target = request.boxes()
        return [shardproof.segment(a, lo, b, lo, shape) for a, b, lo, shape in my_planner.copies(source, target)]

    shardproof.serve(plan, shardproof.Hello("my-planner", my_planner.__version__), output)

Three layers, each usable alone: the protocol (serve and what it calls), parameter maps as boxes (read_map and
Piece), and loading a package's own files without its heavy imports (bare_package).

Offsets, strides and extents are elements, never bytes. The module needs the standard library alone, and
importing it changes nothing.
"""

import importlib.util
import itertools
import json
import os
import sys
import time
import traceback
import types
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Set, Tuple

PROTOCOL = 1
INT64_MAX = 2**63 - 1
MAX_LINE_BYTES = 256 << 20  # one line of input, as the protocol limits it
READ_BYTES = 1 << 16  # read at once, as a pipe holds
HOLD_SECONDS = 0.005  # the longest that an answer waits for others to be written with it
MAX_PAIRS = 1 << 18  # pairs of boxes compared at a time: half a second
MAX_OVERLAPPING = 64  # boxes that overlap and are counted together: no right map has any


# Refusals: what a planner raises in place of a plan.


class Refusal(Exception):
    """A request that the planner does not plan. The message says why."""

    kind = ""


class Invalid(Refusal):
    """A map contradicts itself or the other map."""

    kind = "invalid"


class Unsupported(Refusal):
    """Legitimate geometry that the planner, or its adapter, does not express."""

    kind = "unsupported"


class BadSelection(Refusal):
    """The selector named no candidate."""

    kind = "selector"


class OverBudget(Refusal):
    """The plan would exceed a limit."""

    kind = "budget"


# The protocol: what a planner is asked, and how it answers.


@dataclass(frozen=True)
class Hello:
    """What a planner says of itself. `holder` is "lowest", or "any" for a planner that picks holders by a rule of its own."""

    planner: str
    version: str
    features: Sequence[str] = ()
    holder: str = "lowest"
    max_inflight: int = 16

    def line(self) -> Dict[str, Any]:
        return {
            "hello": {
                "protocol": PROTOCOL,
                "planner": self.planner,
                "version": self.version,
                "features": list(self.features),
                "holder": self.holder,
                "max_inflight": self.max_inflight,
            }
        }


@dataclass(frozen=True)
class Request:
    """One question. `source` and `target` are the JSON values that were sent, whatever they are."""

    source: Any
    target: Any
    selector: Dict[str, Any] = field(default_factory=dict)
    budget: Dict[str, int] = field(default_factory=dict)

    def boxes(self) -> Tuple["Map", "Map"]:
        """Both maps as boxes. Raises what read_map raises, Invalid before Unsupported."""
        read = _Deferred()
        source = read.take(read_map, self.source, "source")
        target = read.take(read_map, self.target, "target")
        read.settle()
        return source, target


@dataclass(frozen=True)
class Answer:
    """A plan, with the counts and the shape that the planner states of itself, if it states any."""

    segments: Sequence[Dict[str, Any]]
    moved_elements: Optional[int] = None
    logical_shape: Optional[Sequence[int]] = None

    def fields(self) -> Dict[str, Any]:
        stated: Dict[str, Any] = {"segments": list(self.segments)}
        if self.moved_elements is not None:
            if self.moved_elements > INT64_MAX:
                raise Unsupported("the plan moves %d elements, more than the protocol can say" % self.moved_elements)
            stated["moved_elements"] = self.moved_elements
        if self.logical_shape is not None:
            stated["logical_shape"] = list(self.logical_shape)
        return stated


Box = Tuple[Tuple[int, ...], Tuple[int, ...]]  # first coordinate and extents
Plan = Callable[[Request], Any]  # returns an Answer or a list of segments; raises a Refusal


def claim_output() -> int:
    """Moves descriptor 1 aside and returns where it is now.

    From then on whatever is printed, by Python or by a library beneath it, goes to standard error, so that
    nothing but answers reaches the judge. To be called before the planner is imported.
    """
    sys.stdout.flush()
    output = os.dup(1)
    os.dup2(2, 1)
    return output


def serve(plan: Plan, hello: Hello, output: int, source: int = 0) -> None:
    """Answers the requests on descriptor `source` on `output` until the input ends.

    Answers are written when no further request is waiting, or when the first has waited for HOLD_SECONDS: a
    window of quick answers costs one write, and a slow one holds none up.
    """
    pending: List[bytes] = []
    written = time.monotonic()
    for line in _lines(source, lambda: _flush(output, pending)):
        if line.strip():
            pending.append(reply(line, plan, hello))
        if time.monotonic() - written > HOLD_SECONDS:
            _flush(output, pending)
            written = time.monotonic()
    _flush(output, pending)


def reply(line: bytes, plan: Plan, hello: Hello) -> bytes:
    """The line that answers a line. A line that is no request under an id raises ProtocolError."""
    message, problem = _decode(line)
    if "hello" in message:
        return _encode(hello.line())
    asked = message.get("plan")
    identity = asked.get("id") if isinstance(asked, dict) else None
    if type(identity) is not int:
        raise ProtocolError("not a request: %r" % line[:200])
    return _encode({"id": identity, **_refused(Invalid(problem))}) if problem else _answer(identity, asked, plan)


class ProtocolError(Exception):
    """The other end does not speak the protocol: nobody waits for an answer that could be given."""


def _lines(descriptor: int, when_idle: Callable[[], None]) -> Iterable[bytes]:
    """The lines of a descriptor. Calls when_idle before each wait for more."""
    begun: List[bytes] = []  # the parts of a line that has not ended
    size = 0
    while True:
        when_idle()
        chunk = os.read(descriptor, READ_BYTES)
        if not chunk:
            break
        first, *others = chunk.split(b"\n")
        begun.append(first)
        size += len(first)
        if size > MAX_LINE_BYTES:
            raise ProtocolError("a line of more than %d bytes" % MAX_LINE_BYTES)
        if others:
            yield b"".join(begun)
            yield from others[:-1]
            begun, size = [others[-1]], len(others[-1])
    yield b"".join(begun)


def _flush(output: int, pending: List[bytes]) -> None:
    view = memoryview(b"".join(pending))
    pending.clear()
    while view:
        view = view[os.write(output, view) :]


def _encode(message: Dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _decode(line: bytes) -> Tuple[Dict[str, Any], str]:
    """A line's object, and what is wrong with it as JSON though it can be read."""
    problems: List[str] = []

    def unique(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            problems.append("a key is given twice: %s" % sorted(key for key, _ in pairs))
        return value

    def constant(name: str) -> float:
        problems.append("%s is no JSON" % name)
        return float(name)

    try:
        message = json.loads(line, object_pairs_hook=unique, parse_constant=constant)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("not JSON: %s: %r" % (error, line[:200])) from None
    if not isinstance(message, dict):
        raise ProtocolError("not an object: %r" % line[:200])
    return message, "; ".join(problems)


def _answer(identity: int, asked: Dict[str, Any], plan: Plan) -> bytes:
    request = Request(asked.get("source"), asked.get("target"), asked.get("selector") or {}, asked.get("budget") or {})
    try:
        answer = plan(request)
        fields = (answer if isinstance(answer, Answer) else Answer(answer)).fields()
        return _encode({"id": identity, **fields})
    except Refusal as refusal:
        return _encode({"id": identity, **_refused(refusal)})
    except Exception as error:  # the planner's own: an internal error is an answer, and a fault
        traceback.print_exc(file=sys.stderr)
        return _encode({"id": identity, "error": "%s: %s" % (type(error).__name__, error)})


def _refused(refusal: Refusal) -> Dict[str, Any]:
    return {"refused": {"kind": refusal.kind, "message": str(refusal)}}


# Selectors.


def choose(selector: Dict[str, Any], target_rank: int, candidates: Sequence[int]) -> Any:
    """The source rank that a selector names for one region read by a target rank; candidates ascend.

    Serves planners that ask a function for each choice. "balanced" is not here: any candidate is right, so a
    planner that spreads its reads does so by itself.
    """
    if "returns" in selector:
        return selector["returns"]
    if "prefer" in selector:
        listed = selector["prefer"].get(str(target_rank), [])
        return next((rank for rank in listed if rank in candidates), candidates[0])
    if "cost" in selector:
        cost = {(source, target): units for source, target, units in selector["cost"]}
        return min(candidates, key=lambda rank: (cost.get((rank, target_rank), 0), rank))
    policy = selector.get("policy", "lowest")
    if policy == "highest":
        return candidates[-1]
    if policy == "local":
        return target_rank if target_rank in candidates else candidates[0]
    if policy == "lowest":
        return candidates[0]
    raise Unsupported("the selector %r" % (selector,))


# Parameter maps as boxes.


@dataclass(frozen=True)
class Piece:
    """A block of the logical tensor in the shard of one rank, empty ones left out of a Map.

    `lo` and `shape` place it on the axes of the logical tensor. The element at coordinate c is at the shard
    address offset + sum((c - lo) * strides): the strides are the shard's, one for each logical axis.
    """

    rank: int
    index: int
    lo: Tuple[int, ...]
    shape: Tuple[int, ...]
    offset: int
    strides: Tuple[int, ...]
    locations: Tuple[int, ...]

    @property
    def hi(self) -> Tuple[int, ...]:
        """One past the last coordinate on each axis."""
        return tuple(low + extent for low, extent in zip(self.lo, self.shape))

    @property
    def elements(self) -> int:
        return product(self.shape)

    def address(self, lo: Sequence[int]) -> int:
        """The shard address of a coordinate of the logical tensor inside this piece."""
        return self.offset + sum((c - low) * stride for c, low, stride in zip(lo, self.lo, self.strides))

    def runs(self, limit: int) -> List["Piece"]:
        """The piece cut along its leading axes until each part is contiguous.

        Raises Unsupported where that takes more parts than the limit.
        """
        axes = 0
        while not same_strides(self.strides[axes:], row_major(self.shape[axes:]), self.shape[axes:]):
            axes += 1
        if product(self.shape[:axes]) > limit:
            raise Unsupported("a piece of %d runs of its shard" % product(self.shape[:axes]))
        shape = (1,) * axes + self.shape[axes:]
        strides = row_major(shape)
        starts = (
            index + self.lo[axes:]
            for index in itertools.product(*(range(low, high) for low, high in zip(self.lo[:axes], self.hi[:axes])))
        )
        return [Piece(self.rank, self.index, lo, shape, self.address(lo), strides, self.locations) for lo in starts]

    def overlap(self, other: "Piece") -> Optional[Box]:
        """First coordinate and extents of what both hold, None where that is nothing."""
        return intersection(self.lo, self.shape, other.lo, other.shape)


@dataclass(frozen=True)
class Shard:
    """What one rank holds: its shape and its pieces that are not empty, ascending by where they are in the tensor.

    The order of a map's pieces means nothing, so no planner is to see it.
    """

    rank: int
    shape: Tuple[int, ...]
    pieces: Tuple[Piece, ...]


@dataclass(frozen=True)
class Map:
    """A parameter map as boxes; shards ascend by rank."""

    logical_shape: Tuple[int, ...]
    shards: Tuple[Shard, ...]

    @property
    def pieces(self) -> List[Piece]:
        """The pieces of every shard."""
        return [piece for shard in self.shards for piece in shard.pieces]


def segment(
    source: Piece, source_lo: Sequence[int], target: Piece, target_lo: Sequence[int], shape: Sequence[int]
) -> Dict[str, Any]:
    """The copy of a box from one shard to another, given by where it begins in the tensor as each side has it.

    For a right copy the two are equal; a planner's answer is told as it gave it.
    """
    return {
        "shape": list(shape),
        "source": [source.rank, source.address(source_lo), list(source.strides)],
        "target": [target.rank, target.address(target_lo), list(target.strides)],
    }


def run_segment(source: Tuple[int, int], target: Tuple[int, int], elements: int) -> Dict[str, Any]:
    """The copy of a run of elements from (rank, offset) to (rank, offset)."""
    return {
        "shape": [elements],
        "source": [source[0], source[1], [1]],
        "target": [target[0], target[1], [1]],
    }


def elements_of_bytes(count: int, item_bytes: int) -> int:
    """Bytes as elements; a count that is no whole number of elements cannot be a planner's answer to us."""
    elements, rest = divmod(count, item_bytes)
    if rest:
        raise ValueError("%d bytes are no whole number of elements of %d bytes" % (count, item_bytes))
    return elements


def product(shape: Sequence[int]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


def row_major(shape: Sequence[int]) -> Tuple[int, ...]:
    """The strides of a tensor without gaps; those before an extent of 0 are 0."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


def coordinate(offset: int, shape: Sequence[int]) -> Tuple[int, ...]:
    """Where the element at an offset of a row-major tensor with elements is on each axis."""
    lo = []
    for stride in row_major(shape):
        index, offset = divmod(offset, stride)
        lo.append(index)
    return tuple(lo)


def same_strides(got: Sequence[int], want: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether two strides address a block alike: on an axis of extent 1 any stride does."""
    return all(a == b for a, b, extent in zip(got, want, shape) if extent > 1)


def intersection(
    lo: Sequence[int], shape: Sequence[int], other_lo: Sequence[int], other_shape: Sequence[int]
) -> Optional[Box]:
    """First coordinate and extents of what two boxes share, None where that is nothing."""
    low = tuple(max(a, b) for a, b in zip(lo, other_lo))
    extents = tuple(min(a + n, b + m) - c for a, n, b, m, c in zip(lo, shape, other_lo, other_shape, low))
    return None if any(extent <= 0 for extent in extents) else (low, extents)


def overlaps(boxes: Sequence[Box]) -> Iterable[Tuple[int, int]]:
    """The pairs of boxes, by number, that share an element.

    Sweeps along the axis on which the boxes begin at the most places. Raises Unsupported where that compares
    too many.
    """
    axes = len(boxes[0][0]) if boxes else 0
    axis = max(range(axes), key=lambda axis: len({lo[axis] for lo, _ in boxes}), default=None)
    compared, open_boxes = 0, []
    for i in sorted(range(len(boxes)), key=lambda i: boxes[i][0][axis] if axis is not None else 0):
        lo, shape = boxes[i]
        if axis is not None:
            open_boxes = [j for j in open_boxes if boxes[j][0][axis] + boxes[j][1][axis] > lo[axis]]
        compared += len(open_boxes)
        if compared > MAX_PAIRS:
            raise Unsupported("more pairs of pieces than the adapter compares, %d" % MAX_PAIRS)
        for j in open_boxes:
            if intersection(lo, shape, *boxes[j]):
                yield j, i
        open_boxes.append(i)


# Reading a parameter map. A planner of boxes is given boxes, so what a box cannot say is judged here: values
# that are no map, the shard side, and the holders that a piece names. The logical side is left to the planner:
# whether pieces of one rank overlap in the tensor, whether they cover it, whether both tensors are one.


def read_map(value: Any, side: str) -> Map:
    """The boxes of a parameter map.

    Raises Invalid where the value is no map, where the pieces of a shard do not fill it once, or where the
    holders that a piece names are not those that hold it; Unsupported where a legal piece is no row-major
    block of its shard.
    """
    where = _Where(side)
    fields = where.object(value, ("logical_shape", "ranks"), ("logical_shape", "ranks"))
    logical_shape = where.at("logical_shape").extents(fields["logical_shape"])
    shards = []
    ranks = where.at("ranks").dictionary(fields["ranks"])
    deferred = _Deferred()
    for key in ranks:
        rank = where.at("ranks").rank(key)
        shards.append(deferred.take(_read_shard, where.at("rank %d" % rank), rank, ranks[key], logical_shape))
    deferred.settle()
    shards.sort(key=lambda shard: shard.rank)
    read = Map(logical_shape, tuple(shards))
    _check_holders(where, read)
    return read


class _Deferred:
    """Puts off the first Unsupported until all was read: a corrupt map is Invalid before it is anything else."""

    def __init__(self) -> None:
        self.first: Optional[Unsupported] = None

    def take(self, read: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return read(*arguments)
        except Unsupported as refused:
            self.first = self.first or refused
            return None

    def settle(self) -> None:
        if self.first:
            raise self.first


class _Where:
    """A place in the request, for messages, and the strict readers of what should stand there."""

    def __init__(self, path: str):
        self.path = path

    def at(self, name: str) -> "_Where":
        return _Where("%s %s" % (self.path, name))

    def invalid(self, text: str, *values: Any) -> Invalid:
        return Invalid("%s: %s" % (self.path, text % values))

    def unsupported(self, text: str, *values: Any) -> Unsupported:
        return Unsupported("%s: %s" % (self.path, text % values))

    def dictionary(self, value: Any) -> Dict[str, Any]:
        if not isinstance(value, dict):
            raise self.invalid("an object is due, not %r", value)
        return value

    def object(self, value: Any, known: Sequence[str], required: Sequence[str]) -> Dict[str, Any]:
        fields = self.dictionary(value)
        for name in fields:
            if name not in known:
                raise self.invalid("unknown field %r", name)
        for name in required:
            if name not in fields:
                raise self.invalid("no %s", name)
        return fields

    def list(self, value: Any) -> List[Any]:
        if not isinstance(value, list):
            raise self.invalid("a list is due, not %r", value)
        return value

    def integer(self, value: Any) -> int:
        if type(value) is not int or not -INT64_MAX - 1 <= value <= INT64_MAX:
            raise self.invalid("an integer is due, not %r", value)
        return value

    def integers(self, value: Any) -> Tuple[int, ...]:
        return tuple(map(self.integer, self.list(value)))

    def extents(self, value: Any) -> Tuple[int, ...]:
        shape = self.integers(value)
        if any(extent < 0 for extent in shape):
            raise self.invalid("a negative extent in %s", list(shape))
        if product(shape) > INT64_MAX:
            raise self.unsupported("%s has more elements than an int64 counts", list(shape))
        return shape

    def rank(self, key: str) -> int:
        if not key.isascii() or not key.isdigit() or key != str(int(key)) or int(key) > INT64_MAX:
            raise self.invalid("%r is no rank", key)
        return int(key)

    def view(self, value: Any) -> Tuple[int, Tuple[int, ...]]:
        parts = self.list(value)
        if len(parts) != 2:
            raise self.invalid("an offset and strides are due, not %r", value)
        return self.integer(parts[0]), self.integers(parts[1])


def _read_shard(where: _Where, rank: int, value: Any, logical_shape: Tuple[int, ...]) -> Shard:
    fields = where.object(value, ("shard_shape", "pieces"), ("shard_shape", "pieces"))
    shape = where.at("shard").extents(fields["shard_shape"])
    deferred = _Deferred()
    pieces = []
    for index, entry in enumerate(where.list(fields["pieces"])):
        at = where.at("piece %d" % index)
        pieces.append(deferred.take(_read_piece, at, rank, index, entry, logical_shape, shape))
    placed = sum(product(entry["shape"]) for entry in fields["pieces"])
    if placed != product(shape):
        raise where.invalid("pieces of %d elements in a shard of %d", placed, product(shape))
    deferred.settle()
    placing = sorted((piece for piece in pieces if piece is not None), key=lambda piece: (piece.lo, piece.shape, piece.offset))
    shard = Shard(rank, shape, tuple(placing))
    _check_tiling(where, shard, len(logical_shape))
    return shard


def _read_piece(
    where: _Where, rank: int, index: int, value: Any, logical_shape: Tuple[int, ...], shard_shape: Tuple[int, ...]
) -> Optional[Piece]:
    """A piece as a box, None where it is empty and so places nothing."""
    known = ("shape", "source", "dest", "locations", "scale")
    fields = where.object(value, known, known[:4])
    shape = where.extents(fields["shape"])
    source_offset, source_strides = where.at("source").view(fields["source"])
    offset, strides = where.at("dest").view(fields["dest"])
    locations = where.at("locations").integers(fields["locations"])
    if not len(shape) == len(source_strides) == len(strides) == len(logical_shape):
        raise where.invalid(
            "%d extents, %d source and %d dest strides, where the tensor has %d axes",
            len(shape), len(source_strides), len(strides), len(logical_shape),
        )
    if not locations:
        raise where.invalid("names no holder")
    if len(set(locations)) != len(locations):
        raise where.invalid("names a holder twice: %s", list(locations))
    _check_scale(where, fields.get("scale", 1))
    if 0 in shape:
        return None
    if 0 in shard_shape:
        raise where.invalid("places %d elements in an empty shard", product(shape))
    deferred = _Deferred()
    lo = deferred.take(_block_lo, where.at("source"), shape, source_offset, source_strides, logical_shape)
    shard_strides = deferred.take(_shard_strides, where.at("dest"), shape, offset, strides, shard_shape)
    deferred.settle()
    return Piece(rank, index, lo, shape, offset, shard_strides, tuple(sorted(locations)))


def _check_scale(where: _Where, scale: Any) -> None:
    if type(scale) not in (int, float) or scale != scale or scale in (0, float("inf"), float("-inf")):
        raise where.invalid("the scale %r", scale)
    if scale != 1:
        raise where.unsupported("the scale %r", scale)


def _block_lo(
    where: _Where, shape: Tuple[int, ...], offset: int, strides: Tuple[int, ...], tensor: Tuple[int, ...]
) -> Tuple[int, ...]:
    """The first coordinate of a row-major block of a tensor."""
    axes = _axes_stepped(where, shape, strides, tensor)
    extents = [1] * len(tensor)
    for axis, extent in zip(axes, shape):
        extents[axis] = max(extents[axis], extent)
    coordinates, rest = [], offset
    for stride, extent in zip(row_major(tensor), tensor):
        coordinate, rest = divmod(rest, stride) if stride else (extent, rest)
        coordinates.append(coordinate)
    if rest or any(not 0 <= c <= room - n for c, room, n in zip(coordinates, tensor, extents)):
        raise where.invalid("a block of %s at %d is not inside %s", list(shape), offset, list(tensor))
    if axes != list(range(len(shape))):
        raise where.unsupported("a block of %s with the strides %s is turned in %s", list(shape), list(strides), list(tensor))
    return tuple(coordinates)


def _axes_stepped(where: _Where, shape: Tuple[int, ...], strides: Tuple[int, ...], tensor: Tuple[int, ...]) -> List[int]:
    """The tensor's axis along which each axis of a block steps.

    An axis of extent 1 has the stride of another: a block that is longer there lies along that other one.
    """
    steps = row_major(tensor)
    long = {step: axis for axis, (step, extent) in enumerate(zip(steps, tensor)) if extent > 1}
    axes = []
    for axis, (extent, stride) in enumerate(zip(shape, strides)):
        if extent > 1 and stride != steps[axis] and stride not in long:
            raise where.unsupported("strides %s are not the row-major ones of %s", list(strides), list(tensor))
        axes.append(axis if extent == 1 else long.get(stride, axis))
    return axes


def _shard_strides(
    where: _Where, shape: Tuple[int, ...], offset: int, strides: Tuple[int, ...], shard: Tuple[int, ...]
) -> Tuple[int, ...]:
    """The shard's strides on the tensor's axes: its row-major ones, or those of a run in a flat shard."""
    if len(shard) == len(shape):
        _block_lo(where, shape, offset, strides, shard)
        return row_major(shard)
    run = row_major(shape)
    if len(shard) != 1 or not same_strides(strides, run, shape):
        raise where.unsupported("strides %s into a shard of %s", list(strides), list(shard))
    if not 0 <= offset <= shard[0] - product(shape):
        raise where.invalid("%d elements at %d are not inside a shard of %d", product(shape), offset, shard[0])
    return run


def _check_tiling(where: _Where, shard: Shard, axes: int) -> None:
    """No two pieces of a shard are on one address: as many elements as it has then fill it."""
    for _ in overlaps([_shard_box(shard, piece, axes) for piece in shard.pieces]):
        raise where.invalid("two pieces on the same shard addresses")


def _shard_box(shard: Shard, piece: Piece, axes: int) -> Box:
    """A piece as a box of its shard."""
    if len(shard.shape) != axes:
        return (piece.offset,), (piece.elements,)
    return coordinate(piece.offset, shard.shape), piece.shape


def _check_holders(where: _Where, read: Map) -> None:
    """The holders that a piece names are the ranks that hold any of it, and each holds all of it."""
    held = _held(read)
    for piece in read.pieces:
        own = held[piece.lo, piece.shape]
        if sorted(own) != list(piece.locations) or any(elements < piece.elements for elements in own.values()):
            raise where.invalid(
                "rank %d piece %d names the holders %s, but ranks %s hold parts of it or all",
                piece.rank, piece.index, list(piece.locations), sorted(own),
            )


def _held(read: Map) -> Dict[Box, Dict[int, int]]:
    """How many elements of each piece's box each rank holds, those alone that hold any."""
    ranks_of: Dict[Box, Set[int]] = {}
    for piece in read.pieces:
        ranks_of.setdefault((piece.lo, piece.shape), set()).add(piece.rank)
    parts = {box: {rank: [box] for rank in ranks} for box, ranks in ranks_of.items()}
    distinct = list(ranks_of)
    for i, j in overlaps(distinct):
        one, other = distinct[i], distinct[j]
        shared = intersection(*one, *other)
        for box, ranks in ((one, ranks_of[other]), (other, ranks_of[one])):
            for rank in ranks:
                parts[box].setdefault(rank, []).append(shared)
    return {box: {rank: _elements(held) for rank, held in own.items()} for box, own in parts.items()}


def _elements(boxes: Sequence[Box]) -> int:
    """How many elements the boxes of one rank hold together, each counted once."""
    if len(boxes) < 2 or next(iter(overlaps(boxes)), None) is None:
        return sum(product(shape) for _, shape in boxes)
    if len(boxes) > MAX_OVERLAPPING:
        raise Invalid("a rank holds elements twice, in more than %d pieces" % MAX_OVERLAPPING)
    if not boxes[0][0]:
        return 1
    edges = sorted({edge for lo, shape in boxes for edge in (lo[0], lo[0] + shape[0])})
    return sum(
        (high - low) * _elements([(lo[1:], shape[1:]) for lo, shape in boxes if lo[0] <= low < lo[0] + shape[0]])
        for low, high in zip(edges, edges[1:])
    )


def replicas(shards: Sequence[Shard]) -> List[List[Shard]]:
    """Shards that all hold something, as whole copies of the tensor: the first has the lowest holder of each part.

    Raises Unsupported where they are no such copies, since some part has more holders than another.
    """
    alike: Dict[Tuple[int, ...], List[Shard]] = {}
    for shard in shards:
        if len({piece.locations for piece in shard.pieces}) > 1:
            raise Unsupported("rank %d holds parts that are held by different ranks" % shard.rank)
        alike.setdefault(shard.pieces[0].locations, []).append(shard)
    if len({len(holders) for holders in alike.values()}) > 1:
        raise Unsupported("parts of the tensor are held by different numbers of ranks")
    return [list(copy) for copy in zip(*alike.values())]


# Many planners say no in one way, whatever the reason. The kind is then worked out from the maps.


def refusal(reason: str, source: Map, target: Map) -> Refusal:
    """A planner's own refusal of two maps, of kind invalid where they contradict themselves or each other."""
    wrong = contradiction(source, target)
    return Invalid("%s: %s" % (wrong, reason)) if wrong else Unsupported(reason)


def contradiction(source: Map, target: Map) -> str:
    """What is wrong on the logical side of two maps that were read; empty where nothing is."""
    if source.logical_shape != target.logical_shape:
        return "the logical shapes differ"
    for side, read in (("source", source), ("target", target)):
        for shard in read.shards:
            for _ in overlaps([(piece.lo, piece.shape) for piece in shard.pieces]):
                return "%s rank %d holds an element twice" % (side, shard.rank)
        if _covered(read) != product(read.logical_shape):
            return "the %s does not cover the tensor" % side
    return ""


def _covered(read: Map) -> int:
    """The elements that some rank holds. An element with n holders is in n pieces that name n."""
    copies: Dict[int, int] = {}
    for piece in read.pieces:
        copies[len(piece.locations)] = copies.get(len(piece.locations), 0) + piece.elements
    return sum(elements // holders for holders, elements in copies.items())


# Loading a planner's own files.


def lazily(load: Callable[[], Plan]) -> Plan:
    """A planner that is loaded when it is first asked: one that takes long to import says hello in time."""
    loaded: List[Plan] = []

    def plan(request: Request) -> Any:
        if not loaded:
            loaded.append(load())
        return loaded[0](request)

    return plan


def bare_module(name: str, **values: Any) -> types.ModuleType:
    """Puts an empty module of this name, with these values, in place of one that is not to be imported."""
    module = types.ModuleType(name)
    for key, value in values.items():
        setattr(module, key, value)
    sys.modules[name] = module
    return module


def bare_package(name: str) -> types.ModuleType:
    """Puts an empty package where an installed one is, so that its files load without its own __init__.

    For "a.b" both a and a.b are made. Raises ModuleNotFoundError where the package is not installed.
    """
    parent, _, last = name.rpartition(".")
    if parent:
        above = sys.modules.get(parent) or bare_package(parent)
        path = [os.path.join(folder, last) for folder in above.__path__]
    else:
        spec = importlib.util.find_spec(name)
        if spec is None or not spec.submodule_search_locations:
            raise ModuleNotFoundError("no package %s is installed" % name, name=name)
        path = list(spec.submodule_search_locations)
    return bare_module(name, __path__=path)
