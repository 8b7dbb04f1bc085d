package layout

import (
	"fmt"
	"strconv"
	"strings"
)

// Arguments is what a family is built from. A family reads those that its Parameters name.
type Arguments struct {
	Shape     []int64 // of F
	Degree    int     // the number of ranks
	Axis      int     // of F, that is split
	KVHeads   int64   // of the width rule
	Grain     int64   // of the width rule
	ExtraLast int     // of the width rule: 1 or 0
	Blocks    int64   // equal blocks of the axis
	Groups    int64   // of CodeGen
	Heads     int64   // equal heads of the axis

	Sizes      []int64   // of the axis's parts
	Replicated []int64   // indices of the parts that every rank holds whole
	Widths     [][]int64 // for each part, or each axis of a grid: every rank's width
	IDs        [][]int64 // for each rank: its blocks or experts, in the order of its shard
	Fragments  [][]int64 // for each rank: where its fragment begins and ends
	Mesh       []int64   // extents of the mesh of ranks

	Order []int // the axes of F in the order in which shards store them
	Ranks []int // the ids of the ranks
}

func (a Arguments) rule() WidthRule {
	return WidthRule{KVHeads: a.KVHeads, Grain: a.Grain, ExtraLast: a.ExtraLast != 0}
}

// A Parameter is a named argument, and how it is read from text and written.
type Parameter struct {
	Name  string
	Doc   string
	field func(*Arguments) any // *int, *int64, *[]int, *[]int64 or *[][]int64
}

// parameters is sorted by name.
var parameters = [...]Parameter{
	{"axis", "the axis of F that is split, from 0", func(a *Arguments) any { return &a.Axis }},
	{"blocks", "how many equal blocks the axis has", func(a *Arguments) any { return &a.Blocks }},
	{"degree", "how many ranks there are", func(a *Arguments) any { return &a.Degree }},
	{"extra-last", "1: the last ranks get one grain more, as convolutions do it", func(a *Arguments) any { return &a.ExtraLast }},
	{"fragments", "for each rank, begin and end in the flattened tensor: 0,10/10,24", func(a *Arguments) any { return &a.Fragments }},
	{"grain", "what widths are multiples of, but for the last rank's", func(a *Arguments) any { return &a.Grain }},
	{"groups", "how many groups the qkv rows are stored in; 4 in CodeGen", func(a *Arguments) any { return &a.Groups }},
	{"heads", "how many equal heads the axis has", func(a *Arguments) any { return &a.Heads }},
	{"ids", "for each rank, its blocks or experts in order: 0,1/2,3", func(a *Arguments) any { return &a.IDs }},
	{"kv-heads", "kv heads, which are never cut where they divide the axis", func(a *Arguments) any { return &a.KVHeads }},
	{"mesh", "the extents of the mesh of ranks: 2,4", func(a *Arguments) any { return &a.Mesh }},
	{"order", "the axes of F in the order that shards store them: 1,0", func(a *Arguments) any { return &a.Order }},
	{"ranks", "the ids of the ranks: 3,1,10", func(a *Arguments) any { return &a.Ranks }},
	{"replicated", "the parts, from 0, that every rank holds whole", func(a *Arguments) any { return &a.Replicated }},
	{"shape", "of the tensor: 48,8; empty for a scalar", func(a *Arguments) any { return &a.Shape }},
	{"sizes", "of the parts of the axis: 32,16", func(a *Arguments) any { return &a.Sizes }},
	{"widths", "for each part, each rank's width: 8,8/4,4", func(a *Arguments) any { return &a.Widths }},
}

// Parameters returns every parameter of any family, sorted by name.
func Parameters() []Parameter {
	all := parameters
	return all[:]
}

// Parse reads arguments of the family, each name=value, no name twice. Elements of a list are separated by
// commas, lists by slashes.
func (f Family) Parse(texts []string) (Arguments, error) {
	var parsed Arguments
	seen := map[string]bool{}
	for _, text := range texts {
		name, value, found := strings.Cut(text, "=")
		parameter, known := f.parameter(name)
		switch {
		case !found:
			return Arguments{}, fmt.Errorf("argument %q, want name=value", text)
		case !known:
			return Arguments{}, fmt.Errorf("argument %q: %s takes %s", text, f.Name, strings.Join(f.allParameters(), ", "))
		case seen[name]:
			return Arguments{}, fmt.Errorf("argument %q: %s is given twice", text, name)
		}
		seen[name] = true
		if err := parse(parameter.field(&parsed), value); err != nil {
			return Arguments{}, fmt.Errorf("argument %q: %w", text, err)
		}
	}
	return parsed, nil
}

// Text writes arguments as Parse reads them, those that are zero left out.
func (f Family) Text(arguments Arguments) []string {
	var texts []string
	for _, name := range f.allParameters() {
		parameter, _ := f.parameter(name)
		if text, set := format(parameter.field(&arguments)); set {
			texts = append(texts, name+"="+text)
		}
	}
	return texts
}

func (f Family) allParameters() []string {
	return append(append([]string{}, f.Parameters...), "order", "ranks")
}

func (f Family) parameter(name string) (Parameter, bool) {
	for _, own := range f.allParameters() {
		for _, parameter := range parameters {
			if own == name && parameter.Name == name {
				return parameter, true
			}
		}
	}
	return Parameter{}, false
}

func parse(field any, text string) (err error) {
	switch field := field.(type) {
	case *int:
		*field, err = strconv.Atoi(text)
	case *int64:
		*field, err = strconv.ParseInt(text, 10, 64)
	case *[]int64:
		*field, err = parseList(text)
	case *[]int:
		var list []int64
		list, err = parseList(text)
		*field = make([]int, len(list))
		for i, number := range list {
			(*field)[i] = int(number)
		}
	case *[][]int64:
		for _, part := range strings.Split(text, "/") {
			list, err := parseList(part)
			if err != nil {
				return err
			}
			*field = append(*field, list)
		}
	default:
		panic(fmt.Sprintf("layout: a parameter of type %T", field))
	}
	return err
}

func parseList(text string) ([]int64, error) {
	list := []int64{}
	if text == "" {
		return list, nil
	}
	for _, part := range strings.Split(text, ",") {
		number, err := strconv.ParseInt(part, 10, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, number)
	}
	return list, nil
}

func format(field any) (text string, set bool) {
	switch field := field.(type) {
	case *int:
		return strconv.Itoa(*field), *field != 0
	case *int64:
		return strconv.FormatInt(*field, 10), *field != 0
	case *[]int64:
		return formatList(*field), *field != nil
	case *[]int:
		return formatList(*field), *field != nil
	case *[][]int64:
		parts := make([]string, len(*field))
		for i, list := range *field {
			parts[i] = formatList(list)
		}
		return strings.Join(parts, "/"), *field != nil
	}
	panic(fmt.Sprintf("layout: a parameter of type %T", field))
}

func formatList[number int | int64](list []number) string {
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = strconv.FormatInt(int64(n), 10)
	}
	return strings.Join(parts, ",")
}
