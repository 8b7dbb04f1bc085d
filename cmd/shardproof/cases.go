package main

import (
	"fmt"
	"os"

	"github.com/shardproof/shardproof/corpus"
	"github.com/shardproof/shardproof/plan"
)

// loadCases reads cases: files, directories of them, and names of embedded cases; given none, all embedded ones.
func loadCases(arguments []string) ([]corpus.File, error) {
	if len(arguments) == 0 {
		return corpus.All(), nil
	}
	var files []corpus.File
	for _, argument := range arguments {
		loaded, err := loadArgument(argument)
		if err != nil {
			return nil, err
		}
		files = append(files, loaded...)
	}
	return files, nil
}

func loadArgument(argument string) ([]corpus.File, error) {
	info, err := os.Stat(argument)
	if err != nil {
		for _, file := range corpus.All() {
			if file.Case.Name == argument {
				return []corpus.File{file}, nil
			}
		}
		return nil, fmt.Errorf("%q is no file, no folder and no embedded case", argument)
	}
	if info.IsDir() {
		files, err := corpus.LoadDir(argument)
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("%s: no case file in it", argument)
		}
		return files, err
	}
	loaded, err := corpus.Load(argument)
	return []corpus.File{{Path: argument, Case: loaded}}, err
}

// loadCase reads the one case that a command is about.
func loadCase(arguments []string) (plan.Case, error) {
	if len(arguments) != 1 {
		return plan.Case{}, fmt.Errorf("one case is due, not %d", len(arguments))
	}
	files, err := loadArgument(arguments[0])
	if err == nil && len(files) != 1 {
		err = fmt.Errorf("%s: one case is due, not %d", arguments[0], len(files))
	}
	if err != nil {
		return plan.Case{}, err
	}
	return files[0].Case, nil
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
