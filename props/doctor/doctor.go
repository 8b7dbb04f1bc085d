// Package doctor talks the author of a planner process through the protocol, one step after another: what was sent,
// what came back, what is wrong with it and how that is put right.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/external"
	"github.com/shardproof/shardproof/props"
)

// A Step is one exchange with the program.
type Step struct {
	Title    string
	Why      string // what the step is for, in one sentence
	Sent     string // the line, shortened; empty: nothing was sent
	Received string // likewise
	Result   string // in a few words, where all is well
	Problem  string // empty: all is well
	Advice   string // how the problem is put right
	Log      string // the program's last words, where there is a problem
}

// OK reports whether nothing is wrong.
func (s Step) OK() bool { return s.Problem == "" }

// Examine takes the program through every step and tells each as it is done. It reports whether all were well. A
// program that does not get past its greeting is asked nothing else.
func Examine(ctx context.Context, options external.Options, tell func(Step)) bool {
	e := &examination{ctx: ctx, options: options, tell: tell, cases: corpus.All(), healthy: true}
	if e.options.Limits.Hello == 0 {
		e.options.Limits.Hello = defaultLimit
	}
	if e.options.Limits.Answer == 0 {
		e.options.Limits.Answer = defaultLimit
	}
	e.info = options.Info
	if !options.Once && !e.greet() {
		if e.talk != nil {
			e.stop()
		}
		return false
	}
	for _, ask := range questions {
		if ctx.Err() != nil {
			return false
		}
		e.ask(ask)
	}
	if !options.Once {
		e.end()
		e.malformed()
	}
	return e.healthy && ctx.Err() == nil
}

// defaultLimit is the protocol's, for a greeting and for an answer.
const defaultLimit = 10 * time.Second

// An examination is one on its way.
type examination struct {
	ctx     context.Context
	options external.Options
	tell    func(Step)
	cases   []corpus.File
	healthy bool

	talk *external.Talk // nil: the program does not run at the moment
	info plan.Info
	id   int64 // of the last request
}

func (e *examination) done(step Step) bool {
	if !step.OK() {
		e.healthy = false
	}
	e.tell(step)
	return step.OK()
}

// greet starts the program and says hello.
func (e *examination) greet() bool {
	step := Step{
		Title: "hello",
		Why:   "The program says its name and what it takes, so that it is never sent what it cannot read.",
		Sent:  string(plan.AppendHelloRequest(nil)),
	}
	talk, err := e.restart()
	if err != nil {
		return e.done(step.failed("start", err.Error(), ""))
	}
	line, err := talk.Hear(e.ctx, e.options.Limits.Hello)
	step.Received = shown(line)
	if err != nil {
		return e.done(step.fault(err, talk.Log()))
	}
	hello, err := plan.DecodeHello(line)
	if err != nil {
		return e.done(step.failed("hello", err.Error(), talk.Log()))
	}
	e.info = hello.Info
	step.Result = fmt.Sprintf("it is %s %s, takes %s, reads from %s and holds %d requests at a time",
		hello.Name, hello.Version, featuresText(hello.Features), holderText(hello.AnyHolder), hello.MaxInflight)
	return e.done(step)
}

// restart starts the program and sends it the greeting.
func (e *examination) restart() (*external.Talk, error) {
	talk, err := external.StartTalk(e.options)
	if err != nil {
		return nil, err
	}
	e.talk, e.id = talk, 0
	if !e.options.Once {
		talk.Say(plan.AppendHelloRequest(nil))
	}
	return talk, nil
}

func featuresText(features []plan.Feature) string {
	if len(features) == 0 {
		return "no selector and no budget"
	}
	var names []string
	for _, feature := range features {
		names = append(names, string(feature))
	}
	return strings.Join(names, ", ")
}

func holderText(anyHolder bool) string {
	if anyHolder {
		return "a holder of its own choice"
	}
	return "the lowest holder"
}

// A question is a saved case that is put to the program.
type question struct{ title, why, name string }

// questions are in the order in which an author meets what they are about.
var questions = []question{
	{"a plain case", "Rows over two ranks to columns over four: offsets and strides of both sides.", "rows-2-to-columns-4-8x8"},
	{"a replicated case", "Rows that both source ranks hold: each read must come from a holder that the rule allows.", "bigcode-2-to-4-lowest"},
	{"a corrupt map", "No source rank holds one of the elements: no plan can be right, so the request is to be refused.", "row-19-gap"},
	{"huge sizes", "More than 2^31 rows: planning must look at the geometry and never at elements.", "huge-rows-past-2-to-31"},
	{"many pieces", "A request and an answer of many kilobytes on one line each, 16,384 copies.", "stripes-128"},
	{"values that are no map", "The extent true, which is no integer: the request is to be refused, and the program to go on.", "fault-19-true-extent"},
	{"a plain case again", "The program must still answer after a request that it could not read.", "rows-2-to-columns-4-8x8"},
}

func (e *examination) ask(q question) {
	step := Step{Title: q.title, Why: q.why}
	c := e.caseNamed(q.name)
	if err := e.ready(); err != nil {
		e.done(step.failed("start", err.Error(), ""))
		return
	}
	e.id++
	request := requestLine(e.id, c)
	step.Sent = shown(request)
	e.talk.Say(request)
	if e.options.Once {
		e.talk.CloseInput()
	}
	line, err := e.talk.Hear(e.ctx, e.options.Limits.Answer)
	if e.options.Once && len(line) > 0 && e.talk.Ended() {
		err = nil // a plain command may leave out the last line end
	}
	step.Received = shown(line)
	if err != nil {
		e.done(step.fault(err, e.talk.Log()))
		e.stop()
		return
	}
	step = e.judge(step, c, line)
	if e.options.Once {
		fault, log := e.talk.End(), e.talk.Log()
		e.talk = nil
		if fault != nil && step.OK() {
			step = step.failed("end", fault.Error(), log)
		}
	}
	e.done(step)
}

// ready starts the program anew where it does not run.
func (e *examination) ready() error {
	if e.talk != nil {
		return nil
	}
	talk, err := e.restart()
	if err != nil || e.options.Once {
		return err
	}
	_, err = talk.Hear(e.ctx, e.options.Limits.Hello)
	return err
}

func (e *examination) stop() {
	e.talk.End()
	e.talk = nil
}

func requestLine(id int64, c plan.Case) []byte {
	if c.Raw != nil {
		return plan.AppendRawRequest(nil, id, *c.Raw)
	}
	return plan.AppendPlanRequest(nil, id, c.Request)
}

func (e *examination) caseNamed(name string) plan.Case {
	for _, file := range e.cases {
		if file.Case.Name == name {
			return file.Case
		}
	}
	panic("doctor: no embedded case " + name)
}

// judge judges the line of an answer.
func (e *examination) judge(step Step, c plan.Case, text []byte) Step {
	line, err := plan.DecodeAnswerLine(text)
	switch {
	case err != nil:
		return step.failed("answer", err.Error(), e.talk.Log())
	case line.ID != e.id:
		return step.failed("id", fmt.Sprintf("the answer is to request %d, and %d was asked", line.ID, e.id), e.talk.Log())
	case line.Failed:
		return step.failed("error", "the planner says that it failed: "+shown([]byte(line.Error)), e.talk.Log())
	}
	if _, named := c.Selector.Feature(); !named && e.info.AnyHolder {
		c.Selector = plan.Selector{Policy: plan.PolicyAny}
	}
	var refusal error
	if line.Refusal != nil {
		refusal = line.Refusal
	}
	v := props.Judge(c, line.Answer, refusal)
	switch v.Outcome {
	case props.Exact:
		step.Result = fmt.Sprintf("an exact plan: %d segments, %d elements", v.Segments, v.MovedElements)
		if len(v.Should) > 0 {
			step.Result += "; it should also be " + strings.Join(v.Should, " and ") + ": " + v.Detail
		}
	case props.Refused:
		step.Result = line.Refusal.Error() + ", as is due"
	case props.Unsupported:
		step.Result = line.Refusal.Error() + ": neither a pass nor a finding"
	case props.Broken:
		return step.failed(v.Broken[0], v.Detail, "")
	default:
		step.Result = "nothing can be said: " + v.Detail
	}
	return step
}

// end closes the input of the program.
func (e *examination) end() {
	step := Step{Title: "the end of the input", Why: "The program is to exit with status 0 once its input ends."}
	if err := e.ready(); err != nil {
		e.done(step.failed("start", err.Error(), ""))
		return
	}
	fault := e.talk.End()
	log := e.talk.Log()
	e.talk = nil
	if fault != nil {
		e.done(step.failed("end", fault.Error(), log))
		return
	}
	step.Result = "it exited with status 0"
	e.done(step)
}

// cutLine is a request that ends in the middle.
const cutLine = `{"plan":{"id":1,"source":{"logical_shape":[4`

// malformed sends a line that is no JSON. A planner is never sent one, so it may exit, or say that it failed.
func (e *examination) malformed() {
	step := Step{
		Title: "a malformed line", Sent: cutLine,
		Why: "Half a line, as a broken pipe leaves: the program may exit or answer with an error, but never with a plan.",
	}
	if err := e.ready(); err != nil {
		e.done(step.failed("start", err.Error(), ""))
		return
	}
	e.talk.Say([]byte(cutLine))
	e.talk.CloseInput()
	line, err := e.talk.Hear(e.ctx, e.options.Limits.Answer)
	step.Received = shown(line)
	log := e.talk.Log()
	e.stop()
	var fault *plan.Fault
	errors.As(err, &fault)
	answer, formErr := plan.DecodeAnswerLine(line)
	switch {
	case fault != nil && fault.Name == "hang":
		step = step.failed("malformed hang", fault.Error(), log)
	case fault != nil:
		step.Result = "it ended: " + fault.Detail
	case formErr == nil && !answer.Failed && answer.Refusal == nil:
		step = step.failed("malformed", "it answered with a plan", log)
	default:
		step.Result = "it said what is wrong"
	}
	e.done(step)
}

// failed is the step with a problem, and the advice for its kind.
func (s Step) failed(kind, problem, log string) Step {
	s.Result, s.Problem, s.Advice, s.Log = "", problem, adviceFor(kind, s.Received), log
	return s
}

func (s Step) fault(err error, log string) Step {
	var fault *plan.Fault
	if !errors.As(err, &fault) {
		return s.failed("start", err.Error(), log)
	}
	return s.failed(fault.Name, fault.Error(), log)
}

// shownBytes is the most of a line that is told.
const shownBytes = 400

func shown(line []byte) string {
	text := strings.ToValidUTF8(string(line[:min(len(line), shownBytes)]), "�")
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	if len(line) > shownBytes {
		text += fmt.Sprintf(" ... (%d bytes)", len(line))
	}
	return text
}

func adviceFor(kind, received string) string {
	at := slices.IndexFunc(advice, func(row advised) bool { return row.kind == kind })
	if at < 0 {
		return ""
	}
	if (kind == "hello" || kind == "answer") && !strings.HasPrefix(strings.TrimSpace(received), "{") {
		return noiseAdvice
	}
	return advice[at].text
}
