// Package adapters holds programs that put planners of other projects behind the planner protocol, one folder
// each, and the Python module that they stand on, shardproof_adapter.py. It has no Go of its own but tests: what
// the adapters were recorded to answer is judged without them, and compared with them where they are installed.
package adapters
