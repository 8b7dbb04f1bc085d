package gpucheck

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shardproof/shardproof/plan"
)

// pairs lists what axes copy, by walking them: source and target element of each copy, in order of targets.
func pairs(axes []axis) [][2]int64 {
	all := [][2]int64{{0, 0}}
	for _, a := range axes {
		var next [][2]int64
		for _, p := range all {
			for i := range a.extent {
				next = append(next, [2]int64{p[0] + i*a.source, p[1] + i*a.target})
			}
		}
		all = next
	}
	slices.SortFunc(all, func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) })
	return all
}

func TestMergedCopiesTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shorter := 0
	for range 3000 {
		axes := make([]axis, random.IntN(5))
		stride := [2]int64{1, 1}
		for i := len(axes) - 1; i >= 0; i-- {
			extent := random.Int64N(3) + 1
			axes[i] = axis{extent, stride[0], stride[1]}
			if random.IntN(3) == 0 {
				axes[i].source = random.Int64N(7) - 3
			}
			stride[0], stride[1] = stride[0]*extent, stride[1]*extent+random.Int64N(2)
		}
		got := merged(axes)
		if len(got) < len(axes) {
			shorter++
		}
		if !slices.Equal(pairs(got), pairs(axes)) {
			t.Fatalf("merged(%v) = %v copies other elements", axes, got)
		}
	}
	if shorter < 1000 {
		t.Errorf("only %d of 3000 became shorter", shorter)
	}
}

// A box copies what its segment does: bytes by rows, slices and their pitches against elements by axes.
func TestBoxCopiesTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	byDepth := map[string]int{}
	for range 5000 {
		job := segmentJob{width: Widths[random.IntN(len(Widths))], source: 1 << 20, target: 1 << 30}
		source, target := int64(1), int64(1)
		for range random.IntN(4) {
			extent := random.Int64N(3) + 1
			job.axes = append([]axis{{extent, source, target}}, job.axes...)
			source, target = source*extent*(1+random.Int64N(2)), target*extent*(1+random.Int64N(2))+random.Int64N(2)
			if random.IntN(4) == 0 {
				source = job.axes[0].source * 2 // which reads some elements twice
			}
		}
		box, ok := job.box()
		if !ok {
			byDepth["none"]++
			continue
		}
		unit := int64(job.width)
		var want [][2]int64
		for _, p := range pairs(job.axes) {
			for i := range unit {
				want = append(want, [2]int64{int64(job.source) + p[0]*unit + i, int64(job.target) + p[1]*unit + i})
			}
		}
		got := pairs([]axis{
			{box.Depth, box.SourceSliceRows * box.SourcePitch, box.TargetSliceRows * box.TargetPitch},
			{box.Height, box.SourcePitch, box.TargetPitch},
			{box.WidthBytes, 1, 1},
		})
		for i := range got {
			got[i][0], got[i][1] = got[i][0]+int64(box.Source), got[i][1]+int64(box.Target)
		}
		slices.SortFunc(want, func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) })
		if !slices.Equal(got, want) {
			t.Fatalf("%v of %d bytes: the box %+v copies other bytes", job.axes, job.width, box)
		}
		// What the manual of cuMemcpy2D and cuMemcpy3D asks for.
		if box.SourcePitch < box.WidthBytes || box.TargetPitch < box.WidthBytes || box.SourceSliceRows < box.Height || box.TargetSliceRows < box.Height {
			t.Fatalf("%+v: a pitch is too small", box)
		}
		switch {
		case box.Depth > 1:
			byDepth["3-D"]++
		case box.Height > 1:
			byDepth["2-D"]++
		default:
			byDepth["contiguous"]++
		}
	}
	for _, kind := range []string{"contiguous", "2-D", "3-D", "none"} {
		if byDepth[kind] < 50 {
			t.Errorf("only %d of 5000 are %s", byDepth[kind], kind)
		}
	}
}

func TestReach(t *testing.T) {
	for _, c := range []struct {
		offset         int64
		strides, shape []int64
		lo, hi         int64
		ok             bool
	}{
		{5, nil, nil, 5, 5, true},
		{0, []int64{8, 1}, []int64{3, 8}, 0, 23, true},
		{23, []int64{-8, -1}, []int64{3, 8}, 0, 23, true},
		{10, []int64{-8, 1}, []int64{2, 4}, 2, 13, true},
		{7, []int64{math.MaxInt64, 1}, []int64{1, 3}, 7, 9, true},
		{1, []int64{math.MaxInt64}, []int64{2}, 0, 0, false},
		{0, []int64{math.MinInt64}, []int64{2}, 0, 0, false},
		{-2, []int64{-math.MaxInt64}, []int64{2}, 0, 0, false},
		{0, []int64{1 << 32}, []int64{1<<32 + 1}, 0, 0, false},
	} {
		lo, hi, ok := reach(plan.View{Offset: c.offset, Strides: c.strides}, c.shape)
		if ok != c.ok || ok && (lo != c.lo || hi != c.hi) {
			t.Errorf("reach(%d, %v, %v) = %d, %d, %v; want %d, %d, %v", c.offset, c.strides, c.shape, lo, hi, ok, c.lo, c.hi, c.ok)
		}
	}
}

// Together the digits of a label are its own, and none is the sentinel.
func TestDigitsAreInjective(t *testing.T) {
	labels := make([]int64, 0, 200_000)
	for label := range int64(70_000) {
		labels = append(labels, label)
	}
	for _, near := range []int64{255 * 255, 65535, 255 * 255 * 255, 1 << 24} {
		for label := near - 5; label < near+5; label++ {
			if label >= 70_000 {
				labels = append(labels, label)
			}
		}
	}
	for _, width := range Widths {
		digits := digitsOf(labels[len(labels)-1], width)
		texts := make([]string, len(labels))
		for place := range digits {
			image := make([]byte, len(labels)*width)
			putDigits(image, labels, width, place)
			for i := range labels {
				digit := string(image[i*width : (i+1)*width])
				if digit == string(slices.Repeat([]byte{sentinelByte}, width)) {
					t.Fatalf("%d bytes: digit %d of %d is the sentinel", width, place, labels[i])
				}
				texts[i] += digit
			}
		}
		seen := map[string]int64{}
		for i, text := range texts {
			if other, ok := seen[text]; ok {
				t.Fatalf("%d bytes: %d and %d have the same %d digits", width, labels[i], other, digits)
			}
			seen[text] = labels[i]
		}
	}
	for _, c := range []struct {
		label int64
		width int
		want  int
	}{{254, 1, 1}, {255, 1, 2}, {65024, 1, 2}, {65025, 1, 3}, {65534, 2, 1}, {65535, 2, 2}, {1 << 24, 4, 1}, {1 << 62, 8, 1}} {
		if got := digitsOf(c.label, c.width); got != c.want {
			t.Errorf("digitsOf(%d, %d) = %d, want %d", c.label, c.width, got, c.want)
		}
	}
}
