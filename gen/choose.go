// Package gen makes cases for planners: valid requests with the answer that is due, and requests with one
// fault and the refusal that is due.
//
// Everything is drawn from one source of choices, so that a property test, a campaign's seed, a fuzzer's
// bytes and a counter that runs through every small case all drive the same code. Generators build what they
// draw and never throw a draw away.
package gen

import (
	"encoding/binary"
	"math/bits"

	"pgregory.net/rapid"
)

// Choose makes one choice: a number from lo to hi, both included, lo being the simplest. The label says what
// for. It panics where hi is below lo.
type Choose func(label string, lo, hi int64) int64

// Seeded returns the choices of a seed: a SplitMix64 sequence, the same for ever.
func Seeded(seed uint64) Choose {
	state := seed
	return func(label string, lo, hi int64) int64 {
		state += golden
		return within(label, mix(state), lo, hi)
	}
}

// CaseSeed is the seed of one case of a campaign: a hash of the campaign's seed and the case's counter, so
// that case n is the same whoever draws it.
func CaseSeed(campaign, counter uint64) uint64 {
	return mix(mix(campaign+golden) ^ mix(counter*golden+1))
}

// FromRapid draws choices from a property test, which shrinks them towards lo.
func FromRapid(t *rapid.T) Choose {
	return func(label string, lo, hi int64) int64 {
		if hi < lo {
			panicEmptyRange(label)
		}
		// Drawn from 0: a range that spans zero would shrink to zero, not to lo.
		return lo + rapid.Int64Range(0, hi-lo).Draw(t, label)
	}
}

// FromBytes reads choices from a fuzzer's input: one, two or eight bytes a choice as its range needs, least
// byte first. Past the end of the input every choice is the simplest.
func FromBytes(data []byte) Choose {
	return func(label string, lo, hi int64) int64 {
		if hi < lo {
			panicEmptyRange(label)
		}
		span := uint64(hi-lo) + 1
		var word [8]byte
		data = data[copy(word[:bytesFor(span)], data):]
		if span == 0 {
			return lo + int64(binary.LittleEndian.Uint64(word[:]))
		}
		return lo + int64(binary.LittleEndian.Uint64(word[:])%span)
	}
}

func bytesFor(span uint64) int {
	switch {
	case span == 0 || span > 1<<16:
		return 8
	case span > 1<<8:
		return 2
	case span > 1:
		return 1
	}
	return 0
}

// golden is 2^64 divided by the golden ratio, SplitMix64's step.
const golden = 0x9e3779b97f4a7c15

// mix is SplitMix64's finaliser: a bijection of 64 bits in which every input bit reaches every output bit.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func within(label string, word uint64, lo, hi int64) int64 {
	if hi < lo {
		panicEmptyRange(label)
	}
	span := uint64(hi-lo) + 1
	if span == 0 {
		return lo + int64(word)
	}
	high, _ := bits.Mul64(word, span)
	return lo + int64(high)
}

func panicEmptyRange(label string) { panic("gen: nothing to choose from for " + label) }
