package mutant

import "github.com/shardproof/shardproof/plan"

// Right is the planner that mutants change, unchanged.
func Right() plan.Planner { return right() }

// Copied is a request whose maps may be changed.
func Copied(request plan.Request) plan.Request { return copied(request) }
