//go:build unix

package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/tools/shell"
	"pollux/llm"
	"pollux/tool"
)

// TestTokens checks that output without line breaks is limited by its tokens, and complete in the file.
func TestTokens(t *testing.T) {
	t.Parallel()
	requireBash(t)
	const encode = "head -c %SIZE% /dev/urandom | base64 -w 0"
	for name, tt := range map[string]struct {
		command string
		isCut   bool
	}{
		"fits the limit of characters": {strings.Replace(encode, "%SIZE%", "25000", 1), true},
		"exceeds it":                   {strings.Replace(encode, "%SIZE%", "90000", 1), true},
		"in the background":            {strings.Replace(encode, "%SIZE%", "25000", 1) + "; echo", true},
		"short":                        {strings.Replace(encode, "%SIZE%", "3000", 1), false},
		"with line breaks":             {"head -c 25000 /dev/urandom | base64", false},
		"prose without line breaks":    {"yes 'all work and no play ' | head -n 1500 | tr -d '\\n'", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t)
			path := filepath.Join(t.TempDir(), "full.txt")
			host := tool.Host{Limit: 40_000, Spill: func() (*os.File, error) {
				return os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
			}}
			a := args{"command": tt.command, "is_background": name == "in the background", "delay_ms": 60_000}
			r := build(t, shell.New(o), a).Run(t.Context(), host)
			got := text(r)
			size := llm.EstimateTokens([]llm.Part{llm.Text(got)})
			if isCut := strings.HasPrefix(got, "Output too large. "); isCut != tt.isCut || isCut && (size > 11_000 || size < 9_000) {
				t.Fatalf("%d tokens: %.200q", size, got)
			}
			if !tt.isCut {
				return
			}
			full, err := os.ReadFile(path)
			notice, _, _ := strings.Cut(got, "\n")
			if err != nil || !strings.HasSuffix(notice, " For full output see: "+path) || r.OutputFile != path || len(full) < 33_000 {
				t.Errorf("%s: the file has %d bytes, %v", notice, len(full), err)
			}
		})
	}
}
