package main

import (
	"fmt"
	"os"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
)

// loadCases reads case files and directories of them; given none, it is the embedded corpus.
func loadCases(paths []string) ([]corpus.File, error) {
	if len(paths) == 0 {
		return corpus.All(), nil
	}
	var files []corpus.File
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			loaded, err := corpus.Load(path)
			if err != nil {
				return nil, err
			}
			files = append(files, corpus.File{Path: path, Case: loaded})
			continue
		}
		loaded, err := corpus.LoadDir(path)
		if err != nil {
			return nil, err
		}
		if len(loaded) == 0 {
			return nil, fmt.Errorf("%s: no case file in it", path)
		}
		files = append(files, loaded...)
	}
	return files, nil
}

// loadCase reads the one case that a command is about: a file, or the name of an embedded case.
func loadCase(arguments []string) (plan.Case, error) {
	if len(arguments) != 1 {
		return plan.Case{}, fmt.Errorf("one case file is due, not %d", len(arguments))
	}
	if _, err := os.Stat(arguments[0]); err != nil {
		for _, file := range corpus.All() {
			if file.Case.Name == arguments[0] || file.Path == arguments[0] {
				return file.Case, nil
			}
		}
	}
	return corpus.Load(arguments[0])
}

// A givenPlan is a plan file: an answer to be judged in place of a planner's.
type givenPlan struct {
	answer plan.Answer
	err    error // the refusal that the file holds
}

func loadPlan(path string) (givenPlan, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return givenPlan{}, err
	}
	answer, refusal, err := plan.DecodePlan(text)
	if err != nil {
		return givenPlan{}, fmt.Errorf("%s: %w", path, err)
	}
	if refusal != nil {
		return givenPlan{err: refusal}, nil
	}
	return givenPlan{answer: answer}, nil
}
