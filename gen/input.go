package gen

import "github.com/shardproof/shardproof/plan"

// FromInput makes a case of a fuzzer's input: the case file that it is, where it begins with a brace, else
// the case that is drawn from its bytes. The error is that of a case file that cannot be read.
func FromInput(data []byte) (plan.Case, error) {
	if len(data) > 0 && data[0] == '{' {
		return plan.DecodeCase(data)
	}
	return Case(FromBytes(data)), nil
}
