package discovered

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// FuzzParse checks that each declaration parsed from any listing is valid for models.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`[{"name":"a","description":"b","parametersJsonSchema":{"type":"object","properties":{"c":{}}}}]`))
	f.Add([]byte(`[{"function_declarations":[{"name":"日本"}]},{"functionDeclarations":null,"name":"x"}]`))
	f.Add([]byte(`[{"name":"a","parametersJsonSchema":{"type":"object","properties":{ }}}]`))
	f.Add([]byte(`{}`))
	name := regexp.MustCompile(`^discovered_tool_[A-Za-z0-9_.:-]+$`)
	f.Fuzz(func(t *testing.T, listing []byte) {
		found, err := parseListing(listing)
		if err != nil {
			if found != nil {
				t.Fatal("tools and an error")
			}
			return
		}
		for _, d := range found {
			var schema map[string]any
			if err := json.Unmarshal(d.Schema, &schema); err != nil || schema == nil {
				t.Fatalf("the schema of %q is %s: %v", d.Name, d.Schema, err)
			}
			if wire := modelName(d.Name); !name.MatchString(wire) || len(wire) > 63 || strings.Contains(d.Name, "\x00") {
				t.Fatalf("%q is declared as %q", d.Name, wire)
			}
		}
	})
}
