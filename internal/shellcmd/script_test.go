package shellcmd

import (
	"strings"
	"testing"
)

func TestCheckScript(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		script string
		want   *SyntaxError
	}{
		{"", nil},
		{"#!/bin/bash\nfor x in 1 2; do echo $((x + 1)); done\n", nil},
		{"echo 'a\n", &SyntaxError{1, 6, "reached EOF without closing quote `'`"}},
		{"true\necho )\n", &SyntaxError{2, 6, "a command can only contain words and redirects; encountered `)`"}},
		{strings.Repeat("$(", 500_000), nil},
		{strings.Repeat("if ", 300_000), nil},
	} {
		if got := CheckScript(tt.script); (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("%.40q: got %v, want %v", tt.script, got, tt.want)
		}
	}
}
