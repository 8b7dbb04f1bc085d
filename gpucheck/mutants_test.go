package gpucheck

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var mutants = flag.Bool("mutants", false, "build the replay with one line changed, many times over, and see that a test fails each time")

// replayMutants are lines of this package that a test must miss when they are wrong.
var replayMutants = []struct{ doc, file, from, to string }{
	{"counters are not cleared", "run.go", "return device.Fill(s.counts, 0, s.elements*counterBytes)", "return nil"},
	{"targets are not cleared", "run.go", "device.Fill(s.found, sentinelByte, s.elements*int64(r.width))", "error(nil)"},
	{"counters are not compared", "place.go", "if counted {", "if false {"},
	{"guards are not compared", "place.go", "First:    uint64(p.begin),", "First:    uint64(p.first),"},
	{"guards hold nothing that is told apart", "place.go", "image[i] = sentinelByte", "image[i] = 0"},
	{"shards stand at one offset", "place.go", "p.first = p.begin + minGuard + random.Int64N(guardSpread)", "p.first = p.begin + minGuard"},
	{"a device that does not compare is believed", "run.go", "if verdict.Compared != due[i] {", "if false {"},
	{"sources are not compared", "run.go", "return r.compare(r.sources, Way{Name: \"all\"}, r.explainSource)", "return nil"},
	{"sources are compared with themselves", "run.go", "if s.expected, err = r.upload(s.device, image); err != nil {", "if s.expected = s.found; false {"},
	{"segments stand in the plan's order", "run.go", "jobs[device][i], jobs[device][j] = jobs[device][j], jobs[device][i]", ""},
	{"one way only", "run.go", "for _, way := range ways {", "for _, way := range ways[:1] {"},
	{"the driver never copies", "run.go", "if way.driver {", "if false {"},
	{"one digit only", "replay.go", "digitsOf(s.largest, width) > digit {", "digit == 0 {"},
	{"a digit may be the sentinel", "digits.go", "return 1<<(8*width) - 1", "return 1 << (8 * width)"},
	{"the halves of a wide element are alike", "digits.go", "PutUint64(at[8:], ^digit<<1)", "PutUint64(at[8:], digit)"},
	{"reads outside are launched", "segment.go", "outside(\"reads source\", from.Source, from.Shape, s.sources[source].elements); f != nil", "(*Finding)(nil); f != nil"},
	{"writes outside are launched", "segment.go", "outside(\"writes target\", from.Target, from.Shape, s.targets[target].elements); f != nil", "(*Finding)(nil); f != nil"},
	{"one past the end is inside", "segment.go", "hi < elements", "hi <= elements"},
	{"before the start is inside", "segment.go", "lo >= 0 && hi <", "lo <= hi && hi <"},
	{"addresses wrap", "segment.go", "return n * step, high == 0 && low <= math.MaxInt64", "return n * step, high == 0 || low <= math.MaxInt64"},
	{"sums of addresses wrap", "segment.go", "ok = ok && fits && hi <= math.MaxInt64-step", "ok = ok && fits"},
	{"axes join by the target alone", "segment.go", "outer.source == inner.extent*inner.source && ", ""},
	{"slices may overlap", "way.go", " && slice/row >= box.Height", ""},
	{"one allocation is not freed", "arena.go", "i >= 0; i--", "i > 0; i--"},
	{"everything is exact", "replay.go", "case s.finding != nil:", "case false:"},
	{"all shards are on one device", "run.go", "device := (start + j) % devices", "device := start * 0"},
	{"a second write is no fault", "run.go", "case writes > 1:", "case writes > 2:"},
	{"what is sampled is exact", "replay.go", "case s.sampled:", "case false:"},
	{"a window stands where its shard begins", "place.go", "p.first - p.shard.begin", "p.first"},
	{"a window tells addresses of its own", "window.go", "cut.begin, cut.labels = lo,", "cut.begin, cut.labels = 0,"},
	{"all windows are at the beginning", "window.go", "lo := max(0, min(address-windowElements/2, elements-windowElements))", "lo := int64(0)"},
	{"windows may lie in gaps", "window.go", "i := slices.Index(cut.labels, oracle.NoValue); i >= 0", "i := 0; i > 0"},
	{"two elements may be placed at one address", "window.go", "volume += part.volume(); volume > hi-lo", "volume += part.volume(); false"},
	{"windows are written for ever", "window.go", "volume/volumeLimit > windowElements", "false"},
	{"the first slice in a window is left out", "window.go", "first, last = max(0, first)", "first, last = max(0, first+1)"},
	{"whole slices are cut short", "window.go", "lastWhole-firstWhole+1", "max(1, lastWhole-firstWhole)"},
	{"steps back are steps forward", "window.go", "i = extent - i - n", "i += 0"},
	{"halves overlap", "window.go", "s.sliced(longest, extent/2, extent-extent/2)", "s.sliced(longest, extent/2-1, extent-extent/2)"},
	{"a failing case is not looked for", "supervisor.go", "if job.Count > 1 {", "if false {"},
	{"the upper half is left out", "supervisor.go", "other, err := s.Do(ctx, upper)", "other, err := s.Do(ctx, lower)"},
	{"a wrong plan is measured", "figure.go", "if wrong != 0 {", "if false {"},
}

// Every mutant is noticed by a test of this package that needs no device.
func TestMutantsOfTheReplay(t *testing.T) {
	if !*mutants {
		t.Skip("-mutants builds the package many times over")
	}
	killed := 0
	for _, m := range replayMutants {
		if out, alive := runMutant(t, m.file, m.from, m.to); alive {
			t.Errorf("%s (%s): no test notices", m.doc, m.file)
		} else {
			killed++
			t.Logf("%s: %s", m.doc, out)
		}
	}
	t.Logf("%d of %d mutants killed", killed, len(replayMutants))
}

func runMutant(t *testing.T, file, from, to string) (out string, alive bool) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), from) != 1 {
		t.Fatalf("%s has %q %d times", file, from, strings.Count(string(text), from))
	}
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, file), filepath.Join(dir, "overlay.json")
	original, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{changed: strings.Replace(string(text), from, to, 1), overlay: string(replace)} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("go", "test", "-vet=off", "-failfast", "-timeout=120s", "-overlay="+overlay,
		"-run", "Device|Digit|Launches|Rounds|Offsets|Merged|Box|Reach|Window|Stretches|Huge|Failure|Culprit|Measure", ".")
	all, err := command.CombinedOutput()
	if strings.Contains(string(all), "[build failed]") {
		t.Fatalf("%s with %q does not build:\n%s", file, to, all)
	}
	for _, line := range strings.Split(string(all), "\n") {
		if strings.Contains(line, "--- FAIL") || strings.Contains(line, "panic:") {
			return strings.TrimSpace(line), false
		}
	}
	return string(all), err == nil
}
