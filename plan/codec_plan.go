package plan

import "strconv"

// DecodePlan reads the file of a plan that is to be judged: a plan, with the element count that it states
// where it does, or a refusal, which is nil otherwise. The error is a *FormatError.
func DecodePlan(text []byte) (Answer, *Refusal, error) {
	r := newJSONReader(text)
	object := r.object(planFileFields)
	result := r.answerFields(&object)
	if object.has("refused") {
		object.refuseOthers("refused", planFileFields)
	} else {
		object.require("segments")
	}
	if err := r.finish(); err != nil {
		return Answer{}, nil, err
	}
	return result.Answer, result.Refusal, nil
}

// EncodePlan writes a plan file for a person: one segment a line.
func EncodePlan(answer Answer) []byte {
	dst := []byte{'{'}
	if answer.MovedElements != nil {
		dst = append(dst, `"moved_elements": `...)
		dst = strconv.AppendInt(dst, *answer.MovedElements, 10)
		dst = append(dst, ",\n "...)
	}
	dst = appendReadablePlan(dst, answer.Plan, 0)
	return append(dst, "}\n"...)
}

// EncodeRefusal writes the file of a refusal that is to be judged in place of a plan.
func EncodeRefusal(refusal *Refusal) []byte {
	dst := append([]byte(nil), `{"refused": {"kind": `...)
	dst = appendString(dst, string(refusal.Kind))
	dst = append(dst, `, "message": `...)
	dst = appendString(dst, refusal.Message)
	return append(dst, "}}\n"...)
}

// CompactPlan is a plan as JSON with sorted keys and no spaces, without the count of elements moved. Its
// length is what max_plan_bytes bounds.
func CompactPlan(p Plan) []byte {
	return append(appendPlanFields([]byte{'{'}, p), '}')
}

var (
	planFields     = []string{"logical_shape", "segments"}
	planFileFields = []string{"logical_shape", "segments", "moved_elements", "refused"}
	segmentFields  = []string{"shape", "source", "target"}
	refusalFields  = []string{"kind", "message"}
)

// answerFields reads the fields of an answer line, or as many of them as the object may have.
func (r *jsonReader) answerFields(object *objectReader) AnswerLine {
	var line AnswerLine
	for object.next() {
		switch object.name {
		case "id":
			line.ID = r.integer()
		case "logical_shape":
			line.Answer.Plan.LogicalShape = r.integers()
		case "segments":
			line.Answer.Plan.Segments = r.segments()
		case "moved_elements":
			line.Answer.MovedElements = r.integerPointer()
		case "refused":
			line.Refusal = r.refusal()
		case "error":
			line.Error = r.string()
		}
	}
	return line
}

// refuseOthers fails where the object has any of the names but the one. It is for after the last field.
func (o *objectReader) refuseOthers(name string, names []string) {
	for _, other := range names {
		if other != name && o.has(other) {
			o.failField(other, "given beside "+name)
		}
	}
}

func (r *jsonReader) integerPointer() *int64 {
	value := r.integer()
	return &value
}

func (r *jsonReader) plan() Plan {
	object := r.object(planFields)
	line := r.answerFields(&object)
	object.require("segments")
	return line.Answer.Plan
}

func (r *jsonReader) segments() []Segment {
	segments := []Segment{}
	for list := r.list(); list.next(); {
		segments = append(segments, r.segment())
	}
	return segments
}

func (r *jsonReader) segment() Segment {
	var segment Segment
	object := r.object(segmentFields)
	for object.next() {
		switch object.name {
		case "shape":
			segment.Shape = r.integers()
		case "source":
			segment.Source = r.endpoint()
		case "target":
			segment.Target = r.endpoint()
		}
	}
	object.require(segmentFields...)
	return segment
}

// endpoint reads [rank, offset, strides]. Whether the rank exists is judged, and not a matter of form.
func (r *jsonReader) endpoint() Endpoint {
	var endpoint Endpoint
	for list := r.tuple(3, "[rank, offset, strides]"); list.next(); {
		switch list.index {
		case 0:
			endpoint.Rank = r.rank()
		case 1:
			endpoint.Offset = r.integer()
		case 2:
			endpoint.Strides = r.integers()
		}
	}
	return endpoint
}

func (r *jsonReader) refusal() *Refusal {
	var refusal Refusal
	object := r.object(refusalFields)
	for object.next() {
		switch object.name {
		case "kind":
			refusal.Kind = r.kind()
		case "message":
			refusal.Message = r.string()
		}
	}
	object.require(refusalFields...)
	return &refusal
}

func (r *jsonReader) kind() Kind {
	switch kind := Kind(r.string()); kind {
	case Invalid, Unsupported, BadSelection, OverBudget:
		return kind
	default:
		r.fail("%q is no kind of refusal: invalid, unsupported, selector or budget", shortened(string(kind)))
		return ""
	}
}

// appendPlanFields appends the fields of a plan, compact, without the braces.
func appendPlanFields(dst []byte, p Plan) []byte {
	if p.LogicalShape != nil {
		dst = append(dst, `"logical_shape":`...)
		dst = appendIntegers(dst, p.LogicalShape)
		dst = append(dst, ',')
	}
	return appendSegments(dst, p.Segments)
}

func appendSegments(dst []byte, segments []Segment) []byte {
	dst = append(dst, `"segments":[`...)
	for i := range segments {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"shape":`...)
		dst = appendIntegers(dst, segments[i].Shape)
		dst = append(dst, `,"source":`...)
		dst = appendEndpoint(dst, &segments[i].Source)
		dst = append(dst, `,"target":`...)
		dst = appendEndpoint(dst, &segments[i].Target)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func appendEndpoint(dst []byte, endpoint *Endpoint) []byte {
	dst = append(dst, '[')
	dst = strconv.AppendInt(dst, int64(endpoint.Rank), 10)
	dst = append(dst, ',')
	dst = strconv.AppendInt(dst, endpoint.Offset, 10)
	dst = append(dst, ',')
	dst = appendIntegers(dst, endpoint.Strides)
	return append(dst, ']')
}
