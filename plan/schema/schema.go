// Package schema holds the JSON Schemas of the project's files and messages, for those who write them in other
// languages. A schema says less than the reader of package plan: it cannot tell a key that is given twice, 1.0 from 1
// or a rank past int64, and it looks at no geometry.
package schema

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// definitions is one object of all definitions, which refer to each other as #/$defs/NAME.
//
//go:embed schema.json
var definitions []byte

// published are the definitions that describe a whole file or line, sorted. The others are parts of them.
var published = []string{"answer", "case", "document", "hello", "map", "plan", "record", "request"}

// Names lists the schemas, sorted.
func Names() []string { return slices.Clone(published) }

// Of returns a schema by its name, as a text of JSON Schema 2020-12 that needs nothing else, and whether there is
// one of that name.
func Of(name string) ([]byte, bool) {
	if !slices.Contains(published, name) {
		return nil, false
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(definitions, &all); err != nil {
		panic("schema: " + err.Error())
	}
	text, err := json.MarshalIndent(struct {
		Schema      string                     `json:"$schema"`
		ID          string                     `json:"$id"`
		Ref         string                     `json:"$ref"`
		Definitions map[string]json.RawMessage `json:"$defs"`
	}{
		Schema:      "https://json-schema.org/draft/2020-12/schema",
		ID:          "https://github.com/shardproof/shardproof/schema/" + name + ".json",
		Ref:         "#/$defs/" + name,
		Definitions: reachable(all, name),
	}, "", " ")
	if err != nil {
		panic("schema: " + err.Error())
	}
	return append(text, '\n'), true
}

var reference = regexp.MustCompile(`"#/\$defs/([a-z0-9_]+)"`)

// reachable are the definitions that one needs, itself included.
func reachable(all map[string]json.RawMessage, name string) map[string]json.RawMessage {
	needed := map[string]json.RawMessage{}
	for open := []string{name}; len(open) > 0; {
		next := open[len(open)-1]
		open = open[:len(open)-1]
		if _, met := needed[next]; met {
			continue
		}
		definition, ok := all[next]
		if !ok {
			panic(fmt.Sprintf("schema: no definition %q", next))
		}
		needed[next] = definition
		for _, match := range reference.FindAllSubmatch(definition, -1) {
			open = append(open, string(match[1]))
		}
	}
	return needed
}
