package corpus_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
)

// columns is one row of so many columns, on one rank; its expectation is made up.
func columns(n int64) plan.Case {
	m := plan.Map{LogicalShape: []int64{1, n}, Shards: []plan.Shard{{Rank: 3, Shape: []int64{1, n}, Pieces: []plan.Piece{{
		Shape: []int64{1, n}, Source: plan.View{Strides: []int64{n, 1}}, Dest: plan.View{Strides: []int64{n, 1}}, Locations: []int{3},
	}}}}}
	return plan.Case{Request: plan.Request{Source: m, Target: m}, Expect: plan.Expect{Outcome: plan.Exact}, Origin: "made up"}
}

func TestSaveAndLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	want := columns(4)
	want.Found = &plan.Found{Planner: "p 1", Seed: "7", Broken: []string{"values"}, Plan: &plan.Plan{LogicalShape: []int64{1, 4}}}
	path, err := corpus.Save(dir, want)
	if err != nil {
		t.Fatal(err)
	}
	// The name was computed by Python, from the compact text written by hand.
	want.Name = "589c3db1a5d6"
	if got := filepath.Join(dir, want.Name+".json"); path != got {
		t.Errorf("saved to %s, want %s", path, got)
	}
	got, err := corpus.Load(path)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v, %v: others are to read it too", info.Mode(), err)
	}
}

func TestSaveReplaces(t *testing.T) {
	dir := t.TempDir()
	c := columns(4)
	first, err := corpus.Save(dir, c)
	if err != nil {
		t.Fatal(err)
	}
	c.Origin = "found again"
	second, err := corpus.Save(dir, c)
	if err != nil || first != second {
		t.Fatalf("saved to %s and %s, %v, want one file", first, second, err)
	}
	files, err := corpus.LoadDir(dir)
	if err != nil || len(files) != 1 || files[0].Case.Origin != "found again" || files[0].Path != second {
		t.Errorf("got %+v, %v, want the second case alone", files, err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left %v behind", entries)
	}
}

func TestNameOfRawCase(t *testing.T) {
	dir := t.TempDir()
	names := map[string]bool{}
	for _, source := range []string{`4.7`, `null`} {
		path, err := corpus.Save(dir, plan.Case{
			Raw: &plan.Raw{Source: []byte(source), Target: []byte(`1`)}, Expect: plan.Expect{Outcome: plan.Refused},
		})
		if err != nil {
			t.Fatal(err)
		}
		names[path] = true
	}
	if len(names) != 2 {
		t.Errorf("two raw cases have one name: %v", names)
	}
}

func TestNameIsOfTheRequest(t *testing.T) {
	one, other := columns(4), columns(5)
	if corpus.Name(one.Request) == corpus.Name(other.Request) {
		t.Error("two requests have one name")
	}
	limit := int64(1)
	other = one
	other.Budget.MaxSegments = &limit
	if corpus.Name(one.Request) == corpus.Name(other.Request) {
		t.Error("a budget does not change the name")
	}
}

func TestSaveRefusesWhatDoesNotRead(t *testing.T) {
	dir := t.TempDir()
	c := columns(4)
	c.Source.Shards = []plan.Shard{{Rank: -1}}
	_, err := corpus.Save(dir, c)
	if err == nil || !strings.Contains(err.Error(), `source.ranks["-1"]`) {
		t.Errorf("got %v, want an error that names the rank", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left %v behind", entries)
	}
}

func TestSaveReportsTheFileSystem(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := corpus.Save(file, columns(4)); err == nil {
		t.Error("saved into a file")
	}
}

func TestLoadNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := write("deep/er/b.json", `{"version": 2}`)
	second := write("a.json", `{"version": 1, "name": "x", "source": {"logical_shape": [1.5]}}`)
	write(".a.json-123.tmp", "half a fi")
	write(".hidden.json", "half a fi")
	write("notes.txt", "no case")
	want := second + ": source.logical_shape[0]: 1.5 is no integer\n" + first + ": version: 2 is unknown, only 1 is known"
	files, err := corpus.LoadDir(dir)
	if err == nil || err.Error() != want || files != nil {
		t.Errorf("got %v, %v, want %s", files, err, want)
	}
	var format *plan.FormatError
	if _, err := corpus.Load(first); !errors.As(err, &format) || format.Path != "version" {
		t.Errorf("got %v, want a *plan.FormatError of version", err)
	}
	if _, err := corpus.Load(filepath.Join(dir, "none.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: got %v", err)
	}
	if _, err := corpus.LoadDir(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing directory: got %v", err)
	}
}

func TestLoadDirIsSorted(t *testing.T) {
	files, err := corpus.LoadDir("cases")
	if err != nil {
		t.Fatal(err)
	}
	embedded := corpus.All()
	for i, file := range files {
		if file.Path != embedded[i].Path {
			t.Fatalf("file %d is %s, and %s among the embedded ones", i, file.Path, embedded[i].Path)
		}
		if i > 0 && files[i-1].Path >= file.Path {
			t.Errorf("%s stands before %s", files[i-1].Path, file.Path)
		}
	}
	if len(files) < 400 {
		t.Errorf("got %d files", len(files))
	}
}

// saverDir is set in the environment of a process that does nothing but save.
const saverDir = "CORPUS_TEST_SAVER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(saverDir); dir != "" {
		saveForever(dir)
	}
	os.Exit(m.Run())
}

// saveForever saves cases one after another, and says so after each.
func saveForever(dir string) {
	for n := int64(1); ; n++ {
		c := columns(1 + n%50)
		c.Origin = strings.Repeat("long ", int(n%1000))
		path, err := corpus.Save(dir, c)
		if err != nil {
			panic(err)
		}
		os.Stdout.WriteString(path + "\n")
	}
}

// A process that is killed while it saves leaves every case that it said it saved, and no part of one.
func TestSaveSurvivesKill(t *testing.T) {
	dir := t.TempDir()
	said := 0
	for round := range 8 {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), saverDir+"="+dir)
		var output strings.Builder
		command.Stdout = &output
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(40+7*round) * time.Millisecond)
		command.Process.Kill()
		command.Wait()
		for _, path := range strings.Fields(output.String()) {
			said++
			if _, err := corpus.Load(path); err != nil {
				t.Fatalf("round %d: saved and lost: %v", round, err)
			}
		}
		if _, err := corpus.LoadDir(dir); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	if said == 0 {
		t.Skip("no save came to its end: the machine is too slow for this test to say anything")
	}
}
