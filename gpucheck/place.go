package gpucheck

import (
	"math/rand/v2"

	"github.com/shardproof/shardproof/gpucheck/kernel"
)

// Guards are at least minGuard elements on each side of a shard, and up to guardSpread more, drawn anew each run: so
// every alignment to 16 bytes comes up on both sides, and equal shards seldom stand at equal offsets.
const (
	minGuard    = 16
	guardSpread = 16
)

// A side is the source shards, or the target shards, of a run's subjects on one device. Shards stand one after another
// in one slab of memory, each between two guards of its own, so that every element of the slab is accounted for.
type side struct {
	device   int
	width    int
	places   []place
	elements int64 // of the slab

	found, expected, counts Address // of the slab; counts is 0 for source shards
}

// A place is where a shard stands, or a stretch of one.
type place struct {
	subject int // in the run
	shard   *labelled
	begin   int64 // element of the slab: its guard's first
	first   int64 // element of the slab: its own first
	end     int64 // element of the slab: past its last guard
}

// add places a shard at a random storage offset.
func (s *side) add(random *rand.Rand, subject int, shard *labelled) int {
	p := place{subject: subject, shard: shard, begin: s.elements}
	p.first = p.begin + minGuard + random.Int64N(guardSpread)
	p.end = p.first + int64(len(shard.labels)) + minGuard + random.Int64N(guardSpread)
	s.places = append(s.places, p)
	s.elements = p.end
	return len(s.places) - 1
}

// image is what the slab should hold in the end: digits between guards.
func (s *side) image(digit int) []byte {
	image := make([]byte, s.elements*int64(s.width))
	for i := range image {
		image[i] = sentinelByte
	}
	for _, p := range s.places {
		putDigits(image[p.first*int64(s.width):], p.shard.labels, s.width, digit)
	}
	return image
}

// element is the address of element 0 of a place's shard: outside the slab where the place has another stretch of it.
func (s *side) element(p place) Address { return s.found + Address(p.origin()*int64(s.width)) }

// counter is the address of that element's counter, 0 where nothing is counted.
func (s *side) counter(p place, counted bool) Address {
	if !counted {
		return 0
	}
	return s.counts + Address(p.origin()*counterBytes)
}

// origin is the element of the slab that its shard's address 0 would be.
func (p place) origin() int64 { return p.first - p.shard.begin }

// entries are the places as compare_shards reads them; verdicts has an entry a subject.
func (s *side) entries(verdicts Address, counted bool) []kernel.Shard {
	entries := make([]kernel.Shard, len(s.places))
	for i, p := range s.places {
		entries[i] = kernel.Shard{
			First:    uint64(p.begin),
			Found:    uint64(s.found) + uint64(p.begin)*uint64(s.width),
			Expected: uint64(s.expected) + uint64(p.begin)*uint64(s.width),
			Sentinel: sentinel,
			Width:    uint64(s.width),
			Verdict:  uint64(verdicts) + uint64(p.subject)*kernel.VerdictBytes,
		}
		if counted {
			entries[i].Counts = uint64(s.counts) + uint64(p.begin)*counterBytes
		}
	}
	return entries
}
