// Package layout builds the maps of the ways in which real models and frameworks spread one tensor over
// ranks: plain splits, fused weights, gathered blocks, experts, flat fragments, meshes.
//
// A builder is told which rank stores what, in which order; pieces and locations are computed from that, so
// the locations are those of the ranks that really hold a block, whatever a family is said to do. Pieces are
// maximally merged, never across a change of holders. Arguments that make no valid map are errors.
//
// Ranks are numbered from 0 in every map, unless [Renumber] gives them other ids.
package layout

import (
	"fmt"
	"slices"

	"github.com/shardproof/shardproof/plan"
)

// MaxRanks bounds the ranks of a map. A replicated block is a piece of each of its holders, which names them
// all, so that locations grow with the square of the ranks: at this bound, those of a replicated tensor take
// 128 MiB, and no map may have more.
const MaxRanks = 4096

const maxLocations = MaxRanks * MaxRanks

// A Choose draws the number called label from lo to hi, both included; lo is the simplest choice. It is only
// asked where lo <= hi.
type Choose = func(label string, lo, hi int64) int64

// A Family is one way to spread a tensor, as a row of the table that generators, the exhaustive run, the
// command and the benchmarks follow.
type Family struct {
	Name string
	Doc  string // one line

	// Parameters names what the family reads of its Arguments, the required ones first. Every family also
	// reads order and ranks.
	Parameters []string

	// Axes is the least number of axes of F; Grain gives, for a degree, what an extent of F has to be a
	// multiple of for the family to split that axis. The axis is the first where First is set, else any.
	// Most bounds the extent of the axis where the cost of a map grows with it; 0 is no bound.
	Axes  int
	Grain func(degree int) int64
	First bool
	Most  int64

	draw  func(choose Choose, shape []int64, degree int, axes []int) Arguments
	build func(Arguments) (plan.Map, error)
}

// families is sorted by name.
var families = [...]Family{
	codeGen, contiguous, experts, flat, fused, gather, grid, headModulo, hsdp, nested, replicated, segmented,
	strided, vocabulary, yuan,
}

// Families returns every family, sorted by name.
func Families() []Family { return slices.Clone(families[:]) }

// FamilyOf returns the family of that name, and whether there is one.
func FamilyOf(name string) (Family, bool) {
	for _, family := range families {
		if family.Name == name {
			return family, true
		}
	}
	return Family{}, false
}

// Build makes the map that the arguments describe. It reads the family's Parameters, then order and ranks.
func (f Family) Build(arguments Arguments) (plan.Map, error) {
	built, err := f.build(arguments)
	if err == nil && arguments.Order != nil {
		built, err = Permute(built, arguments.Order)
	}
	if err == nil && arguments.Ranks != nil {
		built, err = Renumber(built, arguments.Ranks)
	}
	if err != nil {
		return plan.Map{}, fmt.Errorf("layout %s: %w", f.Name, err)
	}
	return built, nil
}

// Fits reports whether Draw has something to draw for the shape and the degree.
func (f Family) Fits(shape []int64, degree int) bool {
	if f.Axes == 0 {
		return true
	}
	var buffer [plan.MaxAxes]int
	return len(shape) >= f.Axes && len(f.axes(buffer[:0], shape, degree)) > 0
}

// Draw draws arguments for which Build returns a map of that shape over that many ranks. The shape and the
// degree have to fit.
func (f Family) Draw(choose Choose, shape []int64, degree int) Arguments {
	var buffer [plan.MaxAxes]int
	axes := f.axes(buffer[:0], shape, degree)
	if len(shape) < f.Axes || f.Axes > 0 && len(axes) == 0 {
		panic(fmt.Sprintf("layout: Draw of %s for shape %v, degree %d, which do not fit", f.Name, shape, degree))
	}
	arguments := f.draw(choose, shape, degree, axes)
	arguments.Shape, arguments.Degree = shape, degree
	return arguments
}

// axes lists the axes that the family can split.
func (f Family) axes(into []int, shape []int64, degree int) []int {
	grain := f.Grain(degree)
	for axis, extent := range shape {
		if extent%grain == 0 && (f.Most == 0 || extent <= f.Most) {
			into = append(into, axis)
		}
		if f.First {
			break
		}
	}
	return into
}

// anyExtent is the Grain of a family that splits any axis.
func anyExtent(int) int64 { return 1 }
