package plan

import (
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a string.
func (r *jsonReader) string() string {
	if r.peek() != '"' {
		r.failValue("string")
		return ""
	}
	return string(r.stringBytes())
}

// stringBytes reads the string that begins here; the bytes are the text's own where it has no escapes.
func (r *jsonReader) stringBytes() []byte {
	raw, escaped := r.scanString()
	if r.err != nil || !escaped {
		return raw
	}
	return r.unescape(raw)
}

// scanString moves past the string that begins here and returns what is between its quotes, which is valid
// UTF-8 with well-formed escapes, and whether it has any.
func (r *jsonReader) scanString() (raw []byte, escaped bool) {
	r.position++
	start := r.position
	ascii := true
	for r.position < len(r.text) && r.err == nil {
		switch char := r.text[r.position]; {
		case char == '"':
			raw = r.text[start:r.position]
			if !ascii && !utf8.Valid(raw) {
				r.failSyntax("invalid UTF-8")
			}
			r.position++
			return raw, escaped
		case char == '\\':
			escaped = true
			r.scanEscape()
		case char < ' ':
			r.failSyntax("a control character in a string")
		default:
			ascii = ascii && char < utf8.RuneSelf
			r.position++
		}
	}
	r.failSyntax("an unfinished string")
	return nil, escaped
}

func (r *jsonReader) scanEscape() {
	rest := r.text[r.position:]
	switch {
	case len(rest) >= 6 && rest[1] == 'u' && hexValue(rest[2:6]) >= 0:
		r.position += 6
	case len(rest) >= 2 && plainEscape(rest[1]) != 0:
		r.position += 2
	case len(rest) < 2 || rest[1] == 'u' && len(rest) < 6:
		r.position = len(r.text)
	default:
		r.failSyntax("an unknown escape in a string")
	}
}

// plainEscape is the byte that a letter after a backslash stands for, or 0.
func plainEscape(letter byte) byte {
	switch letter {
	case '"', '\\', '/':
		return letter
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return 0
}

// hexValue is the number of four hexadecimal digits, or -1.
func hexValue(digits []byte) rune {
	value := rune(0)
	for _, digit := range digits {
		switch {
		case '0' <= digit && digit <= '9':
			value = value<<4 | rune(digit-'0')
		case 'a' <= digit && digit <= 'f':
			value = value<<4 | rune(digit-'a'+10)
		case 'A' <= digit && digit <= 'F':
			value = value<<4 | rune(digit-'A'+10)
		default:
			return -1
		}
	}
	return value
}

// unescape replaces the escapes of a scanned string. Half a surrogate pair is no character.
func (r *jsonReader) unescape(raw []byte) []byte {
	text := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		switch {
		case raw[0] != '\\':
			text = append(text, raw[0])
			raw = raw[1:]
		case raw[1] != 'u':
			text = append(text, plainEscape(raw[1]))
			raw = raw[2:]
		default:
			char := hexValue(raw[2:6])
			raw = raw[6:]
			if utf16.IsSurrogate(char) {
				low := rune(-1)
				if len(raw) >= 6 && raw[0] == '\\' && raw[1] == 'u' {
					low = hexValue(raw[2:6])
				}
				if char = utf16.DecodeRune(char, low); char == utf8.RuneError {
					r.fail("half a surrogate pair in a string")
					return nil
				}
				raw = raw[6:]
			}
			text = utf8.AppendRune(text, char)
		}
	}
	return text
}

// maxRawDepth is how deep lists and objects may nest in a value that is kept as it is: enough for any map,
// and too little to exhaust a reader's stack.
const maxRawDepth = 64

// raw reads any JSON value and returns it without the white space between its tokens. It is kept as it is
// otherwise: equal keys, numbers of any size and half surrogate pairs included.
func (r *jsonReader) raw() []byte {
	return r.appendRaw(nil, 0)
}

func (r *jsonReader) appendRaw(dst []byte, depth int) []byte {
	switch char := r.peek(); {
	case r.err != nil:
	case depth > maxRawDepth:
		r.fail("nested more than %d deep", maxRawDepth)
	case char == '"':
		raw, _ := r.scanString()
		dst = append(append(append(dst, '"'), raw...), '"')
	case char == '[':
		dst = r.appendRawList(dst, depth)
	case char == '{':
		dst = r.appendRawObject(dst, depth)
	default:
		dst = r.appendRawWord(dst)
	}
	return dst
}

func (r *jsonReader) appendRawWord(dst []byte) []byte {
	word := r.word()
	end := scanNumber(r.text, r.position)
	switch {
	case word == "true" || word == "false" || word == "null":
		end = r.position + len(word)
	case end < 0 || end < len(r.text) && isWordByte(r.text[end]):
		r.failValue("JSON value")
		return dst
	}
	dst = append(dst, r.text[r.position:end]...)
	r.position = end
	return dst
}

func (r *jsonReader) appendRawList(dst []byte, depth int) []byte {
	r.position++
	dst = append(dst, '[')
	for first := true; r.err == nil && !r.take(']'); first = false {
		if !first {
			if !r.take(',') {
				r.failSyntax("neither , nor ] after an entry")
				break
			}
			dst = append(dst, ',')
		}
		dst = r.appendRaw(dst, depth+1)
	}
	return append(dst, ']')
}

func (r *jsonReader) appendRawObject(dst []byte, depth int) []byte {
	r.position++
	dst = append(dst, '{')
	for first := true; r.err == nil && !r.take('}'); first = false {
		if !first {
			if !r.take(',') {
				r.failSyntax("neither , nor } after a field")
				break
			}
			dst = append(dst, ',')
		}
		if r.peek() != '"' {
			r.failSyntax("no field name where one is due")
			break
		}
		name, _ := r.scanString()
		dst = append(append(append(dst, '"'), name...), `":`...)
		if r.err == nil && !r.take(':') {
			r.failSyntax("no : after the field name")
		}
		dst = r.appendRaw(dst, depth+1)
	}
	return append(dst, '}')
}
