package plan_test

import (
	"bytes"
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// benchMap is 10 pieces over 5 ranks, as a small generated case has.
func benchMap() plan.Map {
	m := plan.Map{LogicalShape: []int64{48, 8}}
	for rank := range 5 {
		shard := plan.Shard{Rank: rank, Shape: []int64{16, 8}}
		for i := range int64(2) {
			shard.Pieces = append(shard.Pieces, plan.Piece{
				Shape:  []int64{8, 8},
				Source: plan.View{Offset: int64(rank)*64 + 64*i, Strides: []int64{8, 1}}, Dest: plan.View{Offset: 64 * i, Strides: []int64{8, 1}},
				Locations: []int{rank},
			})
		}
		m.Shards = append(m.Shards, shard)
	}
	return m
}

func BenchmarkAppendPlanRequest(b *testing.B) {
	request := plan.Request{Source: benchMap(), Target: benchMap(), Selector: plan.Selector{Policy: plan.PolicyLocal}}
	want := plan.AppendPlanRequest(nil, 17, request)
	var line []byte
	b.SetBytes(int64(len(want)))
	b.ReportAllocs()
	for b.Loop() {
		line = plan.AppendPlanRequest(line[:0], 17, request)
		if len(line) != len(want) {
			b.Fatalf("got %d bytes, want %d", len(line), len(want))
		}
	}
}

func BenchmarkDecodeRequestLine(b *testing.B) {
	line := plan.AppendPlanRequest(nil, 17, plan.Request{Source: benchMap(), Target: benchMap()})
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		got, err := plan.DecodeRequestLine(line)
		if err != nil || len(got.Source.Shards) != 5 {
			b.Fatalf("got %d shards, %v", len(got.Source.Shards), err)
		}
	}
}

func BenchmarkDecodeAnswerLine(b *testing.B) {
	var segments []plan.Segment
	for i := range 10 {
		view := plan.View{Offset: int64(64 * i), Strides: []int64{8, 1}}
		segments = append(segments, plan.Segment{
			Shape: []int64{8, 8}, Source: plan.Endpoint{Rank: i, View: view}, Target: plan.Endpoint{Rank: i, View: view},
		})
	}
	line := plan.AppendAnswer(nil, 17, plan.Answer{Plan: plan.Plan{LogicalShape: []int64{48, 8}, Segments: segments}})
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		got, err := plan.DecodeAnswerLine(line)
		if err != nil || got.ID != 17 || len(got.Answer.Plan.Segments) != 10 {
			b.Fatalf("got %+v, %v", got, err)
		}
	}
}

func BenchmarkEncodeCase(b *testing.B) {
	c := plan.Case{Name: "bench", Request: plan.Request{Source: benchMap(), Target: benchMap()}, Expect: plan.Expect{Outcome: plan.Exact}}
	want := plan.EncodeCase(c)
	b.ReportAllocs()
	for b.Loop() {
		if !bytes.Equal(plan.EncodeCase(c), want) {
			b.Fatal("written differently")
		}
	}
}
