package plan

import (
	"cmp"
	"slices"
)

// ValidateRequest judges a request as a planner must before it plans, and resolves the pieces of both maps
// that place something. What is invalid, in the source map, the target map or between them, is refused before
// what is unsupported, so that a fallback never hides a corrupt map. Scales other than 1 are unsupported
// (plan.scale1).
//
// The number of axes and the budget are not looked at.
func ValidateRequest(request Request) (source, target []Block, refusal *Refusal) {
	fromSource, s := request.Source.judge()
	fromTarget, t := request.Target.judge()
	defer s.leave()
	defer t.leave()
	refusal = cmp.Or(
		refuseFirst(Invalid, "source", fromSource),
		refuseFirst(Invalid, "target", fromTarget),
		refuseShapes(request),
		refuseFirst(Unsupported, "source", fromSource),
		refuseFirst(Unsupported, "target", fromTarget),
		refuseScale("source", s),
		refuseScale("target", t),
	)
	if refusal != nil {
		return nil, nil, refusal
	}
	return s.blocks(), t.blocks(), nil
}

// refuseFirst refuses for the first violation of a kind. Invalid ones come first.
func refuseFirst(kind Kind, side string, violations []Violation) *Refusal {
	for _, v := range violations {
		if v.Kind == kind {
			return Refuse(kind, "%s %s", side, v.Error())
		}
	}
	return nil
}

func refuseShapes(request Request) *Refusal {
	source, target := request.Source.LogicalShape, request.Target.LogicalShape
	if slices.Equal(source, target) {
		return nil
	}
	return Refuse(Invalid, "the source's logical shape %s is not the target's %s", shapeText(source), shapeText(target))
}

// refuseScale refuses for the first piece, in the judge's own order of the map, whose scale is not 1.
func refuseScale(side string, j *judge) *Refusal {
	if !j.scaled() {
		return nil
	}
	j = sortedJudge(j.m)
	for s := range j.m.Shards {
		for p, piece := range j.m.Shards[s].Pieces {
			if piece.scale() != 1 {
				return Refuse(Unsupported, "%s %s: scale %v, and only 1 is planned", side, j.path(s, p), piece.scale())
			}
		}
	}
	panic("plan: no scale in the sorted map")
}

func (j *judge) scaled() bool {
	for s := range j.m.Shards {
		for p := range j.m.Shards[s].Pieces {
			if j.m.Shards[s].Pieces[p].scale() != 1 {
				return true
			}
		}
	}
	return false
}
