package plan

import "strconv"

// Protocol is the version of the planner protocol that the lines below belong to.
const Protocol = 1

// A Hello is what a planner process says of itself before it is asked anything.
type Hello struct {
	Info
	MaxInflight int64 // requests that it takes before it has answered the first, at least 1
}

// A RequestLine is what a planner process is sent: a greeting, or a request under an id.
type RequestLine struct {
	Hello bool
	ID    int64
	Request
}

// An AnswerLine is what a planner process answers: a plan, a refusal, or an error of its own.
type AnswerLine struct {
	ID      int64
	Answer  Answer
	Refusal *Refusal
	Failed  bool   // the planner had an internal error
	Error   string // which, where it Failed
}

// The append functions below append one line of the protocol, without its line end.

// AppendHelloRequest appends the greeting that a planner process is sent.
func AppendHelloRequest(dst []byte) []byte {
	dst = append(dst, `{"hello":{"protocol":`...)
	dst = strconv.AppendInt(dst, Protocol, 10)
	return append(dst, "}}"...)
}

// AppendPlanRequest appends a request. The policy any is the planner's own choice and is never sent.
func AppendPlanRequest(dst []byte, id int64, request Request) []byte {
	if request.Selector.Policy == PolicyAny {
		request.Selector.Policy = ""
	}
	dst = append(dst, `{"plan":{`...)
	dst = appendRequestFields(dst, request, &id)
	return append(dst, "}}"...)
}

// AppendRawRequest appends a request for two values that are no maps.
func AppendRawRequest(dst []byte, id int64, raw Raw) []byte {
	dst = append(dst, `{"plan":{"id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = append(append(dst, `,"source":`...), raw.Source...)
	dst = append(append(dst, `,"target":`...), raw.Target...)
	return append(dst, "}}"...)
}

// AppendHello appends a planner's answer to the greeting.
func AppendHello(dst []byte, hello Hello) []byte {
	dst = append(dst, `{"hello":{"protocol":`...)
	dst = strconv.AppendInt(dst, Protocol, 10)
	dst = append(dst, `,"planner":`...)
	dst = appendString(dst, hello.Name)
	dst = append(dst, `,"version":`...)
	dst = appendString(dst, hello.Version)
	dst = append(dst, `,"features":[`...)
	for i, feature := range hello.Features {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, string(feature))
	}
	dst = append(dst, `],"holder":`...)
	dst = appendString(dst, holderName(hello.AnyHolder))
	dst = append(dst, `,"max_inflight":`...)
	dst = strconv.AppendInt(dst, hello.MaxInflight, 10)
	return append(dst, "}}"...)
}

func holderName(anyHolder bool) string {
	if anyHolder {
		return "any"
	}
	return "lowest"
}

// AppendAnswer appends a plan as the answer to a request.
func AppendAnswer(dst []byte, id int64, answer Answer) []byte {
	dst = appendAnswerID(dst, id)
	if answer.MovedElements != nil {
		dst = append(dst, `"moved_elements":`...)
		dst = strconv.AppendInt(dst, *answer.MovedElements, 10)
		dst = append(dst, ',')
	}
	return append(appendPlanFields(dst, answer.Plan), '}')
}

// AppendRefusal appends a refusal as the answer to a request.
func AppendRefusal(dst []byte, id int64, refusal *Refusal) []byte {
	dst = append(appendAnswerID(dst, id), `"refused":{"kind":`...)
	dst = appendString(dst, string(refusal.Kind))
	dst = append(dst, `,"message":`...)
	return append(appendString(dst, refusal.Message), "}}"...)
}

// AppendError appends an internal error of the planner as the answer to a request.
func AppendError(dst []byte, id int64, message string) []byte {
	dst = append(appendAnswerID(dst, id), `"error":`...)
	return append(appendString(dst, message), '}')
}

func appendAnswerID(dst []byte, id int64) []byte {
	dst = append(dst, `{"id":`...)
	return append(strconv.AppendInt(dst, id, 10), ',')
}

var answerFields = []string{"id", "logical_shape", "segments", "moved_elements", "refused", "error"}

// DecodeAnswerLine reads what a planner process answered to a request. The error is a *FormatError; the id
// is then the answer's where it had one before the error, and else 0.
func DecodeAnswerLine(text []byte) (AnswerLine, error) {
	r := newJSONReader(text)
	object := r.object(answerFields)
	line := r.answerFields(&object)
	object.require("id")
	line.Failed = object.has("error")
	switch {
	case line.Failed:
		object.refuseOthers("error", answerFields[1:])
	case object.has("refused"):
		object.refuseOthers("refused", answerFields[1:])
	default:
		object.require("segments")
	}
	if err := r.finish(); err != nil {
		return AnswerLine{ID: line.ID}, err
	}
	return line, nil
}

// DecodeHello reads what a planner process answered to the greeting. The error is a *FormatError.
func DecodeHello(text []byte) (Hello, error) {
	r := newJSONReader(text)
	var hello Hello
	object := r.object(helloLineFields)
	for object.next() {
		hello = r.hello()
	}
	object.require("hello")
	if err := r.finish(); err != nil {
		return Hello{}, err
	}
	return hello, nil
}

var (
	helloLineFields   = []string{"hello"}
	helloFields       = []string{"protocol", "planner", "version", "features", "holder", "max_inflight"}
	requestLineFields = []string{"hello", "plan"}
	greetingFields    = []string{"protocol"}
	requestFields     = []string{"id", "source", "target", "selector", "budget"}
)

func (r *jsonReader) hello() Hello {
	hello := Hello{MaxInflight: 1}
	object := r.object(helloFields)
	for object.next() {
		switch object.name {
		case "protocol":
			r.version(Protocol)
		case "planner":
			hello.Name = r.string()
		case "version":
			hello.Version = r.string()
		case "features":
			for list := r.list(); list.next(); {
				hello.Features = append(hello.Features, r.feature())
			}
		case "holder":
			hello.AnyHolder = r.holder()
		case "max_inflight":
			if hello.MaxInflight = r.integer(); hello.MaxInflight < 1 {
				r.fail("at least 1 is due, not %d", hello.MaxInflight)
			}
		}
	}
	object.require("protocol", "planner", "version")
	return hello
}

// version reads a version number, of which one is known.
func (r *jsonReader) version(known int64) {
	if version := r.integer(); version != known {
		r.fail("%d is unknown, only %d is known", version, known)
	}
}

func (r *jsonReader) feature() Feature {
	name := Feature(r.string())
	for _, feature := range AllFeatures() {
		if feature == name {
			return feature
		}
	}
	r.fail("%q is no feature", shortened(string(name)))
	return ""
}

func (r *jsonReader) holder() (anyHolder bool) {
	switch name := r.string(); name {
	case "lowest":
	case "any":
		return true
	default:
		r.fail("%q is neither lowest nor any", shortened(name))
	}
	return false
}

// DecodeRequestLine reads what a planner process is sent. The error is a *FormatError; the id is then the
// request's where it had one before the error, and else 0.
func DecodeRequestLine(text []byte) (RequestLine, error) {
	r := newJSONReader(text)
	var line RequestLine
	object := r.object(requestLineFields)
	for object.next() {
		switch object.name {
		case "hello":
			line.Hello = true
			r.greeting()
		case "plan":
			line.ID, line.Request = r.planRequest()
		}
	}
	if line.Hello {
		object.refuseOthers("hello", requestLineFields)
	} else {
		object.require("plan")
	}
	if err := r.finish(); err != nil {
		return RequestLine{ID: line.ID}, err
	}
	return line, nil
}

func (r *jsonReader) greeting() {
	object := r.object(greetingFields)
	for object.next() {
		r.version(Protocol)
	}
	object.require("protocol")
}

func (r *jsonReader) planRequest() (id int64, request Request) {
	object := r.object(requestFields)
	for object.next() {
		if object.name == "id" {
			id = r.integer()
			continue
		}
		r.requestField(object.name, &request)
	}
	object.require("id", "source", "target")
	return id, request
}

// requestField reads one field that a request and a case share.
func (r *jsonReader) requestField(name string, request *Request) {
	switch name {
	case "source":
		request.Source = r.paramMap()
	case "target":
		request.Target = r.paramMap()
	case "selector":
		request.Selector = r.selector()
	case "budget":
		request.Budget = r.budget()
	}
}
