package oracle

import (
	"fmt"
	"math"
	"strconv"

	"github.com/shardproof/shardproof/plan"
)

// moved holds a stated count to the sum of the segments' volumes. A segment with an extent below 1 moves
// nothing. A sum past int64 is no count that could be stated.
func moved(l *look) Finding {
	if l.answer.MovedElements == nil {
		return Finding{}
	}
	stated, total := *l.answer.MovedElements, int64(0)
	for _, c := range l.copies {
		total = add(total, c.volume)
	}
	switch {
	case total == math.MaxInt64:
		return Finding{Status: Broken, Detail: fmt.Sprintf("states %d elements, the segments move more than int64 holds", stated)}
	case stated != total:
		return Finding{Status: Broken, Detail: fmt.Sprintf("states %d elements, the segments move %d", stated, total)}
	}
	return Finding{}
}

func budget(l *look) Finding {
	limits := l.request.Budget
	if n := int64(len(l.answer.Plan.Segments)); limits.MaxSegments != nil && n > *limits.MaxSegments {
		return Finding{Status: Broken, Detail: fmt.Sprintf("%d segments, max_segments is %d", n, *limits.MaxSegments)}
	}
	if limits.MaxPlanBytes == nil {
		return Finding{}
	}
	if n := planBytes(&l.answer.Plan); n > *limits.MaxPlanBytes {
		return Finding{Status: Broken, Detail: fmt.Sprintf("%d bytes, max_plan_bytes is %d", n, *limits.MaxPlanBytes)}
	}
	return Finding{}
}

// planBytes is the length of a plan's JSON with sorted keys and no spaces. A logical shape that is not stated
// is left out.
func planBytes(p *plan.Plan) int64 {
	size := int64(len(`{"segments":[]}`))
	if p.LogicalShape != nil {
		size += int64(len(`"logical_shape":,`)) + listBytes(p.LogicalShape)
	}
	for i := range p.Segments {
		segment := &p.Segments[i]
		size += int64(len(`{"shape":,"source":,"target":},`)) + listBytes(segment.Shape)
		size += endpointBytes(segment.Source) + endpointBytes(segment.Target)
	}
	if len(p.Segments) > 0 {
		size-- // no comma after the last
	}
	return size
}

func endpointBytes(e plan.Endpoint) int64 {
	return int64(len(`[,,]`)) + integerBytes(int64(e.Rank)) + integerBytes(e.Offset) + listBytes(e.Strides)
}

func listBytes(list []int64) int64 {
	size := int64(len(`[]`))
	for _, value := range list {
		size += integerBytes(value) + 1
	}
	if len(list) > 0 {
		size--
	}
	return size
}

func integerBytes(value int64) int64 {
	var digits [20]byte
	return int64(len(strconv.AppendInt(digits[:0], value, 10)))
}
