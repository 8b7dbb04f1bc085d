package oracle

import (
	"fmt"
	"strings"
)

// NoLabel stands where an element has no label: nothing was written, or it was read outside every shard.
const NoLabel = -1

// NoRank stands where an element was read from no shard.
const NoRank = -1

// An Element is one element of a target shard, and what a plan did to it.
type Element struct {
	TargetRank      int
	Address         int64   // in the shard; one outside it for a write that strays
	ShardCoordinate []int64 // nil outside the shard

	Wanted            int64 // the label that the target map wants there, or NoLabel outside the shard
	LogicalCoordinate []int64
	Found             int64 // the label found there, or NoLabel
	FoundCoordinate   []int64

	SourceRank    int // the rank that it was read from, or NoRank
	SourceAddress int64
}

// A sight is an element as an oracle meets it: places and labels, before they are put in words.
type sight struct {
	target        int32 // the shard's place
	address       int64
	wanted, found int64
	source        int32 // the shard's place, or absent
	sourceAddress int64
}

// before orders sights: the lowest target rank first, then the lowest address.
func (s *sight) before(other *sight) bool {
	return s.target < other.target || s.target == other.target && s.address < other.address
}

// element puts a sight in the words of ranks and coordinates.
func (l *look) element(s sight) *Element {
	shard := l.target[s.target]
	e := &Element{
		TargetRank: shard.Rank, Address: s.address, Wanted: s.wanted, Found: s.found,
		SourceRank: NoRank, SourceAddress: s.sourceAddress,
	}
	if 0 <= s.address && s.address < shard.elements {
		e.ShardCoordinate = coordinate(shard.Shape, s.address)
	}
	if s.wanted != NoLabel {
		e.LogicalCoordinate = coordinate(l.request.Target.LogicalShape, s.wanted)
	}
	if s.found != NoLabel {
		e.FoundCoordinate = coordinate(l.request.Source.LogicalShape, s.found)
	}
	if s.source != absent {
		e.SourceRank = l.source[s.source].Rank
	}
	return e
}

// strayed says that a segment wrote, or read, outside its shard.
func (l *look) strayed(s sight) wrong {
	e := l.element(s)
	text := place(e)
	if e.ShardCoordinate == nil {
		text += fmt.Sprintf(", outside its %d elements: written", l.target[s.target].elements)
	}
	text += origin(e)
	if s.source != absent {
		if n := l.source[s.source].elements; s.sourceAddress < 0 || s.sourceAddress >= n {
			text += fmt.Sprintf(", outside its %d elements", n)
		}
	}
	return wrong{element: e, detail: text}
}

// unwritten says that an element was never written.
func (l *look) unwritten(s sight) wrong {
	e := l.element(s)
	return wrong{element: e, detail: place(e) + ", never written"}
}

// rewritten says that an element was written several times. Segments have no order, so it holds no one label.
func (l *look) rewritten(s sight, writes int64) wrong {
	e := l.element(s)
	return wrong{element: e, detail: fmt.Sprintf("%s, written %d times", place(e), writes)}
}

// mistaken says that an element holds another label than the one wanted.
func (l *look) mistaken(s sight) wrong {
	e := l.element(s)
	return wrong{element: e, detail: place(e) + fmt.Sprintf(", holds logical %v", e.FoundCoordinate) + origin(e)}
}

// misread says that an element holds the right label, read from a holder that the selector does not allow.
func (l *look) misread(s sight, due choice) wrong {
	e := l.element(s)
	text := place(e) + origin(e)
	if due.none {
		return wrong{element: e, detail: text + ", where the selector names no candidate"}
	}
	return wrong{element: e, detail: fmt.Sprintf("%s, must be read from source rank %d", text, due.rank)}
}

func place(e *Element) string {
	var text strings.Builder
	fmt.Fprintf(&text, "target rank %d", e.TargetRank)
	if e.ShardCoordinate != nil {
		fmt.Fprintf(&text, " %v", e.ShardCoordinate)
	}
	fmt.Fprintf(&text, " (address %d)", e.Address)
	if e.Wanted != NoLabel {
		fmt.Fprintf(&text, ": wants logical %v", e.LogicalCoordinate)
	}
	return text.String()
}

func origin(e *Element) string {
	if e.SourceRank == NoRank {
		return ""
	}
	return fmt.Sprintf(", read from source rank %d address %d", e.SourceRank, e.SourceAddress)
}
