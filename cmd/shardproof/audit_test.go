package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shardproof/shardproof/props/report"
)

func TestAnAuditWritesSeveralFormatsAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	status, out, errText := shardproof(t, "audit", "--mutant", "valid-bounds-shard-unchecked", "--checks", "100",
		"--format", "junit=report.xml", "--format", "html=report.html", "--format", "json")
	if status != report.StatusBroken {
		t.Fatalf("status %d\n%s%s", status, out, errText)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
	var suites struct{ XMLName xml.Name }
	text, err := os.ReadFile("report.xml")
	if err == nil {
		err = xml.Unmarshal(text, &suites)
	}
	if err != nil || suites.XMLName.Local != "testsuites" {
		t.Errorf("report.xml: %v, %q", err, suites.XMLName.Local)
	}
	page, err := os.ReadFile("report.html")
	if err != nil || !strings.Contains(string(page), "--mutant valid-bounds-shard-unchecked") {
		t.Errorf("report.html does not tell how to see a finding again: %v", err)
	}
}

// A file of known failures that an audit wrote makes the next one pass; an entry more makes it fail.
func TestKnownFailuresOfAnAudit(t *testing.T) {
	t.Chdir(t.TempDir())
	audit := func(more ...string) (int, string, string) {
		return shardproof(t, append([]string{"audit", "--mutant", "valid-bounds-shard-unchecked", "--checks", "200", "--known", "known.txt"}, more...)...)
	}
	if status, _, errText := audit("--update-known"); status != report.StatusPassed {
		t.Fatalf("--update-known: status %d: %s", status, errText)
	}
	text, err := os.ReadFile("known.txt")
	if err != nil || strings.Count(string(text), "\n") < 5 {
		t.Fatalf("known.txt: %v\n%s", err, text)
	}
	if status, out, _ := audit(); status != report.StatusPassed {
		t.Errorf("with every failure known: status %d\n%.3000s", status, out)
	}
	if err := os.WriteFile("known.txt", append(text, "mended it was mended\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, out, _ := audit(); status != report.StatusBroken || !strings.Contains(out, "stale: mended") {
		t.Errorf("with a stale entry: status %d\n%.3000s", status, out)
	}
}

const auditedMaps = `{"affine_map": {"version": 1, "params": {"^a$": {"logical_shape": [4], "ranks": {
	"0": {"shard_shape": [4], "pieces": [{"shape": [4], "source": [0, [1]], "dest": [0, [1]], "locations": [LOCATIONS]}]}}}}}}`

func TestMapsAreAuditedAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "maps.json")
	for locations, want := range map[string]int{"0": report.StatusPassed, "0, 1": report.StatusBroken} {
		if err := os.WriteFile(path, []byte(strings.Replace(auditedMaps, "LOCATIONS", locations, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		status, out, errText := shardproof(t, "audit", "--maps", path)
		if status != want || !strings.Contains(out, "map.holder") {
			t.Errorf("locations %s: status %d, want %d\n%s%s", locations, status, want, out, errText)
		}
	}
}

func TestBadUsageOfAnAuditIsOneLine(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "known.txt")
	if err := os.WriteFile(bad, []byte("values\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		want      string
		arguments []string
	}{
		{"no format", []string{"--format", "stone"}},
		{"without a file of their own", []string{"--format", "json", "--format", "html"}},
		{"has a file of its own", []string{"--format", "json=a", "--output", "b"}},
		{"needs --known", []string{"--update-known"}},
		{"has no reason", []string{"--known", bad}},
		{"maps alone", []string{"--maps", bad, "--mutant", "m"}},
		{"known.txt: ", []string{"--maps", bad}},
	} {
		status, out, errText := shardproof(t, append([]string{"audit"}, test.arguments...)...)
		if status != report.StatusUsage || out != "" || strings.Count(errText, "\n") != 1 || !strings.Contains(errText, test.want) {
			t.Errorf("%q: status %d, printed %q and %q; want one line that tells %q", test.arguments, status, out, errText, test.want)
		}
	}
}

func TestSchemasArePrinted(t *testing.T) {
	status, names, _ := shardproof(t, "schema")
	if status != 0 {
		t.Fatalf("status %d", status)
	}
	for _, name := range strings.Fields(names) {
		if status, text, _ := shardproof(t, "schema", name); status != 0 || !json.Valid([]byte(text)) {
			t.Errorf("schema %s: status %d, printed %.200s", name, status, text)
		}
	}
	if status, _, errText := shardproof(t, "schema", "none"); status != report.StatusUsage || !strings.Contains(errText, "no schema") {
		t.Errorf("schema none: status %d, %s", status, errText)
	}
}
