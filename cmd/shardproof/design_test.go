package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/shardproof/shardproof/"

// allowed says which packages of this module each may import, tests apart. The judge shares no code with
// the judged: oracle sees plan alone, and nothing that makes or breaks plans.
var allowed = map[string][]string{
	"plan/internal/box": {},
	"plan":              {"plan/internal/box"},
	"plan/layout":       {"plan"},
	"plan/schema":       {},
	"plan/reference":    {"plan", "plan/internal/box"},
	"plan/mutant":       {"plan", "plan/reference"},
	"plan/external":     {"plan"},
	"oracle":            {"plan"},
	"corpus":            {"plan"},
	"gen":               {"plan", "plan/layout"},
	"props":             {"plan", "oracle", "gen", "corpus"},
	"props/campaign":    {"plan", "oracle", "gen", "props", "corpus"},
	"props/audit":       {"plan", "oracle", "gen", "props", "props/campaign", "corpus"},
	"props/doctor":      {"plan", "plan/external", "oracle", "props", "corpus"},
	"props/report":      {"plan", "oracle", "props", "props/audit"},
	"gpucheck":          {"plan", "oracle", "gpucheck/kernel"},
}

func TestPackagesImportWhatTheDesignAllows(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		imports, ok := allowed[folder]
		if !ok {
			return nil
		}
		seen[folder] = true
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if local, ours := strings.CutPrefix(imported, module); ours && !slices.Contains(imports, local) {
				t.Errorf("%s imports %s; package %s may import %v", path, local, folder, imports)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder := range allowed {
		if !seen[folder] {
			t.Errorf("no source file found of package %s", folder)
		}
	}
}
