// Package models_test makes the case files beside it: tensors of real models, at their real sizes, as they
// are when the degree of parallelism changes. The files are what a reader of this package wants; this is how
// they come about, and a test that they still do.
//
// Each tensor's numbers are its model's published configuration, which the case's origin names. What a plan
// has to move is worked out here from those numbers, and not from the maps. Segment counts are given where the
// layout has a published count that does not depend on its sizes.
package models_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/shardproof/shardproof/plan"
	"github.com/shardproof/shardproof/plan/layout"
)

//go:generate go test -run TestFiles . -update

var update = flag.Bool("update", false, "write the case files in place of comparing them")

// maxElements bounds a tensor, so that any planner's plan of it can be judged by executing it.
const maxElements = 1 << 24

// A tensor is a parameter of a model, the ways to spread it, and the changes between them.
type tensor struct {
	name    string // of the model and the parameter, as in file names
	origin  string // the model, the parameter and the source of its numbers
	shape   []int64
	by      string // what the degree is of, in case names: "" is tp, tensor parallelism
	spread  func(degree int) (plan.Map, error)
	held    func(degree int) int64 // elements of all shards together
	changes []change
}

// A change is one case: from a degree, or a layout of its own, to another.
type change struct {
	from, to       int
	name           string                   // in place of tp<from>-tp<to>
	source, target func() (plan.Map, error) // in place of the tensor's spread
	moved          int64                    // in place of the tensor's held
	selector       plan.Selector
	segments       int64 // 0: no count is published
	wide           bool  // a flat or permuted shard, which a planner may refuse as unsupported
	note           string
}

var tensors = []tensor{
	{
		name:   "tiny-starcoder-c-attn",
		origin: "bigcode/tiny_starcoder_py transformer.h.N.attn.c_attn.weight: config.json has n_embd 768, n_head 12, multi_query; 768 q rows, then one k and one v head of 64",
		shape:  []int64{768 + 2*64, 768},
		spread: bigCode([]int64{896, 768}, 128),
		held:   func(degree int) int64 { return (768 + 128*int64(degree)) * 768 },
		changes: []change{
			{from: 1, to: 2, segments: 3}, {from: 1, to: 4, segments: 7}, {from: 2, to: 1, segments: 3}, {from: 2, to: 4, segments: 7},
			{from: 4, to: 1, segments: 5}, {from: 4, to: 2, segments: 6}, {from: 2, to: 8}, {from: 8, to: 3},
			{
				from: 2, to: 4, name: "tp2-tp4-private-q", segments: 6,
				selector: plan.Selector{Prefer: map[int][]int{0: {0}, 1: {0}, 2: {1}, 3: {1}}},
				note:     "kv is read from the holder of the target's own q rows",
			},
			{
				from: 2, to: 4, name: "tp2-tp4-highest", segments: 7,
				selector: plan.Selector{Policy: plan.PolicyHighest}, note: "kv is read from the highest holder",
			},
		},
	},
	{
		name:    "santacoder-c-attn",
		origin:  "bigcode/gpt_bigcode-santacoder transformer.h.N.attn.c_attn.weight: config.json has n_embd 2048, n_head 16, multi_query; 2048 q rows, then one k and one v head of 128",
		shape:   []int64{2048 + 2*128, 2048},
		spread:  bigCode([]int64{2304, 2048}, 256),
		held:    func(degree int) int64 { return (2048 + 256*int64(degree)) * 2048 },
		changes: []change{{from: 2, to: 4, segments: 7}, {from: 4, to: 2, segments: 6}},
	},
	{
		name:   "codegen-350m-qkv",
		origin: "Salesforce/codegen-350M-mono transformer.h.N.attn.qkv_proj.weight: config.json has n_embd 1024, n_head 16; 3072 rows in 4 groups of q, v and k",
		shape:  []int64{3 * 1024, 1024},
		spread: func(degree int) (plan.Map, error) {
			return layout.CodeGen([]int64{3072, 1024}, 0, layout.CodeGenGroups, degree)
		},
		held: whole(3072 * 1024),
		changes: []change{
			{from: 1, to: 2}, {from: 2, to: 1}, {from: 2, to: 4, segments: 44}, {from: 4, to: 2, segments: 44},
			{from: 2, to: 8, segments: 96}, {from: 8, to: 2, segments: 96}, {from: 4, to: 8, segments: 88}, {from: 8, to: 4, segments: 88},
		},
	},
	{
		name:   "llama-3.2-1b-qkv",
		origin: "meta-llama/Llama-3.2-1B self_attn q, k and v fused: config.json has hidden_size 2048, num_attention_heads 32, num_key_value_heads 8, head_dim 64; 2048, 512 and 512 rows",
		shape:  []int64{(32 + 8 + 8) * 64, 2048},
		spread: func(degree int) (plan.Map, error) {
			heads := layout.WidthRule{KVHeads: 8}
			parts := []layout.Part{{Size: 2048, Rule: heads}, {Size: 512, Rule: heads}, {Size: 512, Rule: heads}}
			return layout.Fused([]int64{3072, 2048}, 0, degree, parts)
		},
		held: whole(3072 * 2048),
		changes: []change{
			{from: 1, to: 2}, {from: 2, to: 4}, {from: 4, to: 2}, {from: 2, to: 8},
			{from: 4, to: 3, note: "3 ranks hold 3, 3 and 2 kv heads"},
			{from: 8, to: 16, note: "8 kv heads over 16 ranks: the last 8 hold nothing"},
		},
	},
	{
		name:   "llama-3.2-1b-o-proj",
		origin: "meta-llama/Llama-3.2-1B self_attn.o_proj.weight: config.json has hidden_size 2048, num_attention_heads 32, head_dim 64; 2048 rows of 2048 columns",
		shape:  []int64{2048, 2048},
		spread: func(degree int) (plan.Map, error) { return split([]int64{2048, 2048}, 1, degree) },
		held:   whole(2048 * 2048),
		changes: []change{
			{from: 1, to: 2, segments: 2}, {from: 2, to: 4, segments: 4}, {from: 4, to: 2, segments: 4},
			{
				name: "fsdp2-tp4", segments: 8, note: "rows over 2 to columns over 4",
				source: func() (plan.Map, error) { return split([]int64{2048, 2048}, 0, 2) },
				target: func() (plan.Map, error) { return split([]int64{2048, 2048}, 1, 4) }, moved: 2048 * 2048,
			},
			{
				name: "strided2x4-nested4x2", note: "FSDP over tensor parallelism, rows right to left, to the same ranks left to right",
				source: func() (plan.Map, error) { return layout.Strided([]int64{2048, 2048}, 0, []int64{2, 4}) },
				target: func() (plan.Map, error) { return layout.Nested([]int64{2048, 2048}, 0, []int64{4, 2}) }, moved: 2048 * 2048,
			},
			{
				name: "hsdp2x2-grid2x2", note: "rows replicated over 2 of 4 ranks to a block of rows and columns each",
				source: func() (plan.Map, error) { return layout.HSDP([]int64{2048, 2048}, 0, 2, 2) },
				target: func() (plan.Map, error) {
					return layout.Grid([]int64{2048, 2048}, [][]int64{{1024, 1024}, {1024, 1024}})
				}, moved: 2048 * 2048,
			},
		},
	},
	{
		name:   "llama-3.2-1b-norm",
		origin: "meta-llama/Llama-3.2-1B input_layernorm.weight: config.json has hidden_size 2048",
		shape:  []int64{2048},
		spread: func(degree int) (plan.Map, error) { return layout.Replicated([]int64{2048}, degree) },
		held:   func(degree int) int64 { return 2048 * int64(degree) },
		changes: []change{
			{from: 2, to: 4, segments: 4}, {from: 4, to: 2, segments: 2},
			{
				from: 4, to: 4, name: "tp4-tp4-local", segments: 4, selector: plan.Selector{Policy: plan.PolicyLocal},
				note: "each rank reads its own replica",
			},
		},
	},
	{
		name:    "yuan2-2b-v-proj",
		origin:  "IEITYuan/Yuan2-2B self_attn.v_proj.weight: config.json has hidden_size 2048, num_attention_heads 32; 32 heads of 64 rows, half of a rank's from each half",
		shape:   []int64{2048, 2048},
		spread:  func(degree int) (plan.Map, error) { return layout.Yuan([]int64{2048, 2048}, 0, 32, degree) },
		held:    whole(2048 * 2048),
		changes: []change{{from: 1, to: 2}, {from: 2, to: 4, segments: 8}, {from: 4, to: 2, segments: 8}, {from: 2, to: 8}},
	},
	{
		name:    "yuan2-2b-o-proj",
		origin:  "IEITYuan/Yuan2-2B self_attn.o_proj.weight: config.json has hidden_size 2048, num_attention_heads 32; 32 heads of 64 columns, half of a rank's from each half",
		shape:   []int64{2048, 2048},
		spread:  func(degree int) (plan.Map, error) { return layout.Yuan([]int64{2048, 2048}, 1, 32, degree) },
		held:    whole(2048 * 2048),
		changes: []change{{from: 1, to: 2}, {from: 2, to: 4, segments: 8}, {from: 4, to: 2, segments: 8}, {from: 2, to: 8}},
	},
	{
		name:   "phi-4-mini-qkv",
		origin: "microsoft/Phi-4-mini-instruct self_attn.qkv_proj.weight (Phi-3's form): config.json has hidden_size 3072, num_attention_heads 24, num_key_value_heads 8; heads of 128, 3072, 1024 and 1024 rows",
		shape:  []int64{(24 + 8 + 8) * 128, 3072},
		spread: func(degree int) (plan.Map, error) {
			heads := layout.WidthRule{KVHeads: 8}
			parts := []layout.Part{{Size: 3072, Rule: heads}, {Size: 1024, Rule: heads}, {Size: 1024, Rule: heads}}
			return layout.Fused([]int64{5120, 3072}, 0, degree, parts)
		},
		held:    whole(5120 * 3072),
		changes: []change{{from: 2, to: 4}, {from: 4, to: 2}, {from: 4, to: 8}},
	},
	{
		name:   "chatglm3-6b-qkv-bias",
		origin: "THUDM/chatglm3-6b self_attention.query_key_value.bias: config.json has hidden_size 4096, kv_channels 128, multi_query_group_num 2, add_qkv_bias; 4096, 256 and 256 rows",
		shape:  []int64{4096 + 2*2*128},
		spread: func(degree int) (plan.Map, error) {
			groups := layout.WidthRule{KVHeads: 2}
			parts := []layout.Part{{Size: 4096, Rule: groups}, {Size: 256, Rule: groups}, {Size: 256, Rule: groups}}
			return layout.Fused([]int64{4608}, 0, degree, parts)
		},
		held: whole(4608),
		changes: []change{
			{from: 1, to: 2}, {from: 2, to: 1},
			{from: 2, to: 4, note: "2 kv groups over 4 ranks: the last 2 hold nothing"},
		},
	},
	{
		name:   "mixtral-experts",
		origin: "mistralai/Mixtral-8x7B-v0.1 experts' w1 stacked, reduced to fit: config.json has num_local_experts 8, intermediate_size 14336, hidden_size 4096; here 1/16 of the rows and 1/4 of the columns",
		shape:  []int64{8, 14336 / 16, 4096 / 4},
		by:     "ep",
		spread: func(degree int) (plan.Map, error) { return layout.Experts([]int64{8, 896, 1024}, inOrder(8, degree)) },
		held:   whole(8 * 896 * 1024),
		changes: []change{
			{from: 2, to: 4}, {from: 4, to: 8}, {from: 8, to: 2},
			{
				from: 2, name: "ep2-ep3-hot", note: "experts 3 and 0 are busy and get a second holder, the ranks 3, 3 and 4 experts",
				target: mixtral([][]int64{{0, 1, 2}, {3, 4, 5}, {6, 7, 3, 0}}), moved: (3 + 3 + 4) * 896 * 1024,
			},
			{
				name: "ep3-hot-ep4-round-robin", note: "two experts with two holders each to every fourth expert a rank",
				source: mixtral([][]int64{{0, 1, 2}, {3, 4, 5}, {6, 7, 3, 0}}),
				target: mixtral([][]int64{{0, 4}, {1, 5}, {2, 6}, {3, 7}}), moved: 8 * 896 * 1024,
			},
			{
				from: 4, name: "ep4-ep4-idle-rank", note: "one rank is drained and keeps an empty shard",
				target: mixtral([][]int64{{0, 1, 5}, {2, 3, 4}, {}, {7, 6}}), moved: 8 * 896 * 1024,
			},
		},
	},
	{
		name:    "granite-1b-a400m-experts",
		origin:  "ibm-granite/granite-3.0-1b-a400m-base block_sparse_moe.output_linear.weight: config.json has num_local_experts 32, hidden_size 1024, intermediate_size 512",
		shape:   []int64{32, 1024, 512},
		by:      "ep",
		spread:  func(degree int) (plan.Map, error) { return layout.Experts([]int64{32, 1024, 512}, inOrder(32, degree)) },
		held:    whole(32 * 1024 * 512),
		changes: []change{{from: 4, to: 8}, {from: 8, to: 3, note: "32 experts over 3 ranks: 11, 11 and 10"}},
	},
	{
		name:   "bert-tiny-vocabulary",
		origin: "prajjwal1/bert-tiny embeddings.word_embeddings.weight: config.json has vocab_size 30522, hidden_size 128; rows padded to what the ranks divide, padding left out",
		shape:  []int64{30522, 128},
		spread: func(degree int) (plan.Map, error) { return layout.Vocabulary([]int64{30522, 128}, degree) },
		held:   whole(30522 * 128),
		changes: []change{
			{from: 1, to: 4, segments: 4}, {from: 2, to: 4}, {from: 4, to: 8}, {from: 8, to: 4}, {from: 3, to: 5},
			{from: 4, to: 64, note: "64 ranks of 477 rows, the last of 471"},
		},
	},
	{
		name:   "bert-tiny-dense",
		origin: "prajjwal1/bert-tiny encoder.layer.N.intermediate.dense.weight: config.json has intermediate_size 512, hidden_size 128",
		shape:  []int64{512, 128},
		spread: func(degree int) (plan.Map, error) { return split([]int64{512, 128}, 0, degree) },
		held:   whole(512 * 128),
		changes: []change{
			{from: 2, to: 4, segments: 4},
			{
				from: 4, name: "tp4-zero3", wide: true, note: "rows to ZeRO's flat fragments of 21846 elements, which cut rows",
				target: func() (plan.Map, error) { return layout.FlatChunks([]int64{512, 128}, 3) }, moved: 512 * 128,
			},
			{
				name: "zero3-zero5", wide: true, note: "flat fragments of 21846 elements to ones of 13108",
				source: func() (plan.Map, error) { return layout.FlatChunks([]int64{512, 128}, 3) },
				target: func() (plan.Map, error) { return layout.FlatChunks([]int64{512, 128}, 5) }, moved: 512 * 128,
			},
			{
				from: 2, name: "tp2-tp4-transposed", wide: true, note: "each target shard keeps its rows as columns",
				target: func() (plan.Map, error) {
					rows, err := split([]int64{512, 128}, 0, 4)
					if err != nil {
						return plan.Map{}, err
					}
					return layout.Permute(rows, []int{1, 0})
				}, moved: 512 * 128,
			},
		},
	},
}

func bigCode(shape []int64, kv int64) func(int) (plan.Map, error) {
	return func(degree int) (plan.Map, error) { return layout.BigCode(shape, kv, degree) }
}

func mixtral(ids [][]int64) func() (plan.Map, error) {
	return func() (plan.Map, error) { return layout.Experts([]int64{8, 896, 1024}, ids) }
}

func split(shape []int64, axis, degree int) (plan.Map, error) {
	return layout.Fused(shape, axis, degree, []layout.Part{{Size: shape[axis]}})
}

func whole(elements int64) func(int) int64 {
	return func(int) int64 { return elements }
}

// inOrder gives every rank the next experts, the first ranks one more where they do not divide.
func inOrder(experts int64, degree int) [][]int64 {
	ids, next := make([][]int64, degree), int64(0)
	for rank := range ids {
		count := experts / int64(degree)
		if int64(rank) < experts%int64(degree) {
			count++
		}
		for range count {
			ids[rank] = append(ids[rank], next)
			next++
		}
	}
	return ids
}

// caseOf makes the case of one change of a tensor.
func (tensor tensor) caseOf(change change) (plan.Case, error) {
	name := change.name
	if name == "" {
		by := cmp.Or(tensor.by, "tp")
		name = fmt.Sprintf("%s%d-%s%d", by, change.from, by, change.to)
	}
	source, target, moved := change.source, change.target, change.moved
	if source == nil {
		source = func() (plan.Map, error) { return tensor.spread(change.from) }
	}
	if target == nil {
		target = func() (plan.Map, error) { return tensor.spread(change.to) }
		moved = tensor.held(change.to)
	}
	made := plan.Case{
		Name:   tensor.name + "-" + name,
		Origin: tensor.origin,
		Expect: plan.Expect{Outcome: plan.Exact, MovedElements: &moved},
	}
	if change.note != "" {
		made.Origin += "; " + change.note
	}
	if change.segments > 0 {
		made.Expect.Segments = &change.segments
	}
	if change.wide {
		made.Expect.Outcome = plan.ExactOrUnsupported
	}
	made.Selector = change.selector
	var err error
	if made.Source, err = source(); err != nil {
		return plan.Case{}, fmt.Errorf("%s: source: %w", made.Name, err)
	}
	if made.Target, err = target(); err != nil {
		return plan.Case{}, fmt.Errorf("%s: target: %w", made.Name, err)
	}
	return made, nil
}

// files are the texts of the case files by name.
func files(t *testing.T) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{}
	for _, tensor := range tensors {
		for _, change := range tensor.changes {
			made, err := tensor.caseOf(change)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(made.Source.LogicalShape, tensor.shape) || !slices.Equal(made.Target.LogicalShape, tensor.shape) {
				t.Fatalf("%s: maps of %v and %v, want %v", made.Name, made.Source.LogicalShape, made.Target.LogicalShape, tensor.shape)
			}
			if texts[made.Name+".json"] != nil {
				t.Fatalf("%s: two cases of this name", made.Name)
			}
			texts[made.Name+".json"] = plan.EncodeCase(made)
		}
	}
	return texts
}

// The committed files are what the tensors above make, and no others.
func TestFiles(t *testing.T) {
	texts := files(t)
	if *update {
		write(t, texts)
	}
	committed, err := filepath.Glob("*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range committed {
		if texts[name] == nil {
			t.Errorf("%s is made by no tensor", name)
		}
	}
	for name, want := range texts {
		got, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what its tensor makes (%v); go generate ./corpus/models writes it", name, err)
		}
	}
}

func write(t *testing.T, texts map[string][]byte) {
	t.Helper()
	old, err := filepath.Glob("*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range old {
		if texts[name] == nil {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range texts {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// What a case says is moved, worked out from the model's numbers, is what the target's shards hold; and both
// sides are small enough to be executed.
func TestMovedElements(t *testing.T) {
	for _, tensor := range tensors {
		for _, change := range tensor.changes {
			made, err := tensor.caseOf(change)
			if err != nil {
				t.Fatal(err)
			}
			for side, m := range map[string]plan.Map{"source": made.Source, "target": made.Target} {
				held := int64(0)
				for _, shard := range m.Shards {
					elements, _ := plan.Elements(shard.Shape)
					held += elements
				}
				if held > maxElements {
					t.Errorf("%s: %d elements in the %s, want at most %d", made.Name, held, side, maxElements)
				}
				if side == "target" && held != *made.Expect.MovedElements {
					t.Errorf("%s: %d elements moved, the target's shards hold %d", made.Name, *made.Expect.MovedElements, held)
				}
			}
		}
	}
}
