package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
)

// A jsonReader reads one JSON text against the form that its caller expects, from left to right.
//
// encoding/json is not strict enough for input that a judge must not misread: it takes keys in any case,
// keeps the last of two equal keys, and replaces invalid UTF-8. This reader takes nothing that the caller
// did not ask for. The first error stays: after it every read yields a zero value and every loop ends, so
// that a caller reads straight on and looks at the error once.
type jsonReader struct {
	text     []byte
	position int
	path     []pathStep // of the value that is read now
	err      *FormatError

	// Lists of numbers are cut from these, so that a map of many short lists allocates little.
	integerSlab []int64
	rankSlab    []int
}

func newJSONReader(text []byte) *jsonReader {
	return &jsonReader{text: text, path: make([]pathStep, 0, typicalDepth)}
}

// typicalDepth is how deep the numbers of a case lie: source.ranks["0"].pieces[0].source[1][0].
const typicalDepth = 8

// finish ends the text and returns the first error.
func (r *jsonReader) finish() error {
	r.path = r.path[:0]
	r.skipSpace()
	if r.err == nil && r.position < len(r.text) {
		r.failSyntax("more text after the value")
	}
	if r.err == nil {
		return nil
	}
	return r.err
}

// fail records a problem with the value that is read now.
func (r *jsonReader) fail(format string, arguments ...any) {
	if r.err == nil {
		r.err = &FormatError{Path: pathText(r.path), Problem: fmt.Sprintf(format, arguments...)}
	}
}

// failSyntax is fail for a text that is no JSON. It names the line, since the path may not lead there.
func (r *jsonReader) failSyntax(problem string) {
	line := 1 + bytes.Count(r.text[:r.position], []byte("\n"))
	if r.position >= len(r.text) {
		problem = "the text ends too early"
	}
	r.fail("line %d: %s", line, problem)
}

func (r *jsonReader) skipSpace() {
	for r.position < len(r.text) {
		switch r.text[r.position] {
		case ' ', '\n', '\t', '\r':
			r.position++
		default:
			return
		}
	}
}

// peek skips white space and returns the next byte, or 0 at the end of the text or after an error.
func (r *jsonReader) peek() byte {
	r.skipSpace()
	if r.err != nil || r.position >= len(r.text) {
		return 0
	}
	return r.text[r.position]
}

// take skips white space and moves past the byte, which is not 0, if it is the next one.
func (r *jsonReader) take(char byte) bool {
	if r.peek() != char {
		return false
	}
	r.position++
	return true
}

// open begins an object or a list, which is wanted here.
func (r *jsonReader) open(bracket byte, wanted string) {
	if !r.take(bracket) {
		r.failValue(wanted)
	}
}

// failValue says that the value here is another one than the one wanted.
func (r *jsonReader) failValue(wanted string) {
	switch char := r.peek(); {
	case char == '{':
		r.fail("an object is no %s", wanted)
	case char == '[':
		r.fail("a list is no %s", wanted)
	case char == '"':
		r.fail("a string is no %s", wanted)
	default:
		if word := r.word(); word != "" {
			r.fail("%s is no %s", word, wanted)
		}
		r.failSyntax("no value where one is due")
	}
}

// word is the number, literal or other bare word that begins here, for an error.
func (r *jsonReader) word() string {
	end := r.position
	for end < len(r.text) && isWordByte(r.text[end]) {
		end++
	}
	return shortened(string(r.text[r.position:end]))
}

func isWordByte(char byte) bool {
	return char == '+' || char == '-' || char == '.' ||
		'0' <= char && char <= '9' || 'a' <= char && char <= 'z' || 'A' <= char && char <= 'Z'
}

// An objectReader walks over the fields of one object.
type objectReader struct {
	reader *jsonReader
	fields []string // the names it may have, 64 at most; nil where the keys are data
	seen   uint64   // by index in fields
	depth  int      // of the object's own path
	begun  bool
	name   string // of the field that next has found; its value is then to be read
}

func (r *jsonReader) object(fields []string) objectReader {
	r.open('{', "object")
	return objectReader{reader: r, fields: fields, depth: len(r.path)}
}

// next moves to the next field, and ends at the closing brace.
func (o *objectReader) next() bool {
	r := o.reader
	r.path = r.path[:o.depth]
	if r.err != nil || r.take('}') {
		return false
	}
	if o.begun && !r.take(',') {
		r.failSyntax("neither , nor } after a field")
		return false
	}
	o.begun = true
	if r.peek() != '"' {
		r.failSyntax("no field name where one is due")
		return false
	}
	o.readName()
	if r.err == nil && !r.take(':') {
		r.failSyntax("no : after the field name")
	}
	return r.err == nil
}

func (o *objectReader) readName() {
	r := o.reader
	name := r.stringBytes()
	if o.fields == nil {
		o.name = string(name)
		r.path = append(r.path, pathStep{name: o.name, kind: keyStep})
		return
	}
	for i, field := range o.fields {
		if string(name) != field {
			continue
		}
		o.name = field
		r.path = append(r.path, pathStep{name: field})
		if o.seen&(1<<i) != 0 {
			r.fail("given twice")
		}
		o.seen |= 1 << i
		return
	}
	r.path = append(r.path, pathStep{name: string(name)})
	r.fail("unknown field")
}

// has reports whether a field was given. It is for after the last field.
func (o *objectReader) has(name string) bool {
	i := slices.Index(o.fields, name)
	return i >= 0 && o.seen&(1<<i) != 0
}

// require fails for the first of the names that was not given. It is for after the last field.
func (o *objectReader) require(names ...string) {
	for _, name := range names {
		if o.reader.err == nil && !o.has(name) {
			o.failField(name, "missing")
		}
	}
}

// failField records a problem with one field, whether it is there or not. It is for after the last field.
func (o *objectReader) failField(name, problem string) {
	r := o.reader
	kind := fieldStep
	if o.fields == nil {
		kind = keyStep
	}
	r.path = append(r.path, pathStep{name: name, kind: kind})
	r.fail("%s", problem)
	r.path = r.path[:o.depth]
}

// A listReader walks over the entries of one list.
type listReader struct {
	reader *jsonReader
	depth  int // of the list's own path
	index  int // of the entry that next has found; it is then to be read
	length int // the entries it must have, or -1
}

func (r *jsonReader) list() listReader { return r.tuple(-1, "list") }

// tuple is a list of so many entries; wanted says what it stands for.
func (r *jsonReader) tuple(length int, wanted string) listReader {
	r.open('[', wanted)
	return listReader{reader: r, depth: len(r.path), index: -1, length: length}
}

// next moves to the next entry, and ends at the closing bracket.
func (l *listReader) next() bool {
	r := l.reader
	r.path = r.path[:l.depth]
	if r.err != nil {
		return false
	}
	if r.take(']') {
		if l.length > l.index+1 {
			r.fail("%d entries where %d are due", l.index+1, l.length)
		}
		return false
	}
	if l.index >= 0 && !r.take(',') {
		r.failSyntax("neither , nor ] after an entry")
		return false
	}
	l.index++
	r.path = append(r.path, pathStep{index: l.index, kind: indexStep})
	if l.index == l.length {
		r.fail("one entry more than the %d due", l.length)
	}
	return r.err == nil
}

// failEntry records a problem with one entry. It is for after the last entry.
func (l *listReader) failEntry(index int, format string, arguments ...any) {
	r := l.reader
	r.path = append(r.path, pathStep{index: index, kind: indexStep})
	r.fail(format, arguments...)
	r.path = r.path[:l.depth]
}

// integer reads an int64, written without fraction or exponent.
func (r *jsonReader) integer() int64 {
	r.skipSpace()
	start := r.position
	end := r.numberEnd("integer")
	if r.err != nil {
		return 0
	}
	value, ok := smallInteger(r.text[start:end])
	if !ok {
		value = r.largeInteger(string(r.text[start:end]))
	}
	r.position = end
	return value
}

// smallInteger converts what cannot leave int64: at most 18 digits.
func smallInteger(digits []byte) (int64, bool) {
	negative := digits[0] == '-'
	if negative {
		digits = digits[1:]
	}
	if len(digits) > 18 {
		return 0, false
	}
	value := int64(0)
	for _, digit := range digits {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		value = value*10 + int64(digit-'0')
	}
	if negative {
		value = -value
	}
	return value, true
}

func (r *jsonReader) largeInteger(number string) int64 {
	for _, char := range []byte(number) {
		if char == '.' || char == 'e' || char == 'E' {
			r.fail("%s is no integer", shortened(number))
			return 0
		}
	}
	value, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		r.fail("%s is outside int64", shortened(number))
	}
	return value
}

// rank reads an integer that fits a Go int. Whether such a rank may exist is for the caller.
func (r *jsonReader) rank() int {
	value := r.integer()
	if int64(int(value)) != value {
		r.fail("%d is too large for a rank on this machine", value)
	}
	return int(value)
}

// float reads a number that a float64 can hold.
func (r *jsonReader) float() float64 {
	r.skipSpace()
	start := r.position
	end := r.numberEnd("number")
	if r.err != nil {
		return 0
	}
	value, err := strconv.ParseFloat(string(r.text[start:end]), 64)
	if err != nil {
		r.fail("%s is outside float64", shortened(string(r.text[start:end])))
	}
	r.position = end
	return value
}

// numberEnd returns where the number that begins here ends; it must be one by JSON's grammar.
func (r *jsonReader) numberEnd(wanted string) int {
	end := scanNumber(r.text, r.position)
	if end < 0 || end < len(r.text) && isWordByte(r.text[end]) {
		r.failValue(wanted)
	}
	return end
}

// scanNumber returns the end of the JSON number at the position, or -1 where none stands there.
func scanNumber(text []byte, position int) int {
	if position < len(text) && text[position] == '-' {
		position++
	}
	integerEnd := scanDigits(text, position)
	if integerEnd == position || text[position] == '0' && integerEnd > position+1 {
		return -1
	}
	position = integerEnd
	if position < len(text) && text[position] == '.' {
		end := scanDigits(text, position+1)
		if end == position+1 {
			return -1
		}
		position = end
	}
	if position < len(text) && (text[position] == 'e' || text[position] == 'E') {
		position++
		if position < len(text) && (text[position] == '+' || text[position] == '-') {
			position++
		}
		end := scanDigits(text, position)
		if end == position {
			return -1
		}
		position = end
	}
	return position
}

func scanDigits(text []byte, position int) int {
	for position < len(text) && '0' <= text[position] && text[position] <= '9' {
		position++
	}
	return position
}

// integers reads a list of integers. It is empty, and not nil, where the list has no entries.
func (r *jsonReader) integers() []int64 {
	if cap(r.integerSlab)-len(r.integerSlab) < MaxAxes {
		r.integerSlab = make([]int64, 0, r.slabSize())
	}
	start := len(r.integerSlab)
	for list := r.list(); list.next(); {
		r.integerSlab = append(r.integerSlab, r.integer())
	}
	return r.integerSlab[start:len(r.integerSlab):len(r.integerSlab)]
}

// ranks reads a list of ranks. It is empty, and not nil, where the list has no entries.
func (r *jsonReader) ranks() []int {
	if cap(r.rankSlab)-len(r.rankSlab) < MaxAxes {
		r.rankSlab = make([]int, 0, r.slabSize())
	}
	start := len(r.rankSlab)
	for list := r.list(); list.next(); {
		r.rankSlab = append(r.rankSlab, r.rank())
	}
	return r.rankSlab[start:len(r.rankSlab):len(r.rankSlab)]
}

// slabSize is enough for the numbers that the text has left, one to about eight bytes, within limits: a slab
// lives as long as any of the lists cut from it.
func (r *jsonReader) slabSize() int {
	return min(max((len(r.text)-r.position)/8, 2*MaxAxes), 1024)
}
