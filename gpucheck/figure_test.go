package gpucheck

import (
	"context"
	"strings"
	"testing"
)

func TestMeasure(t *testing.T) {
	subjects := append(generated(t, 12), smallRows(t))
	onMachines(t, func(t *testing.T, machine *Machine) {
		for _, subject := range subjects {
			elements, ok := Elements(subject.Request)
			if !ok || elements == 0 || elements > 1<<20 {
				continue
			}
			figure, err := Measure(context.Background(), machine, subject, 4, 3)
			if err != nil {
				t.Error(err)
				continue
			}
			if figure.Bytes > 0 && (figure.Direct <= 0 || figure.Rebuild <= 0 || figure.Copy <= 0 || figure.RebuildOverDirect <= 0) {
				t.Errorf("%s: %+v", subject.Name, figure)
			}
		}
		// 24 elements of 4 bytes on each side, and 4 segments; the map of the sources has 2 pieces and of the targets 3.
		figure, err := Measure(context.Background(), machine, smallRows(t), 4, 1)
		if err != nil {
			t.Fatal(err)
		}
		if figure.Bytes != 96 || figure.DirectPeakBytes != 2*96+4*256 || figure.RebuildPeakBytes != 3*96+5*256 {
			t.Errorf("sizes of %+v, want 96, %d and %d bytes", figure, 2*96+4*256, 3*96+5*256)
		}
	})
}

// A figure of a wrong plan is none.
func TestMeasureRefusesAWrongPlan(t *testing.T) {
	subject := smallRows(t)
	subject.Plan.Segments = subject.Plan.Segments[1:]
	onMachines(t, func(t *testing.T, machine *Machine) {
		_, err := Measure(context.Background(), machine, subject, 4, 1)
		if err == nil || !strings.Contains(err.Error(), "elements differ") {
			t.Errorf("error %v, want that elements differ", err)
		}
	})
	subject.Plan.Segments[0].Source.Offset = 1 << 40
	if _, err := Measure(context.Background(), Host(1), subject, 4, 1); err == nil || !strings.Contains(err.Error(), "leaves its shard") {
		t.Errorf("error %v, want that a copy leaves its shard", err)
	}
}
