package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/shardproof/shardproof/plan"
)

// Limits of a picture: past them it says what it leaves out, as a screen holds no more.
const (
	maxDrawnElements = 1 << 20 // elements of one shard that are followed to draw it
	maxDrawnLines    = 64      // lines of one picture
	maxDrawnSegments = 64      // segments listed
	maxListedPieces  = 16      // pieces of a map that are listed under its picture
)

// DrawRequest draws both layouts of a request: which ranks hold which part of the logical tensor.
func DrawRequest(w io.Writer, request plan.Request) {
	DrawLayout(w, "source", request.Source)
	DrawLayout(w, "target", request.Target)
}

// DrawLayout draws a map as a table of the ranks that hold each part of the logical tensor, cut where any
// piece ends, and lists the pieces of a small map. One whose pieces are no boxes is listed alone.
func DrawLayout(w io.Writer, name string, m plan.Map) {
	fmt.Fprintf(w, "%s: %s over %s\n", name, shapeText(m.LogicalShape), ranksText(ranksOf(m)))
	blocks, violations := m.Blocks()
	if len(violations) > 0 {
		listPieces(w, m)
		return
	}
	drawCells(w, m, blocks)
	if len(blocks) <= maxListedPieces {
		listPieces(w, m)
	}
}

// listPieces says where each piece stands in the logical tensor and in its shard.
func listPieces(w io.Writer, m plan.Map) {
	var rows [][]string
	for _, shard := range inRankOrder(m) {
		for _, piece := range shard.Pieces {
			if len(rows) == maxDrawnLines {
				printTable(w, append(rows, []string{"  ..."}))
				return
			}
			row := []string{
				fmt.Sprintf("  rank %d", shard.Rank), shapeText(piece.Shape), "logical " + viewText(piece.Source),
				"shard " + viewText(piece.Dest), fmt.Sprintf("held by %v", piece.Locations),
			}
			if piece.Scale != nil {
				row = append(row, fmt.Sprintf("scale %v", *piece.Scale))
			}
			rows = append(rows, row)
		}
	}
	printTable(w, rows)
}

func inRankOrder(m plan.Map) []plan.Shard {
	shards := slices.Clone(m.Shards)
	slices.SortStableFunc(shards, func(a, b plan.Shard) int { return cmp.Compare(a.Rank, b.Rank) })
	return shards
}

// drawCells prints a row of the table for each combination of ranges on all axes but the last, and in it
// the holders of each range of the last axis. Equal neighbours on a line are already one range.
func drawCells(w io.Writer, m plan.Map, blocks []plan.Block) {
	axes := len(m.LogicalShape)
	cuts := make([][]int64, axes)
	for axis, extent := range m.LogicalShape {
		cuts[axis] = []int64{0, extent}
		for _, block := range blocks {
			cuts[axis] = append(cuts[axis], block.Lo[axis], block.Lo[axis]+block.Shape[axis])
		}
		slices.Sort(cuts[axis])
		cuts[axis] = slices.Compact(cuts[axis])
	}
	var rows [][]string
	cell := make([]int, axes)
	if axes == 0 {
		rows = append(rows, []string{"  scalar", holdersText(m, blocks, nil)})
	} else {
		rows = append(rows, append([]string{""}, rangesText(cuts[axes-1])...))
	}
	for more := axes > 0 && !slices.Contains(m.LogicalShape, 0); more && len(rows) < maxDrawnLines; more = nextCell(cell[:axes-1], cuts) {
		var label strings.Builder
		label.WriteString("  ")
		for axis := range axes - 1 {
			fmt.Fprintf(&label, "%d:%d ", cuts[axis][cell[axis]], cuts[axis][cell[axis]+1])
		}
		row := []string{label.String()}
		corner := make([]int64, axes)
		for axis := range axes - 1 {
			corner[axis] = cuts[axis][cell[axis]]
		}
		for _, low := range cuts[axes-1][:len(cuts[axes-1])-1] {
			corner[axes-1] = low
			row = append(row, holdersText(m, blocks, corner))
		}
		rows = append(rows, row)
	}
	if len(rows) == maxDrawnLines {
		rows = append(rows, []string{"  ..."})
	}
	printTable(w, rows)
}

// nextCell advances an odometer over the ranges between cuts, the last axis fastest.
func nextCell(cell []int, cuts [][]int64) bool {
	for axis := len(cell) - 1; axis >= 0; axis-- {
		if cell[axis]++; cell[axis] < len(cuts[axis])-1 {
			return true
		}
		cell[axis] = 0
	}
	return false
}

func rangesText(cuts []int64) []string {
	var ranges []string
	for i := range cuts[:len(cuts)-1] {
		ranges = append(ranges, fmt.Sprintf("%d:%d", cuts[i], cuts[i+1]))
	}
	return ranges
}

// holdersText lists the ranks with a block that holds the element at corner.
func holdersText(m plan.Map, blocks []plan.Block, corner []int64) string {
	var ranks []int
	for _, block := range blocks {
		if holds(block, corner) {
			ranks = append(ranks, m.Shards[block.Shard].Rank)
		}
	}
	slices.Sort(ranks)
	if len(ranks) == 0 {
		return "-"
	}
	return strings.Trim(fmt.Sprint(ranks), "[]")
}

func holds(block plan.Block, corner []int64) bool {
	for axis, at := range corner {
		if at < block.Lo[axis] || at >= block.Lo[axis]+block.Shape[axis] {
			return false
		}
	}
	return true
}

func printTable(w io.Writer, rows [][]string) {
	width := []int{}
	for _, row := range rows {
		for column, text := range row {
			if column == len(width) {
				width = append(width, 0)
			}
			width[column] = max(width[column], len(text))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for column, text := range row {
			fmt.Fprintf(&line, "%-*s  ", width[column], text)
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// DrawAnswer lists the copies of a plan, a letter each, and draws every target shard by the letter of the
// segment that writes each element. A dot is an element that nothing writes, # one that is written more than
// once, and a letter before ! one that holds another element than the target map wants there.
func DrawAnswer(w io.Writer, request plan.Request, answer plan.Answer) {
	moved := int64(0)
	for _, segment := range answer.Plan.Segments {
		n, _ := plan.Elements(segment.Shape)
		moved += n
	}
	fmt.Fprintf(w, "plan: %d segments, %d elements\n", len(answer.Plan.Segments), moved)
	rows := [][]string{}
	for i, segment := range answer.Plan.Segments {
		if i == maxDrawnSegments {
			rows = append(rows, []string{"  ...", fmt.Sprintf("and %d more", len(answer.Plan.Segments)-i)})
			break
		}
		rows = append(rows, []string{
			"  " + letters(i), shapeText(segment.Shape),
			fmt.Sprintf("source %d %s", segment.Source.Rank, viewText(segment.Source.View)),
			fmt.Sprintf("to target %d %s", segment.Target.Rank, viewText(segment.Target.View)),
		})
	}
	printTable(w, rows)
	for _, shard := range inRankOrder(request.Target) {
		drawShard(w, request, shard, answer.Plan.Segments)
	}
}

// drawShard draws one target shard. It follows elements, so it is for the small cases that people look at.
func drawShard(w io.Writer, request plan.Request, shard plan.Shard, segments []plan.Segment) {
	elements, ok := plan.Elements(shard.Shape)
	if shard.Undeclared || !ok || elements > maxDrawnElements {
		fmt.Fprintf(w, "target rank %d, shard %s: not drawn\n", shard.Rank, shapeText(shard.Shape))
		return
	}
	marks := make([]string, elements)
	for address := range marks {
		marks[address] = "."
	}
	wanted := labelsOf(shard, elements)
	sources := map[int][]int64{}
	for _, source := range request.Source.Shards {
		if n, ok := plan.Elements(source.Shape); ok && n <= maxDrawnElements && !source.Undeclared {
			sources[source.Rank] = labelsOf(source, n)
		}
	}
	for i, segment := range segments {
		if segment.Target.Rank != shard.Rank {
			continue
		}
		labels := sources[segment.Source.Rank]
		eachElement(segment.Shape, segment.Source.View, segment.Target.View, func(read, write int64) {
			if write < 0 || write >= elements {
				return
			}
			switch {
			case marks[write] != ".":
				marks[write] = "#"
			case read < 0 || read >= int64(len(labels)) || labels[read] != wanted[write]:
				marks[write] = letters(i) + "!"
			default:
				marks[write] = letters(i)
			}
		})
	}
	fmt.Fprintf(w, "target rank %d, shard %s\n", shard.Rank, shapeText(shard.Shape))
	printMarks(w, shard.Shape, marks)
}

// labelsOf gives the row-major logical index of each element of a shard, -1 where no piece places one.
func labelsOf(shard plan.Shard, elements int64) []int64 {
	labels := make([]int64, elements)
	for address := range labels {
		labels[address] = -1
	}
	for _, piece := range shard.Pieces {
		eachElement(piece.Shape, piece.Source, piece.Dest, func(logical, address int64) {
			if address >= 0 && address < elements {
				labels[address] = logical
			}
		})
	}
	return labels
}

// eachElement visits the two addresses of every element of a block, as far as a picture is worth; views
// with too few strides place nothing.
func eachElement(shape []int64, a, b plan.View, visit func(a, b int64)) {
	n, ok := plan.Elements(shape)
	if !ok || n > maxDrawnElements || len(a.Strides) != len(shape) || len(b.Strides) != len(shape) {
		return
	}
	index := make([]int64, len(shape))
	for range n {
		at, bt := a.Offset, b.Offset
		for axis, i := range index {
			at += i * a.Strides[axis]
			bt += i * b.Strides[axis]
		}
		visit(at, bt)
		for axis := len(index) - 1; axis >= 0; axis-- {
			if index[axis]++; index[axis] < shape[axis] {
				break
			}
			index[axis] = 0
		}
	}
}

// printMarks prints a line for each run of equal rows, and in it the runs of equal marks.
func printMarks(w io.Writer, shape []int64, marks []string) {
	columns := 1
	if len(shape) > 0 {
		columns = int(shape[len(shape)-1])
	}
	if len(marks) == 0 {
		fmt.Fprintln(w, "  (no elements)")
		return
	}
	lines := 0
	for first := 0; first < len(marks); lines++ {
		if lines == maxDrawnLines {
			fmt.Fprintln(w, "  ...")
			return
		}
		row := marks[first : first+columns]
		next := first + columns
		for next < len(marks) && slices.Equal(row, marks[next:next+columns]) {
			next += columns
		}
		fmt.Fprintf(w, "  rows %d:%d  %s\n", first/columns, next/columns, runsText(row))
		first = next
	}
}

func runsText(row []string) string {
	var runs []string
	for first := 0; first < len(row); {
		next := first
		for next < len(row) && row[next] == row[first] {
			next++
		}
		text := row[first]
		if next-first > 1 {
			text = fmt.Sprintf("%s x%d", text, next-first)
		}
		runs = append(runs, text)
		first = next
	}
	return strings.Join(runs, " | ")
}

// letters names the segments a, b, ..., z, aa, ab, ...
func letters(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('a'+(i-1)%26)) + name
	}
	return name
}

func shapeText(shape []int64) string {
	if len(shape) == 0 {
		return "scalar"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "x"), "[]")
}

func viewText(v plan.View) string {
	return fmt.Sprintf("at %d strides %v", v.Offset, v.Strides)
}

func ranksOf(m plan.Map) []int {
	var ranks []int
	for _, shard := range inRankOrder(m) {
		ranks = append(ranks, shard.Rank)
	}
	return ranks
}

func ranksText(ranks []int) string {
	if len(ranks) > 16 {
		return fmt.Sprintf("%d ranks, %d to %d", len(ranks), ranks[0], ranks[len(ranks)-1])
	}
	return "ranks " + strings.Trim(fmt.Sprint(ranks), "[]")
}
