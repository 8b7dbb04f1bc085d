package reference

import "github.com/shardproof/shardproof/plan"

// compactBytes is the length of a plan's compact form, as max_plan_bytes counts it: JSON with sorted keys,
// no spaces and no moved_elements. No byte of it is built.
func compactBytes(p plan.Plan) int64 {
	n := len(`{"logical_shape":,"segments":[]}`) + listBytes(p.LogicalShape)
	n += max(0, len(p.Segments)-1) // commas
	for i := range p.Segments {
		n += segmentBytes(&p.Segments[i])
	}
	return int64(n)
}

func segmentBytes(s *plan.Segment) int {
	return len(`{"shape":,"source":,"target":}`) + listBytes(s.Shape) + endpointBytes(&s.Source) + endpointBytes(&s.Target)
}

func endpointBytes(e *plan.Endpoint) int {
	return len(`[,,]`) + integerBytes(int64(e.Rank)) + integerBytes(e.Offset) + listBytes(e.Strides)
}

func listBytes(values []int64) int {
	n := len(`[]`) + max(0, len(values)-1)
	for _, value := range values {
		n += integerBytes(value)
	}
	return n
}

func integerBytes(value int64) int {
	n := 1
	if value < 0 {
		n++ // the sign; division below truncates towards zero
	}
	for value/10 != 0 {
		value /= 10
		n++
	}
	return n
}
