package acp

import (
	"slices"
	"strings"
	"testing"

	"pollux/internal/slash"
)

// TestIsForTerminals decides for each command whether an editor gets it: a new one has to be added here or to [isForTerminals].
func TestIsForTerminals(t *testing.T) {
	t.Parallel()
	var offered []string
	for _, row := range slash.Commands() {
		if !row.IsPlanned && !isForTerminals(row.Name) {
			offered = append(offered, row.Name)
		}
	}
	slices.Sort(offered)
	const want = "about agents btw bug commands compress context cost diff directory docs doctor export-session extensions help hooks init mcp memory mode model " +
		"permissions plan policies redo restore sandbox sessions settings skills stats tasks tools undo"
	if got := strings.Join(offered, " "); got != want {
		t.Errorf("editors get %s\nwant        %s", got, want)
	}
}
