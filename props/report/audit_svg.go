package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/shardproof/shardproof/oracle"
	"github.com/shardproof/shardproof/plan"
)

// Limits of a drawing: past them it is left out, and the page lists pieces and copies instead.
const (
	maxSVGRows     = 24
	maxSVGColumns  = 24
	maxSVGShards   = 8    // of one side, where copies are drawn
	maxSVGElements = 4096 // of one shard, where copies are drawn
	maxSVGSegments = 40
	svgWidth       = 340 // of every drawing: what a telephone shows at full size
	svgText        = 11  // the size of letters
)

// A drawing is an SVG under way.
type drawing struct {
	strings.Builder
	height float64
}

func (d *drawing) text(x, y float64, anchor, class, text string) {
	fmt.Fprintf(d, `<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`, x, y, anchor, class, html.EscapeString(text))
}

// rect draws a rectangle; a title is shown by a pointer that rests on it.
func (d *drawing) rect(x, y, width, height float64, attributes, title string) {
	fmt.Fprintf(d, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" %s>`, x, y, width, height, attributes)
	if title != "" {
		fmt.Fprintf(d, "<title>%s</title>", html.EscapeString(title))
	}
	d.WriteString("</rect>")
}

// done is the whole drawing. The label says what it shows to those who cannot see it.
func (d *drawing) done(label string) template.HTML {
	return template.HTML(fmt.Sprintf(
		`<svg viewBox="0 0 %d %.0f" width="%d" height="%.0f" role="img" aria-label="%s">%s</svg>`,
		svgWidth, d.height, svgWidth, d.height, html.EscapeString(label), d.String()))
}

// colour is that of a thing by its number: hues that stay apart whatever how many there are.
func colour(i int) string {
	return fmt.Sprintf("hsl(%.0f 70%% 78%%)", math.Mod(210+float64(i)*137.5, 360))
}

// strong is the same hue, for lines.
func strong(i int) string {
	return fmt.Sprintf("hsl(%.0f 75%% 38%%)", math.Mod(210+float64(i)*137.5, 360))
}

// layoutSVG draws a map: a cell for each part of the tensor between cuts, in the colours of the ranks that hold it
// and with their numbers. The last axis runs to the right, and there is a line for each part of the others. It is
// empty where the pieces are no boxes or the cells too many.
func layoutSVG(name string, m plan.Map) template.HTML {
	blocks, violations := m.Blocks()
	if len(violations) > 0 || slices.Contains(m.LogicalShape, 0) {
		return ""
	}
	axes := len(m.LogicalShape)
	cuts := cutsOf(m, blocks)
	lines, columns := 1, 1
	for axis := range axes {
		if axis == axes-1 {
			columns = len(cuts[axis]) - 1
		} else {
			lines *= len(cuts[axis]) - 1
		}
	}
	if lines > maxSVGRows || columns > maxSVGColumns {
		return ""
	}
	d := &layoutDrawing{m: m, blocks: blocks, cuts: cuts, ranks: ranksOf(m)}
	d.place(lines)
	d.columnLabels()
	cell := make([]int, max(axes-1, 0))
	for line := range lines {
		d.line(line, cell)
		nextCell(cell, cuts)
	}
	return d.done(fmt.Sprintf("%s layout: %s over %s", name, shapeText(m.LogicalShape), ranksText(d.ranks)))
}

// cutsOf lists, for each axis, where any piece begins or ends.
func cutsOf(m plan.Map, blocks []plan.Block) [][]int64 {
	cuts := make([][]int64, len(m.LogicalShape))
	for axis, extent := range m.LogicalShape {
		cuts[axis] = []int64{0, extent}
		for _, block := range blocks {
			cuts[axis] = append(cuts[axis], block.Lo[axis], block.Lo[axis]+block.Shape[axis])
		}
		slices.Sort(cuts[axis])
		cuts[axis] = slices.Compact(cuts[axis])
	}
	return cuts
}

const (
	layoutTop  = 18 // room for the labels of columns
	layoutLine = 22 // the height of a line
)

type layoutDrawing struct {
	drawing
	m      plan.Map
	blocks []plan.Block
	cuts   [][]int64
	ranks  []int
	left   float64   // room for the labels of lines
	edges  []float64 // of the columns
}

// place lays out the columns: the wider, the more elements they stand for, on a scale of logarithms.
func (d *layoutDrawing) place(lines int) {
	d.height = layoutTop + float64(lines)*layoutLine + 2
	longest := 0
	for axis := range max(len(d.cuts)-1, 0) {
		widest := 0
		for _, text := range rangesText(d.cuts[axis]) {
			widest = max(widest, len(text)+1)
		}
		longest += widest
	}
	d.left = min(float64(longest)*6.2+2, svgWidth/2)
	weights := []float64{1}
	if axes := len(d.cuts); axes > 0 {
		weights = weights[:0]
		last := d.cuts[axes-1]
		for i := range last[:len(last)-1] {
			weights = append(weights, 1+math.Log2(float64(last[i+1]-last[i])+1)/2)
		}
	}
	total := 0.0
	for _, weight := range weights {
		total += weight
	}
	at := d.left
	d.edges = []float64{at}
	for _, weight := range weights {
		at += min(weight/total*(svgWidth-d.left-1), 110*weight/weights[0])
		d.edges = append(d.edges, at)
	}
}

func (d *layoutDrawing) columnLabels() {
	if len(d.cuts) == 0 {
		return
	}
	for i, text := range rangesText(d.cuts[len(d.cuts)-1]) {
		if width := d.edges[i+1] - d.edges[i]; float64(len(text))*6 <= width {
			d.text((d.edges[i]+d.edges[i+1])/2, 12, "middle", "axis", text)
		}
	}
}

// line draws the cells of one part of all axes but the last.
func (d *layoutDrawing) line(line int, cell []int) {
	y := layoutTop + float64(line)*layoutLine
	corner := make([]int64, len(d.cuts))
	var label strings.Builder
	for axis, at := range cell {
		corner[axis] = d.cuts[axis][at]
		fmt.Fprintf(&label, "%d:%d ", d.cuts[axis][at], d.cuts[axis][at+1])
	}
	d.text(d.left-4, y+15, "end", "axis", strings.TrimSpace(label.String()))
	for column := range d.edges[:len(d.edges)-1] {
		where := label.String()
		if last := len(d.cuts) - 1; last >= 0 {
			corner[last] = d.cuts[last][column]
			where += fmt.Sprintf("%d:%d", d.cuts[last][column], d.cuts[last][column+1])
		}
		d.cell(d.edges[column], y, d.edges[column+1]-d.edges[column], where, d.holders(corner))
	}
}

func (d *layoutDrawing) holders(corner []int64) []int {
	var ranks []int
	for _, block := range d.blocks {
		if holds(block, corner) {
			ranks = append(ranks, d.m.Shards[block.Shard].Rank)
		}
	}
	slices.Sort(ranks)
	return ranks
}

// cell draws one part of the tensor: a stripe for each rank that holds it.
func (d *layoutDrawing) cell(x, y, width float64, where string, holders []int) {
	title := where + " held by " + strings.Trim(fmt.Sprint(holders), "[]")
	if len(holders) == 0 {
		d.rect(x, y, width, layoutLine, `class="none"`, where+" held by nobody")
		return
	}
	for i, rank := range holders {
		stripe := width / float64(len(holders))
		place, _ := slices.BinarySearch(d.ranks, rank)
		d.rect(x+float64(i)*stripe, y, stripe, layoutLine, fmt.Sprintf(`fill="%s"`, colour(place)), title)
	}
	d.rect(x, y, width, layoutLine, `class="edge"`, title)
	text := strings.Trim(fmt.Sprint(holders), "[]")
	if float64(len(text))*6.4 > width-4 {
		text = fmt.Sprintf("%d..", holders[0])
	}
	if float64(len(text))*6.4 <= width {
		d.text(x+width/2, y+15, "middle", "mark", text)
	}
}

// copiesSVG draws the shards of both sides, element by element where equal neighbours are one cell, with the
// letter of the segment that reads or writes each, and a line for each segment. The first wrong element and the
// place that it was read from are ringed. It is empty where there is too much to draw.
func copiesSVG(request plan.Request, answer plan.Answer, wrong *oracle.Element) template.HTML {
	segments := answer.Plan.Segments
	if len(segments) > maxSVGSegments || len(request.Source.Shards) > maxSVGShards || len(request.Target.Shards) > maxSVGShards {
		return ""
	}
	d := &copiesDrawing{}
	sources, fit := shardGrids("source", request.Source)
	targets, fitToo := shardGrids("target", request.Target)
	if !fit || !fitToo {
		return ""
	}
	for i, segment := range segments {
		from, to := gridOf(sources, segment.Source.Rank), gridOf(targets, segment.Target.Rank)
		eachElement(segment.Shape, segment.Source.View, segment.Target.View, func(read, write int64) {
			from.add(read, i)
			to.add(write, i)
		})
	}
	if wrong != nil {
		gridOf(targets, wrong.TargetRank).ring(wrong.Address)
		gridOf(sources, wrong.SourceRank).ring(wrong.SourceAddress)
	}
	if !d.column(sources, 0) || !d.column(targets, svgWidth-copiesWidth) {
		return ""
	}
	for i := range segments {
		d.join(i, gridOf(sources, segments[i].Source.Rank), gridOf(targets, segments[i].Target.Rank))
	}
	d.height += 4
	d.WriteString(d.cells.String())
	return d.done(fmt.Sprintf("%d copies from source shards on the left to target shards on the right", len(segments)))
}

const (
	copiesWidth = 140 // of the shards of one side
	copiesTop   = 16  // room for the name of a shard
	copiesLine  = 18
)

// A shardGrid is one shard as rows of elements, each with the segments that touch it.
type shardGrid struct {
	name    string
	rank    int
	columns int
	marks   []elementMark
	// Where each segment's elements stand in the drawing, once that is known: the middle of them.
	middle map[int][2]float64
}

type elementMark struct {
	first int // the segment that touches the element; -1: none
	many  bool
	ring  bool
}

func shardGrids(side string, m plan.Map) ([]*shardGrid, bool) {
	var grids []*shardGrid
	for _, shard := range m.Shards {
		elements, ok := plan.Elements(shard.Shape)
		if !ok || elements > maxSVGElements {
			return nil, false
		}
		g := &shardGrid{name: fmt.Sprintf("%s %d: %s", side, shard.Rank, shapeText(shard.Shape)), rank: shard.Rank, columns: 1}
		if n := len(shard.Shape); n > 0 {
			g.columns = int(max(shard.Shape[n-1], 1))
		}
		g.marks = slices.Repeat([]elementMark{{first: -1}}, int(elements))
		g.middle = map[int][2]float64{}
		grids = append(grids, g)
	}
	slices.SortStableFunc(grids, func(a, b *shardGrid) int { return a.rank - b.rank })
	return grids, true
}

func gridOf(grids []*shardGrid, rank int) *shardGrid {
	for _, g := range grids {
		if g.rank == rank {
			return g
		}
	}
	return nil
}

func (g *shardGrid) add(address int64, segment int) {
	if g == nil || address < 0 || address >= int64(len(g.marks)) {
		return
	}
	mark := &g.marks[address]
	mark.many = mark.many || mark.first >= 0
	if mark.first < 0 {
		mark.first = segment
	}
}

func (g *shardGrid) ring(address int64) {
	if g != nil && address >= 0 && address < int64(len(g.marks)) {
		g.marks[address].ring = true
	}
}

// compressed lists the rows, and the columns, that differ from the one before.
func (g *shardGrid) compressed() (rows, columns []int) {
	count := len(g.marks) / g.columns
	at := func(row, column int) elementMark { return g.marks[row*g.columns+column] }
	for row := range count {
		first := row * g.columns
		if row == 0 || !slices.Equal(g.marks[first:first+g.columns], g.marks[first-g.columns:first]) {
			rows = append(rows, row)
		}
	}
	for column := range g.columns {
		differs := column == 0
		for row := 0; row < count && !differs; row++ {
			differs = at(row, column) != at(row, column-1)
		}
		if differs {
			columns = append(columns, column)
		}
	}
	return rows, columns
}

type copiesDrawing struct {
	drawing
	cells drawing // above the lines, so that these hide no letter
}

// column draws the shards of one side under each other. It is false where one has too many cells.
func (d *copiesDrawing) column(grids []*shardGrid, x float64) bool {
	y := 0.0
	for _, g := range grids {
		d.cells.text(x, y+12, "start", "axis", shorten(g.name, 24))
		y += copiesTop
		if len(g.marks) == 0 {
			d.cells.text(x, y+12, "start", "axis", "(no elements)")
			y += copiesLine + 8
			continue
		}
		rows, columns := g.compressed()
		if len(rows) > maxSVGRows || len(columns) > maxSVGColumns {
			return false
		}
		d.grid(g, x, y, rows, columns)
		y += float64(len(rows))*copiesLine + 10
	}
	d.height = max(d.height, y)
	return true
}

func (d *copiesDrawing) grid(g *shardGrid, x, y float64, rows, columns []int) {
	width := min(copiesWidth/float64(len(columns)), 44)
	sums := map[int][3]float64{} // of the middles of cells, and of how many
	for i, row := range rows {
		for k, column := range columns {
			mark := g.marks[row*g.columns+column]
			left, top := x+float64(k)*width, y+float64(i)*copiesLine
			d.element(mark, left, top, width, g.rangeText(rows, columns, i, k))
			if mark.first >= 0 {
				sum := sums[mark.first]
				sums[mark.first] = [3]float64{sum[0] + left + width/2, sum[1] + top + copiesLine/2, sum[2] + 1}
			}
		}
	}
	for segment, sum := range sums {
		g.middle[segment] = [2]float64{sum[0] / sum[2], sum[1] / sum[2]}
	}
}

func (d *copiesDrawing) element(mark elementMark, x, y, width float64, where string) {
	switch {
	case mark.first < 0:
		d.cells.rect(x, y, width, copiesLine, `class="none"`, where)
	default:
		title := where + ", segment " + letters(mark.first)
		if mark.many {
			title += " and others"
		}
		d.cells.rect(x, y, width, copiesLine, fmt.Sprintf(`class="edge" style="fill:%s"`, colour(mark.first)), title)
		text := letters(mark.first)
		if mark.many {
			text += "+"
		}
		if float64(len(text))*6.4 <= width {
			d.cells.text(x+width/2, y+13, "middle", "mark", text)
		}
	}
	if mark.ring {
		d.cells.rect(x+1.5, y+1.5, width-3, copiesLine-3, `class="wrong"`, where+", the first wrong element")
	}
}

// rangeText says which rows and columns of the shard a cell stands for.
func (g *shardGrid) rangeText(rows, columns []int, i, k int) string {
	end := func(starts []int, n, count int) int {
		if n+1 < len(starts) {
			return starts[n+1]
		}
		return count
	}
	return fmt.Sprintf("%s, rows %d:%d columns %d:%d", g.name, rows[i], end(rows, i, len(g.marks)/g.columns),
		columns[k], end(columns, k, g.columns))
}

// join draws the line of one segment between what it reads and what it writes.
func (d *copiesDrawing) join(segment int, from, to *shardGrid) {
	if from == nil || to == nil {
		return
	}
	a, read := from.middle[segment]
	b, written := to.middle[segment]
	if !read || !written {
		return
	}
	bend := (b[0] - a[0]) / 2
	fmt.Fprintf(d, `<path d="M%.1f %.1f C%.1f %.1f %.1f %.1f %.1f %.1f" style="stroke:%s" class="copy"/>`,
		a[0], a[1], a[0]+bend, a[1], b[0]-bend, b[1], b[0], b[1], strong(segment))
}

func shorten(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
