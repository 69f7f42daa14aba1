package shell_test

import (
	"encoding/json"
	"testing"

	"pollux/internal/tools/shell"
)

// TestPermissions checks that only a tool whose calls may ask for more declares the parameter for that, also to models with little room.
func TestPermissions(t *testing.T) {
	t.Parallel()
	for _, asks := range []bool{false, true} {
		spec := shell.New(shell.Options{AsksForMore: asks}).Spec()
		for name, schema := range map[string]json.RawMessage{"whole": spec.Schema, "compact": spec.Compact.Schema} {
			var s struct {
				Properties map[string]struct{ Properties map[string]any }
				Required   []string
			}
			if err := json.Unmarshal(schema, &s); err != nil {
				t.Fatal(err)
			}
			more, isSet := s.Properties["additional_permissions"]
			if isSet != asks || len(s.Required) != 1 || asks && (more.Properties["network"] == nil || more.Properties["fileSystem"] == nil) {
				t.Errorf("%s, asks for more %v: %s", name, asks, schema)
			}
		}
	}
}
