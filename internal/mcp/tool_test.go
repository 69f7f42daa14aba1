package mcp

import "testing"

// TestNoDescription checks that each tool has a description, without which providers refuse it.
func TestNoDescription(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"": "Tool look", "Looks.": "Looks."} {
		spec := newTool(&server{config: Config{Name: "s"}}, &listed{Name: "look", Description: given}).Spec()
		if spec.Description != want {
			t.Errorf("%q: got %q", given, spec.Description)
		}
	}
}
