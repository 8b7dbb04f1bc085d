"""Tests of shardproof_adapter: `python3 -m unittest shardproof_adapter_test` in this folder, no package needed."""

import itertools
import json
import os
import subprocess
import sys
import unittest

import shardproof_adapter as shardproof

HERE = os.path.dirname(os.path.abspath(__file__))


def piece(shape, source, dest, locations, **others):
    return {"shape": shape, "source": source, "dest": dest, "locations": locations, **others}


def rows(extents, columns, **others):
    """A map of rows split by the extents given, one rank each."""
    ranks, start = {}, 0
    for rank, extent in enumerate(extents):
        held = piece([extent, columns], [start * columns, [columns, 1]], [0, [columns, 1]], [rank], **others)
        ranks[str(rank)] = {"shard_shape": [extent, columns], "pieces": [held]}
        start += extent
    return {"logical_shape": [sum(extents), columns], "ranks": ranks}


def grid():
    """Every box in a 3x3 grid, and the elements that each holds."""
    intervals = [(low, extent) for low in range(3) for extent in range(1, 4 - low)]
    boxes = [((a, b), (n, m)) for a, n in intervals for b, m in intervals]
    return boxes, [set(itertools.product(range(a, a + n), range(b, b + m))) for (a, b), (n, m) in boxes]


def addresses(read):
    """By rank, the logical index of each shard address, counted out element by element."""
    steps = shardproof.row_major(read.logical_shape)
    held = {}
    for part in read.pieces:
        for index in itertools.product(*map(range, part.shape)):
            coordinate = [low + i for low, i in zip(part.lo, index)]
            logical = sum(c * step for c, step in zip(coordinate, steps))
            held.setdefault(part.rank, {})[part.address(coordinate)] = logical
    return held


# The map of formats.md: a fused parameter of 48x8, 32 rows split between two ranks and 16 held by both.
BIGCODE = {
    "logical_shape": [48, 8],
    "ranks": {
        "0": {
            "shard_shape": [32, 8],
            "pieces": [
                piece([16, 8], [0, [8, 1]], [0, [8, 1]], [0]),
                piece([16, 8], [256, [8, 1]], [128, [8, 1]], [0, 1]),
            ],
        },
        "1": {
            "shard_shape": [32, 8],
            "pieces": [
                piece([16, 8], [128, [8, 1]], [0, [8, 1]], [1]),
                piece([16, 8], [256, [8, 1]], [128, [8, 1]], [0, 1]),
            ],
        },
    },
}


class Boxes(unittest.TestCase):
    def test_places(self):
        read = shardproof.read_map(BIGCODE, "source")
        self.assertEqual(
            [(p.rank, p.lo, p.hi, p.offset, p.strides, p.locations) for p in read.pieces],
            [
                (0, (0, 0), (16, 8), 0, (8, 1), (0,)),
                (0, (32, 0), (48, 8), 128, (8, 1), (0, 1)),
                (1, (16, 0), (32, 8), 0, (8, 1), (1,)),
                (1, (32, 0), (48, 8), 128, (8, 1), (0, 1)),
            ],
        )

    def test_order_of_pieces_means_nothing(self):
        turned = json.loads(json.dumps(BIGCODE))
        for shard in turned["ranks"].values():
            shard["pieces"].reverse()
        turned["ranks"] = dict(reversed(turned["ranks"].items()))
        strip = lambda read: [(p.rank, p.lo, p.offset) for p in read.pieces]  # noqa: E731
        self.assertEqual(strip(shardproof.read_map(turned, "s")), strip(shardproof.read_map(BIGCODE, "s")))

    def test_every_element_keeps_its_address(self):
        columns = {
            "logical_shape": [3, 4],
            "ranks": {
                "7": {"shard_shape": [3, 3], "pieces": [
                    piece([3, 1], [3, [4, 1]], [0, [3, 1]], [7]),
                    piece([3, 2], [0, [4, 1]], [1, [3, 1]], [7])]},
                "9": {"shard_shape": [3, 1], "pieces": [piece([3, 1], [2, [4, 5]], [0, [1, 1]], [9])]},
            },
        }
        want = {
            7: {0: 3, 1: 0, 2: 1, 3: 7, 4: 4, 5: 5, 6: 11, 7: 8, 8: 9},
            9: {0: 2, 1: 6, 2: 10},
        }
        self.assertEqual(addresses(shardproof.read_map(columns, "source")), want)

    def test_flat_shard(self):
        flat = {
            "logical_shape": [2, 3],
            "ranks": {"0": {"shard_shape": [6], "pieces": [
                piece([1, 1], [2, [3, 1]], [0, [1, 1]], [0]),
                piece([1, 3], [3, [3, 1]], [1, [3, 1]], [0]),
                piece([1, 2], [0, [3, 1]], [4, [2, 1]], [0])]}},
        }
        self.assertEqual(addresses(shardproof.read_map(flat, "source")), {0: {0: 2, 1: 3, 2: 4, 3: 5, 4: 0, 5: 1}})

    def test_empty(self):
        empty = {"logical_shape": [0, 3], "ranks": {"0": {"shard_shape": [0, 3], "pieces": [
            piece([0, 3], [99, [1, 7]], [-5, [0, 0]], [0])]}}}
        self.assertEqual(shardproof.read_map(empty, "source").pieces, [])
        scalar = {"logical_shape": [], "ranks": {"3": {"shard_shape": [], "pieces": [piece([], [0, []], [0, []], [3])]}}}
        self.assertEqual(addresses(shardproof.read_map(scalar, "source")), {3: {0: 0}})

    def test_runs(self):
        part = shardproof.Piece(0, 0, (4, 2), (2, 3), 10, (5, 1), (0,))
        cut = part.runs(10)
        self.assertEqual([(p.lo, p.shape, p.offset) for p in cut], [((4, 2), (1, 3), 10), ((5, 2), (1, 3), 15)])
        self.assertEqual([p.lo for p in cut[0].runs(1)], [(4, 2)])
        with self.assertRaises(shardproof.Unsupported):
            part.runs(1)

    def test_coordinate(self):
        for shape in ([], [4], [2, 1, 3]):
            want = list(itertools.product(*map(range, shape)))
            self.assertEqual([shardproof.coordinate(offset, shape) for offset in range(len(want))], want)

    def test_segment(self):
        a = shardproof.Piece(1, 0, (4, 0), (4, 8), 16, (8, 1), (1,))
        b = shardproof.Piece(2, 0, (0, 2), (8, 2), 0, (2, 1), (2,))
        lo, shape = a.overlap(b)
        self.assertEqual(
            shardproof.segment(a, lo, b, lo, shape),
            {"shape": [4, 2], "source": [1, 18, [8, 1]], "target": [2, 8, [2, 1]]},
        )
        self.assertEqual(
            shardproof.run_segment((1, 18), (2, 8), 2),
            {"shape": [2], "source": [1, 18, [1]], "target": [2, 8, [1]]},
        )
        self.assertEqual(shardproof.elements_of_bytes(36, 2), 18)
        with self.assertRaises(ValueError):
            shardproof.elements_of_bytes(37, 2)


    def test_overlaps(self):
        """Every pair of the boxes in a 3x3 grid, against the elements that they hold."""
        boxes, cells = grid()
        want = {(i, j) for i, j in itertools.combinations(range(len(boxes)), 2) if cells[i] & cells[j]}
        got = [tuple(sorted(pair)) for pair in shardproof.overlaps(boxes)]
        self.assertEqual(sorted(got), sorted(want))
        self.assertEqual(list(shardproof.overlaps([((), ()), ((), ())])), [(0, 1)])

    def test_elements(self):
        """Every three of the boxes in a 3x3 grid, against the elements that they hold."""
        for three in itertools.combinations(list(zip(*grid())), 3):
            boxes, cells = zip(*three)
            self.assertEqual(shardproof._elements(boxes), len(set.union(*cells)), boxes)
        self.assertEqual(shardproof._elements([((), ())] * 2), 1)
        self.assertRaises(shardproof.Invalid, shardproof._elements, [((i,), (99,)) for i in range(99)])

    def test_many_pieces(self):
        """Thousands of pieces, in time to answer: a sweep does not compare each with each."""
        self.assertEqual(len(shardproof.read_map(rows([1] * 4096, 2), "source").pieces), 4096)
        overlapping = [((0, i), (9, 9000)) for i in range(1000)]
        self.assertRaises(shardproof.Unsupported, list, shardproof.overlaps(overlapping))


class Refusals(unittest.TestCase):
    """Each map is BIGCODE or two rows of ranks, with one thing changed."""

    def refused(self, kind, change, base=BIGCODE):
        value = json.loads(json.dumps(base))
        change(value)
        with self.assertRaises(kind) as caught:
            shardproof.read_map(value, "source")
        return str(caught.exception)

    def at(self, *path):
        """A change that puts the last of the path where the rest of it leads."""
        *keys, name, new = path

        def change(value):
            for key in keys:
                value = value[key]
            value[name] = new

        return change

    def test_no_map(self):
        for value in (None, 3, [], {}, {"logical_shape": [2]}, {"logical_shape": [2], "ranks": []}):
            with self.assertRaises(shardproof.Invalid, msg=repr(value)):
                shardproof.read_map(value, "source")

    def test_integers(self):
        for bad in (4.0, 4.7, "4", True, None, 2**63, [4]):
            self.refused(shardproof.Invalid, self.at("logical_shape", 0, bad))
            self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 0, "shape", 0, bad))
            self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 0, "dest", 0, bad))
            self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 0, "locations", 0, bad))

    def test_ranks(self):
        for key in ("-1", "00", "+1", "1.0", "", " 1", "\u0661", str(2**63)):
            self.refused(shardproof.Invalid, lambda value: value["ranks"].update({key: value["ranks"]["1"]}))

    def test_fields(self):
        self.refused(shardproof.Invalid, self.at("ranks", "0", "note", 1))
        self.refused(shardproof.Invalid, lambda value: value["ranks"]["0"].pop("shard_shape"))
        self.refused(shardproof.Invalid, lambda value: value["ranks"]["0"].pop("pieces"))
        self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 0, "dest", [0]))

    def test_form(self):
        self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 0, "source", 1, [8]))
        self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 0, "locations", []))
        self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 1, "locations", [0, 0]))
        self.refused(shardproof.Invalid, self.at("ranks", "0", "shard_shape", 0, -32))

    def test_scale(self):
        for scale in (0, 0.0, True, "1", float("nan"), float("inf")):
            self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 0, "scale", scale))
        self.refused(shardproof.Unsupported, self.at("ranks", "0", "pieces", 0, "scale", 0.5))
        shardproof.read_map(rows([2, 2], 3, scale=1.0), "source")

    def test_geometry(self):
        self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 0, "source", 0, 264))
        self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 0, "source", 0, 1))
        self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 0, "dest", 0, -8))
        self.refused(shardproof.Unsupported, self.at("ranks", "0", "pieces", 0, "source", 1, [1, 8]), rows([8], 8))
        self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 0, "source", 1, [1, 8]))  # 16 of 8 columns
        self.refused(shardproof.Unsupported, self.at("ranks", "0", "pieces", 0, "dest", 1, [16, 2]))

    def test_turned_along_an_axis_of_one(self):
        """In 4x1 the strides are 1 and 1: a block of 1x4 is the column, lying along the other axis."""
        column = {"logical_shape": [4, 1], "ranks": {"0": {"shard_shape": [4, 1], "pieces": [
            piece([1, 4], [0, [1, 1]], [0, [1, 1]], [0])]}}}
        self.refused(shardproof.Unsupported, lambda value: None, column)
        self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 0, "source", 0, 1), column)

    def test_shard(self):
        text = self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 1, "dest", 0, 0))
        self.assertIn("same shard addresses", text)
        text = self.refused(shardproof.Invalid, self.at("ranks", "0", "shard_shape", [40, 8]))
        self.assertIn("256 elements in a shard of 320", text)
        self.refused(shardproof.Invalid, self.at("ranks", "0", "shard_shape", [0, 8]))

    def test_holders(self):
        for locations in ([1], [0, 1], [0, 5]):
            text = self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 0, "locations", locations))
            self.assertIn("names the holders", text)
        self.refused(shardproof.Invalid, self.at("ranks", "0", "pieces", 1, "locations", [0]))

    def test_part_held_twice_is_not_the_whole(self):
        """Both ranks are said to hold rows 0:3; rank 1 has as many rows, but one of them twice and so another not."""
        for blocks in ([(0, 2), (1, 1)], [(0, 1), (0, 2)], [(0, 1), (0, 1), (1, 1)]):
            value, address = rows([3], 2), 0
            value["ranks"]["0"]["pieces"][0]["locations"] = [0, 1]
            value["ranks"]["1"] = {"shard_shape": [3, 2], "pieces": []}
            for low, extent in blocks:
                held = piece([extent, 2], [low * 2, [2, 1]], [address * 2, [2, 1]], [0, 1])
                value["ranks"]["1"]["pieces"].append(held)
                address += extent
            with self.assertRaises(shardproof.Invalid) as caught:
                shardproof.read_map(value, "source")
            self.assertIn("rank 0 piece 0 names the holders", str(caught.exception))

    def test_invalid_before_unsupported(self):
        def both(value):
            value["ranks"]["0"]["pieces"][0]["scale"] = 0.5
            value["ranks"]["1"]["pieces"][1]["locations"] = []

        self.refused(shardproof.Invalid, both)
        request = shardproof.Request(rows([2, 2], 3, scale=0.5), {"logical_shape": [4, 3]})
        self.assertRaises(shardproof.Invalid, request.boxes)

    def test_kind_of_a_planners_refusal(self):
        good = shardproof.read_map(rows([2, 2], 3), "source")
        twice = rows([2, 2], 3)
        twice["ranks"]["1"]["pieces"][0]["source"][0] = 0
        for rank in "01":
            twice["ranks"][rank]["pieces"][0]["locations"] = [0, 1]
        gap = shardproof.read_map(twice, "target")
        self.assertIsInstance(shardproof.refusal("no", good, good), shardproof.Unsupported)
        self.assertIsInstance(shardproof.refusal("no", good, gap), shardproof.Invalid)
        self.assertIsInstance(shardproof.refusal("no", shardproof.read_map(rows([4], 1), "s"), good), shardproof.Invalid)

    def test_replicas(self):
        copies = shardproof.replicas(shardproof.read_map(rows([2, 2], 3), "source").shards)
        self.assertEqual([[shard.rank for shard in copy] for copy in copies], [[0, 1]])
        self.assertRaises(shardproof.Unsupported, shardproof.replicas, shardproof.read_map(BIGCODE, "source").shards)


class Selectors(unittest.TestCase):
    def test_choose(self):
        for selector, target, want in (
            ({}, 3, 1),
            ({"policy": "highest"}, 3, 5),
            ({"policy": "local"}, 3, 3),
            ({"policy": "local"}, 2, 1),
            ({"prefer": {"2": [9, 5, 3]}}, 2, 5),
            ({"prefer": {"2": [9]}}, 2, 1),
            ({"prefer": {"2": [5]}}, 3, 1),
            ({"cost": [[1, 2, 7], [3, 2, 4], [5, 2, 4]]}, 2, 3),
            ({"cost": [[1, 2, 7]]}, 3, 1),
            ({"returns": True}, 3, True),
        ):
            got = shardproof.choose(selector, target, [1, 3, 5])
            self.assertEqual(repr(got), repr(want), "%s for target %d" % (selector, target))


class Protocol(unittest.TestCase):
    hello = shardproof.Hello("test", "1", ["prefer"], max_inflight=4)

    def reply(self, message, plan):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        return json.loads(shardproof.reply(line, plan, self.hello))

    def test_hello(self):
        self.assertEqual(
            self.reply({"hello": {"protocol": 1}}, None),
            {"hello": {"protocol": 1, "planner": "test", "version": "1", "features": ["prefer"],
                       "holder": "lowest", "max_inflight": 4}},
        )

    def test_answers(self):
        def raises(error):
            def plan(request):
                raise error
            return plan

        for plan, want in (
            (lambda request: [], {"segments": []}),
            (lambda request: shardproof.Answer([], 0, ()), {"segments": [], "moved_elements": 0, "logical_shape": []}),
            (raises(shardproof.OverBudget("much")), {"refused": {"kind": "budget", "message": "much"}}),
            (raises(shardproof.BadSelection("9")), {"refused": {"kind": "selector", "message": "9"}}),
            (raises(ZeroDivisionError("by zero")), {"error": "ZeroDivisionError: by zero"}),
            (lambda request: [float("nan")], {"error": "ValueError: Out of range float values are not JSON compliant"}),
        ):
            with self.assertStderr():
                got = self.reply({"plan": {"id": 17}}, plan)
            if "error" in want:
                self.assertTrue(got.pop("error", "").startswith(want.pop("error")), got)
            self.assertEqual(got, {"id": 17, **want})

    def assertStderr(self):
        """Keeps the planner's log, which goes to standard error, out of the test's."""
        import contextlib
        import io

        return contextlib.redirect_stderr(io.StringIO())

    def test_more_than_the_protocol_can_say(self):
        got = self.reply({"plan": {"id": 1}}, lambda request: shardproof.Answer([], 2**63))
        self.assertEqual(got["refused"]["kind"], "unsupported")

    def test_request(self):
        asked = []
        self.reply({"plan": {"id": 1, "source": 1, "target": 2, "selector": {"policy": "local"}, "budget": {"max_ndim": 3}}},
                   lambda request: asked.append(request) or [])
        self.assertEqual(asked, [shardproof.Request(1, 2, {"policy": "local"}, {"max_ndim": 3})])

    def test_unreadable_request(self):
        for text in (b'{"plan":{"id":5,"source":{"a":1,"a":2}}}', b'{"plan":{"id":5,"source":NaN}}'):
            self.assertEqual(self.reply(text, None)["refused"]["kind"], "invalid")
        for text in (b"", b"[]", b"{", b'{"plan":{}}', b'{"plan":{"id":1.0}}', b'{"other":1}'):
            self.assertRaises(shardproof.ProtocolError, self.reply, text, None)


class Process(unittest.TestCase):
    """A planner as the judge runs it."""

    program = """
import os, sys
sys.path.insert(0, %r)
import shardproof_adapter as shardproof
output = shardproof.claim_output()
print("noise before")
def plan(request):
    print("noise within")
    os.system("echo noise beneath")
    return []
shardproof.serve(plan, shardproof.Hello("noisy", "1"), output)
""" % HERE

    def run_planner(self, text):
        done = subprocess.run([sys.executable, "-c", self.program], input=text, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def test_output_holds_answers_alone(self):
        status, lines, log = self.run_planner(b'{"hello":{"protocol":1}}\n\n{"plan":{"id":1}}\n{"plan":{"id":2}}')
        self.assertEqual(status, 0)
        self.assertEqual([json.loads(line).get("id") for line in lines], [None, 1, 2])
        self.assertEqual(log.count(b"noise before") + log.count(b"noise within") + log.count(b"noise beneath"), 5)

    def test_answers_before_the_input_ends(self):
        planner = subprocess.Popen([sys.executable, "-c", self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        with planner:
            for identity in (1, 2):
                planner.stdin.write(b'{"plan":{"id":%d}}\n' % identity)
                planner.stdin.flush()
                self.assertEqual(json.loads(planner.stdout.readline())["id"], identity)
            planner.stdin.close()
        self.assertEqual(planner.returncode, 0)

    def test_long_lines(self):
        long = b'{"plan":{"id":1,"source":"' + b"x" * 300000 + b'"}}\n'
        status, lines, _ = self.run_planner(long + long)
        self.assertEqual((status, len(lines)), (0, 2))


if __name__ == "__main__":
    unittest.main()
