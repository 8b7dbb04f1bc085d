package gen

import (
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/layout"
)

// A Generator draws cases from some of the families.
type Generator struct {
	families []family
	origins  []string // of source family times target family
}

// everything draws from every family.
var everything = generatorOf(families())

// Case draws a valid request and what is due for it: a plan and the elements that it moves, or, where the
// selector or the budget leaves none, a refusal.
func Case(choose Choose) plan.Case { return everything.Case(choose) }

// Families names the families in order: mesh, the one of this package, and those of plan/layout.
func Families() []string {
	names := make([]string, len(everything.families))
	for i, by := range everything.families {
		names[i] = by.name
	}
	slices.Sort(names)
	return names
}

// Only returns a generator that draws both sides of a case from the named families. No names, or one that
// is no family, is an error.
func Only(names ...string) (Generator, error) {
	all := families()
	var chosen []family
	for _, name := range names {
		i := slices.IndexFunc(all, func(by family) bool { return by.name == name })
		if i < 0 {
			return Generator{}, fmt.Errorf("no family %q; there are %q", name, Families())
		}
		chosen = append(chosen, all[i])
	}
	if len(chosen) == 0 {
		return Generator{}, fmt.Errorf("no family named; there are %q", Families())
	}
	return generatorOf(chosen), nil
}

const meshName = "mesh"

func families() []family {
	all := []family{{name: meshName}}
	for _, row := range layout.Families() {
		all = append(all, family{name: row.Name, layout: &row})
	}
	return all
}

func generatorOf(families []family) Generator {
	g := Generator{families: families}
	for _, source := range families {
		for _, target := range families {
			g.origins = append(g.origins, originPrefix+source.name+originTo+target.name)
		}
	}
	return g
}

// The origin of a generated case names its families.
const (
	originPrefix = "generated: "
	originTo     = " to "
)

// Case draws a case as the function Case does, from the generator's families.
func (g Generator) Case(choose Choose) plan.Case { return g.draw(&draw{choose: choose}) }

func (g Generator) draw(d *draw) plan.Case {
	var drawn plan.Case
	source, target := g.maps(d, &drawn.Request)
	drawn.Origin = g.origins[source*len(g.families)+target]
	drawn.Selector = d.selector(&drawn.Source, &drawn.Target)
	drawn.Budget = d.budget(&drawn.Request)
	drawn.Expect = d.due(&drawn.Request)
	return drawn
}

// A Drawer draws the cases of a Generator into memory that it uses again: each case lasts until the next one
// is drawn. It is for one goroutine; what outlives a case has to be copied.
type Drawer struct {
	generator Generator
	draw      draw
}

// Drawer returns a drawer of the generator's cases.
func (g Generator) Drawer() *Drawer { return &Drawer{generator: g} }

// Case draws the case that the generator draws from the same choices.
func (r *Drawer) Case(choose Choose) plan.Case {
	r.draw.choose = choose
	r.draw.reuse()
	return r.generator.draw(&r.draw)
}

// Everything is the generator that draws from every family, as the function Case does.
func Everything() Generator { return everything }

// maps draws both maps of a request, and says by which families.
func (g Generator) maps(d *draw, request *plan.Request) (source, target int) {
	source = g.family(d)
	degree := d.from("degree", degrees)
	of := d.tensorFor(g.families[source], degree)
	request.Source = d.side(of, g.families[source], degree)
	target = source
	if again := d.from("degree", degrees); g.families[source].fits(of.shape, again) {
		degree = again
	}
	if !d.oneIn("same family", 3) {
		target = g.fitting(d, of.shape, degree, source)
	}
	request.Target = d.side(of, g.families[target], degree)
	return source, target
}

// degrees are the ranks of a layout's map by share.
var degrees = []int{1, 2, 2, 2, 2, 3, 3, 4, 4, 2, 8}

// family chooses a family: the first one most often, since it is the widest and the fastest.
func (g Generator) family(d *draw) int {
	if len(g.families) == 1 || !d.oneIn("other family", 3) {
		return 0
	}
	return 1 + d.upTo("family", len(g.families)-2)
}

// fitting chooses a family that can spread the shape: the one chosen or the next that can. The one that the
// shape was drawn for always can.
func (g Generator) fitting(d *draw, shape []int64, degree, drawnFor int) int {
	for chosen := g.family(d); ; chosen = (chosen + 1) % len(g.families) {
		if chosen == drawnFor || g.families[chosen].fits(shape, degree) {
			return chosen
		}
	}
}

// tensorFor draws a logical shape that the family can spread over so many ranks.
func (d *draw) tensorFor(by family, degree int) tensor {
	of := d.tensor()
	if by.fits(of.shape, degree) {
		return of
	}
	row := by.layout
	shape := of.shape
	if len(shape) < row.Axes {
		shape = d.takeInts(row.Axes)
		for axis := range shape {
			shape[axis] = d.choose("extent", 1, largestExtent[row.Axes])
		}
	}
	axis := 0
	if !row.First && len(shape) > 1 {
		axis = d.upTo("axis to split", len(shape)-1)
	}
	shape[axis] = row.Grain(degree) * d.choose("grains", 1, 3)
	return d.tensorOf(shape)
}
