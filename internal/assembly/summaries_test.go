package assembly

import (
	"maps"
	"strings"
	"testing"

	"pollux/internal/models"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

// TestNewSummaries checks whose outputs are summarized, and that what cannot be read is a warning.
func TestNewSummaries(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		setting string
		want    map[string]int // nil for no summaries
		warns   bool
	}{
		{setting: `{}`},
		{setting: `{"run_shell_command": null}`},
		{setting: `{"run_shell_command": {}, "glob": {"tokenBudget": 7}}`, want: map[string]int{"run_shell_command": 0, "glob": 7}},
		{setting: `{"run_shell_command": {"tokenBudget": "many"}}`, want: map[string]int{"run_shell_command": 0}, warns: true},
		{setting: `7`, warns: true},
	} {
		u := projecttest.NewUser(t)
		u.Write("~/.gemini/settings.json", `{"model": {"summarizeToolOutput": `+tt.setting+`}}`)
		p := u.Load(func(*project.Options) {})
		w := NewSummaries(p, &models.Directory{}, nil)
		if (w == nil) != (tt.want == nil) || w != nil && !maps.Equal(w.Budgets, tt.want) {
			t.Errorf("%s: %+v", tt.setting, w)
		}
		if text := u.TakeWarnings(); strings.Contains(text, "summarizeToolOutput") != tt.warns {
			t.Errorf("%s: warnings: %s", tt.setting, text)
		}
	}
}
