package plan

import "strconv"

// CaseVersion is the version of case files that is read and written.
const CaseVersion = 1

var (
	caseFields   = []string{"version", "name", "source", "target", "raw", "selector", "budget", "expect", "found", "origin"}
	rawFields    = []string{"source", "target"}
	expectFields = []string{"outcome", "kind", "segments", "max_segments", "moved_elements"}
	foundFields  = []string{"planner", "seed", "broken", "plan", "fault"}
)

// DecodeCase reads a case file. The error is a *FormatError.
//
// A raw case keeps its two values without the white space between their tokens.
func DecodeCase(text []byte) (Case, error) {
	r := newJSONReader(text)
	c := r.testCase()
	if err := r.finish(); err != nil {
		return Case{}, err
	}
	return c, nil
}

func (r *jsonReader) testCase() Case {
	var c Case
	object := r.object(caseFields)
	for object.next() {
		switch object.name {
		case "version":
			r.version(CaseVersion)
		case "name":
			c.Name = r.string()
		case "raw":
			c.Raw = r.rawMaps()
		case "expect":
			c.Expect = r.expect()
		case "found":
			c.Found = r.found()
		case "origin":
			c.Origin = r.line()
		default:
			r.requestField(object.name, &c.Request)
		}
	}
	object.require("version", "name", "expect")
	if object.has("raw") {
		object.refuseOthers("raw", []string{"source", "target"})
		if c.Expect.Outcome != Refused {
			object.failField("expect", "a raw case is refused")
		}
	} else {
		object.require("source", "target")
	}
	return c
}

// line reads a string of one line.
func (r *jsonReader) line() string {
	text := r.string()
	for _, char := range []byte(text) {
		if char == '\n' || char == '\r' {
			r.fail("more than one line")
		}
	}
	return text
}

func (r *jsonReader) rawMaps() *Raw {
	var raw Raw
	object := r.object(rawFields)
	for object.next() {
		if object.name == "source" {
			raw.Source = r.raw()
		} else {
			raw.Target = r.raw()
		}
	}
	object.require(rawFields...)
	return &raw
}

func (r *jsonReader) expect() Expect {
	var expect Expect
	object := r.object(expectFields)
	for object.next() {
		switch object.name {
		case "outcome":
			expect.Outcome = r.outcome()
		case "kind":
			expect.Kinds = r.kinds()
		case "segments":
			expect.Segments = r.integerPointer()
		case "max_segments":
			expect.MaxSegments = r.integerPointer()
		case "moved_elements":
			expect.MovedElements = r.integerPointer()
		}
	}
	object.require("outcome")
	for _, name := range expectFields[1:] {
		// A refusal has a kind, and a plan the counts.
		if object.has(name) && (name == "kind") != (expect.Outcome == Refused) {
			object.failField(name, "not for the outcome "+string(expect.Outcome))
		}
	}
	return expect
}

func (r *jsonReader) outcome() Outcome {
	switch outcome := Outcome(r.string()); outcome {
	case Exact, Refused, ExactOrUnsupported:
		return outcome
	default:
		r.fail("%q is no outcome: exact, refused or exact-or-unsupported", shortened(string(outcome)))
		return ""
	}
}

// kinds reads a kind of refusal or a list of them.
func (r *jsonReader) kinds() []Kind {
	if r.peek() != '[' {
		return []Kind{r.kind()}
	}
	var kinds []Kind
	for list := r.list(); list.next(); {
		kinds = append(kinds, r.kind())
	}
	if kinds == nil {
		r.fail("no kind in the list")
	}
	return kinds
}

func (r *jsonReader) found() *Found {
	var found Found
	object := r.object(foundFields)
	for object.next() {
		switch object.name {
		case "planner":
			found.Planner = r.string()
		case "seed":
			found.Seed = r.string()
		case "broken":
			for list := r.list(); list.next(); {
				found.Broken = append(found.Broken, r.string())
			}
		case "plan":
			plan := r.plan()
			found.Plan = &plan
		case "fault":
			found.Fault = r.string()
		}
	}
	if object.has("fault") {
		object.refuseOthers("fault", []string{"plan"})
	}
	return &found
}

// EncodeCase writes a case file for a person: one piece a line, the ranks ascending. A case without a name,
// or with a map that has no readable form, such as one with a negative rank, does not read again.
func EncodeCase(c Case) []byte {
	dst := append([]byte(nil), `{"version": `...)
	dst = strconv.AppendInt(dst, CaseVersion, 10)
	dst = append(dst, `, "name": `...)
	dst = appendString(dst, c.Name)
	if c.Raw != nil {
		dst = append(append(dst, ",\n \"raw\": {\"source\": "...), c.Raw.Source...)
		dst = append(append(dst, ",\n         \"target\": "...), c.Raw.Target...)
		dst = append(dst, '}')
	} else {
		dst = appendReadableMap(append(dst, ",\n \"source\": "...), c.Source, 1)
		dst = appendReadableMap(append(dst, ",\n \"target\": "...), c.Target, 1)
	}
	if c.Selector.set() {
		dst = appendSelector(append(dst, ",\n \"selector\": "...), c.Selector, readableSpacing)
	}
	if c.Budget.Set() {
		dst = appendBudget(append(dst, ",\n \"budget\": "...), c.Budget, readableSpacing)
	}
	dst = appendExpect(append(dst, ",\n \"expect\": "...), c.Expect)
	if c.Found != nil {
		dst = appendFound(append(dst, ",\n \"found\": "...), *c.Found)
	}
	if c.Origin != "" {
		dst = appendString(append(dst, ",\n \"origin\": "...), c.Origin)
	}
	return append(dst, "}\n"...)
}

func appendExpect(dst []byte, expect Expect) []byte {
	dst = append(dst, `{"outcome": `...)
	dst = appendString(dst, string(expect.Outcome))
	if len(expect.Kinds) == 1 {
		dst = append(dst, `, "kind": `...)
		dst = appendString(dst, string(expect.Kinds[0]))
	}
	if len(expect.Kinds) > 1 {
		dst = append(dst, `, "kind": `...)
		dst = appendStrings(dst, expect.Kinds)
	}
	for _, count := range []struct {
		name  string
		value *int64
	}{
		{"segments", expect.Segments}, {"max_segments", expect.MaxSegments}, {"moved_elements", expect.MovedElements},
	} {
		if count.value != nil {
			dst = append(append(append(dst, `, "`...), count.name...), `": `...)
			dst = strconv.AppendInt(dst, *count.value, 10)
		}
	}
	return append(dst, '}')
}

func appendFound(dst []byte, found Found) []byte {
	dst = append(dst, `{"planner": `...)
	dst = appendString(dst, found.Planner)
	dst = append(dst, `, "seed": `...)
	dst = appendString(dst, found.Seed)
	dst = append(dst, `, "broken": `...)
	dst = appendStrings(dst, found.Broken)
	switch {
	case found.Plan != nil:
		dst = append(dst, ",\n  \"plan\": {"...)
		dst = appendReadablePlan(dst, *found.Plan, 2)
		dst = append(dst, '}')
	case found.Fault != "":
		dst = append(dst, `, "fault": `...)
		dst = appendString(dst, found.Fault)
	}
	return append(dst, '}')
}

func appendStrings[S ~string](dst []byte, texts []S) []byte {
	dst = append(dst, '[')
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendString(dst, string(text))
	}
	return append(dst, ']')
}
