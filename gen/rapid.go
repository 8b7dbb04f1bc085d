package gen

import (
	"pgregory.net/rapid"

	"github.com/shardproof/shardproof/plan"
)

// The generators below draw what this package draws, from a property test's own choices, so that other tests
// can compose them and rapid shrinks them. Each draws at least once, as rapid wants.

// Maps generates valid maps of every family.
func Maps() *rapid.Generator[plan.Map] {
	return rapid.Custom(func(t *rapid.T) plan.Map {
		d := &draw{choose: FromRapid(t)}
		by := everything.family(d)
		degree := d.from("degree", degrees)
		return d.side(d.tensorFor(everything.families[by], degree), everything.families[by], degree)
	})
}

// Selectors generates selectors of every form for a request of these maps.
func Selectors(source, target plan.Map) *rapid.Generator[plan.Selector] {
	return rapid.Custom(func(t *rapid.T) plan.Selector {
		d := &draw{choose: FromRapid(t)}
		return d.selector(&source, &target)
	})
}

// Requests generates the requests of Cases.
func Requests() *rapid.Generator[plan.Request] {
	return rapid.Custom(func(t *rapid.T) plan.Request { return Case(FromRapid(t)).Request })
}

// Cases generates valid requests and what is due for them.
func Cases() *rapid.Generator[plan.Case] {
	return rapid.Custom(func(t *rapid.T) plan.Case { return Case(FromRapid(t)) })
}

// Corruptions generates requests with one fault and the refusal that is due for it.
func Corruptions() *rapid.Generator[plan.Case] {
	return rapid.Custom(func(t *rapid.T) plan.Case { return Corrupted(FromRapid(t)) })
}
