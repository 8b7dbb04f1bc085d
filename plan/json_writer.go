package plan

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// appendString appends a string as JSON. What is no valid UTF-8 in it becomes the replacement character.
func appendString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for _, char := range text {
		switch {
		case char == '"' || char == '\\':
			dst = append(dst, '\\', byte(char))
		case char == '\n':
			dst = append(dst, `\n`...)
		case char == '\t':
			dst = append(dst, `\t`...)
		case char < ' ' || char == 0x7f:
			dst = append(dst, `\u00`...)
			dst = append(dst, hexDigits[char>>4], hexDigits[char&15])
		default:
			dst = utf8.AppendRune(dst, char)
		}
	}
	return append(dst, '"')
}

const hexDigits = "0123456789abcdef"

// appendList appends a list of numbers.
func appendList[T int | int64](dst []byte, values []T, space spacing) []byte {
	dst = append(dst, '[')
	for i, value := range values {
		if i > 0 {
			dst = append(dst, space.comma...)
		}
		dst = strconv.AppendInt(dst, int64(value), 10)
	}
	return append(dst, ']')
}

func appendIntegers(dst []byte, values []int64) []byte {
	return appendList(dst, values, compactSpacing)
}

// appendFloat appends the shortest number that reads as the same float64; null where there is none.
func appendFloat(dst []byte, value float64) []byte {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, value, 'g', -1, 64)
}
