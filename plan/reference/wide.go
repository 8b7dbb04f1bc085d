package reference

import "math/bits"

// A wide is an unsigned 128-bit count. One shard's elements fit int64; those of all shards together need
// not, and a flow over them must not wrap.
type wide struct{ hi, lo uint64 }

func wideOf(n int64) wide { return wide{lo: uint64(n)} }

func (a wide) plus(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	hi, _ := bits.Add64(a.hi, b.hi, carry)
	return wide{hi, lo}
}

func (a wide) minus(b wide) wide {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return wide{hi, lo}
}

func (a wide) less(b wide) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func (a wide) isZero() bool { return a == wide{} }

// over is the least count that n times is at least a.
func (a wide) over(n int) wide {
	a = a.plus(wideOf(int64(n) - 1))
	hi, rest := bits.Div64(0, a.hi, uint64(n))
	lo, _ := bits.Div64(rest, a.lo, uint64(n))
	return wide{hi, lo}
}

func lesser(a, b wide) wide {
	if b.less(a) {
		return b
	}
	return a
}
