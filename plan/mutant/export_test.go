package mutant

import "github.com/shardproof/shardproof/plan"

// Right is the planner that mutants change, unchanged.
func Right() plan.Planner { return right() }
