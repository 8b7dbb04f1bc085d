package gpucheck

import "encoding/binary"

// Widths are the element widths of a replay, in bytes.
var Widths = []int{1, 2, 4, 8, 16}

// sentinelByte fills what must not be written, and what has not been. No digit consists of it alone.
const sentinelByte = 0xFF

// sentinel is sentinelByte as the tables take it.
const sentinel = ^uint64(0)

// base is how many digits a width has: every value but the sentinel. Labels are below 2^63, so 8 bytes hold any.
func base(width int) int64 {
	if width >= 8 {
		return 1<<63 - 1
	}
	return 1<<(8*width) - 1
}

// digitsOf is how many digits a label has at a width. As many runs are needed to tell it from all others: a marker
// that repeats would let a wrong element pass for the right one.
func digitsOf(label int64, width int) int {
	digits := 1
	for ; label >= base(width); label /= base(width) {
		digits++
	}
	return digits
}

// putDigits writes one digit of each label, the least having place 0.
func putDigits(to []byte, labels []int64, width, place int) {
	unit := int64(1)
	for range place {
		unit *= base(width)
	}
	radix := base(width)
	for i, label := range labels {
		digit := uint64(label / unit % radix)
		switch at := to[i*width:]; width {
		case 1:
			at[0] = byte(digit)
		case 2:
			binary.LittleEndian.PutUint16(at, uint16(digit))
		case 4:
			binary.LittleEndian.PutUint32(at, uint32(digit))
		case 8:
			binary.LittleEndian.PutUint64(at, digit)
		default:
			// The halves differ, so that one in the place of the other shows.
			binary.LittleEndian.PutUint64(at, digit)
			binary.LittleEndian.PutUint64(at[8:], ^digit<<1)
		}
	}
}
