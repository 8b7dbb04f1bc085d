package oracle

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// edges are the numbers that sums and products go wrong at.
var edges = []int64{
	0, 1, 2, 3, 7, 1<<31 - 1, 1 << 31, 1<<32 + 1, 1 << 61, 1 << 62, math.MaxInt64 - 1, math.MaxInt64,
	-1, -2, -3, -1 << 31, -1 << 32, -1 << 62, math.MinInt64 + 1, math.MinInt64,
}

// Sums and products are those of big integers, cut off at the ends of int64.
func TestCutOffArithmetic(t *testing.T) {
	for _, a := range edges {
		for _, b := range edges {
			if got, want := add(a, b), cut(new(big.Int).Add(big.NewInt(a), big.NewInt(b))); got != want {
				t.Errorf("%d + %d: got %d, want %d", a, b, got, want)
			}
			if a < 0 {
				continue
			}
			if got, want := multiply(a, b), cut(new(big.Int).Mul(big.NewInt(a), big.NewInt(b))); got != want {
				t.Errorf("%d * %d: got %d, want %d", a, b, got, want)
			}
		}
	}
}

// A wide is a big integer: sums of many numbers neither wrap nor lose their order.
func TestWide(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		sum, want := widen(0), new(big.Int)
		for range 1 + random.IntN(6) {
			value := edges[random.IntN(len(edges))]
			sum, want = sum.plus(value), want.Add(want, big.NewInt(value))
			if got := sum.narrow(); got != cut(want) {
				t.Fatalf("narrow: got %d, want %v", got, want)
			}
			for _, elements := range []int64{0, 1, 8, math.MaxInt64} {
				inside := want.Sign() >= 0 && want.Cmp(big.NewInt(elements)) < 0
				if got := sum.within(elements); got != inside {
					t.Fatalf("%v within %d: got %v", want, elements, got)
				}
			}
		}
	}
}

// A block is inside just when all its corners are, in big integers.
func TestInside(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	extents := []int64{1, 2, 3, 1 << 31, 1 << 62, math.MaxInt64}
	insides := 0
	for range 20000 {
		axes := random.IntN(4)
		shape, strides, offset := make([]int64, axes), make([]int64, axes), edges[random.IntN(len(edges))]
		lo, hi := big.NewInt(offset), big.NewInt(offset)
		for axis := range shape {
			shape[axis], strides[axis] = extents[random.IntN(len(extents))], edges[random.IntN(len(edges))]
			reach := new(big.Int).Mul(big.NewInt(shape[axis]-1), big.NewInt(strides[axis]))
			if reach.Sign() < 0 {
				lo.Add(lo, reach)
			} else {
				hi.Add(hi, reach)
			}
		}
		elements := []int64{0, 1, 4, 1 << 62, math.MaxInt64}[random.IntN(5)]
		want := lo.Sign() >= 0 && hi.Cmp(big.NewInt(elements)) < 0
		if got := inside(shape, offset, strides, elements); got != want {
			t.Fatalf("%v from %d by %v in %d elements: got %v, want %v", shape, offset, strides, elements, got, want)
		}
		if want {
			insides++
		}
	}
	if insides < 1000 {
		t.Errorf("only %d blocks were inside", insides)
	}
}
