package doctor

import (
	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/props"
)

// An advised is a kind of problem and how it is put right: a fault's name, a step's own kind, or what a verdict
// names as broken.
type advised struct{ kind, text string }

const noiseAdvice = "Something else than the answer was written to standard output. That belongs to the protocol alone: print to " +
	"standard error, and keep libraries from printing by pointing descriptor 1 at standard error before they load."

var advice = []advised{
	{"start", "The command is run by /bin/sh. Check that it is found, is executable and starts by itself in a terminal."},
	{"hello", `Answer {"hello": {"protocol": 1}} with one line such as {"hello": {"protocol": 1, "planner": "name", "version": "1.0"}}.`},
	{"hang", "Nothing came in time. Write one line for each line that is read, flush standard output after each, and do not wait for the end of the input before the first answer."},
	{"exit", "The program ended before it answered. Read lines in a loop until the input ends; its last words say why it stopped."},
	{"signal", "The program was killed by a signal: it crashed, or ran out of memory."},
	{"closed its output", "Standard output was closed while the program still runs. Keep it open until the input ends."},
	{"line too long", "One line of output never ended. Write an answer, then one line end."},
	{"answer", `An answer is one line: {"id": 1, "segments": [{"shape": [...], "source": [rank, offset, [strides]], "target": [rank, offset, [strides]]}]} or ` +
		`{"id": 1, "refused": {"kind": "invalid", "message": "..."}}. Counts are integers: 8 and not 8.0; there is no NaN.`},
	{"id", "Give each answer the id of its request."},
	{"error", "An \"error\" is the planner's own failure and counts as a fault. What it cannot or must not plan is to be refused, with a kind."},
	{"end", "Leave the loop when reading gives nothing more, and exit with status 0."},
	{"malformed", "A line that cannot be read has no plan. Answer with an error, or exit."},
	{"malformed hang", "A line that cannot be read must not stop the program for good: it is to end, or to go on reading, once its input ends."},
	{props.OutcomeID, "A request with a corrupt map is refused as invalid, geometry that the planner does not express as unsupported, and anything else is planned."},
	{string(oracle.Valid), "A segment names ranks that the maps have, extents of at least 1, and as many strides as extents."},
	{string(oracle.Bounds), "Offsets and strides of a segment count elements of the two shards, not of the whole tensor and not bytes."},
	{string(oracle.Cover), "Some element of a target shard is written by no segment. Each target piece is covered by what source pieces have in common with it."},
	{string(oracle.Once), "Some element is written twice: replicas of a region on the source side are read once for each target."},
	{string(oracle.Values), "Reads are addressed by the dest side of a source piece and writes by the dest side of a target piece, both advanced to what the two pieces have in common."},
	{string(oracle.Holder), `A replicated region is read from the lowest rank in its locations. A planner with a rule of its own says "holder": "any" in its hello.`},
	{string(oracle.Moved), "moved_elements is the sum of the products of the segments' shapes. It may be left out."},
}
