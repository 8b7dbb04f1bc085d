// Package corpus keeps cases as files: it loads them, saves them so that none is ever lost or half written,
// and holds the project's own, embedded in the binary.
//
// Under cases there is a file for every published number, every row of the table of refusals with its
// nearest legal neighbours, and every known fault of public code; under models, maps at the sizes of real
// models. The files are the truth: each was made and checked apart from the planner and the judge.
package corpus

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/shardproof/shardproof/plan"
)

// maxFileBytes bounds a case file: the largest of the project's own is a hundredth of it.
const maxFileBytes = 64 << 20

//go:embed cases models/*.json
var embedded embed.FS

// A File is a case and where it was read.
type File struct {
	Path string // of the file, or of the place among the embedded ones: cases/seed/bigcode-2-to-4-lowest.json
	Case plan.Case
}

// All returns the embedded cases in the order of their paths.
func All() []File {
	files, err := loadAll(embedded, ".")
	if err != nil {
		panic("corpus: an embedded case is unreadable: " + err.Error())
	}
	return files
}

// Load reads one case file. The error names the file; it wraps a *plan.FormatError where the text is none of
// a case.
func Load(path string) (plan.Case, error) {
	file, err := os.Open(path)
	if err != nil {
		return plan.Case{}, err
	}
	defer file.Close()
	return read(file, path)
}

// LoadDir reads every file under a directory whose name ends in .json, at any depth, in the order of their
// paths. The error joins those of all files that are unreadable, one line each.
func LoadDir(dir string) ([]File, error) {
	files, err := loadAll(os.DirFS(dir), dir)
	if err != nil {
		return nil, err
	}
	return files, nil
}

// loadAll reads the files of a file system, whose paths are told with the root before them.
func loadAll(system fs.FS, root string) ([]File, error) {
	var files []File
	var problems []error
	err := fs.WalkDir(system, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() || !isCaseName(entry.Name()) {
			return nil
		}
		shown := filepath.Join(root, path)
		c, err := loadFrom(system, path, shown)
		if err != nil {
			problems = append(problems, err)
			return nil
		}
		files = append(files, File{shown, c})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", root, err)
	}
	return files, errors.Join(problems...)
}

// A name that begins with a dot is a save that never came to its end.
func isCaseName(name string) bool {
	return strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".")
}

func loadFrom(system fs.FS, path, shown string) (plan.Case, error) {
	file, err := system.Open(path)
	if err != nil {
		return plan.Case{}, err
	}
	defer file.Close()
	return read(file, shown)
}

// read decodes the case of an open file.
func read(file io.Reader, path string) (plan.Case, error) {
	text, err := io.ReadAll(io.LimitReader(file, maxFileBytes+1))
	if err != nil {
		return plan.Case{}, err
	}
	if len(text) > maxFileBytes {
		return plan.Case{}, fmt.Errorf("%s: more than %d bytes", path, maxFileBytes)
	}
	c, err := plan.DecodeCase(text)
	if err != nil {
		return plan.Case{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}
