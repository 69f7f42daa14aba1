package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/exit"
)

// TestDropped checks that a restriction which another value in the same file hides is reported as lost.
func TestDropped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// A name that stands twice.
		`{"tools": {"exclude": ["a"], "exclude": []}}`:                               "tools.exclude is there twice",
		`{"tools": {"exclude": ["a"]}, "tools": {"core": ["b"]}}`:                    "tools is there twice",
		`{"tools": {"exclude": ["a"]}, "t\u006fols": {}}`:                            "tools is there twice",
		"{\"tools\": {\"exclude\": [\"a\"], // x\n\"exclude\": [],},}":               "tools.exclude is there twice",
		`{"excludeTools": ["a"], "excludeTools": []}`:                                "excludeTools is there twice",
		`{"mcpServers": {"s": {"excludeTools": ["a"]}, "s": {"command": "x"}}}`:      "mcpServers.s is there twice",
		`{"hooks": {"BeforeTool": [], "BeforeTool": []}}`:                            "hooks.BeforeTool is there twice",
		`{"hooks": {"BeforeTool": [{"hooks": [{"command": "x", "command": "y"}]}]}}`: "hooks.BeforeTool.hooks.command is there twice",
		`{"security": {"disableYoloMode": true, "disableYoloMode": false}}`:          "security.disableYoloMode is there twice",
		`{"ui": {"hideTips": true, "hideTips": false}, "x": 1, "x": 2}`:              "",
		`{"tools": {"exclude": ["a"]}, "mcp": {"excluded": ["exclude", "tools"]}}`:   "",
		`{"context": {"fileName": "a"}, "model": {"name": "x", "name": "y"}}`:        "",
		// An old name that the current one hides.
		`{"excludeTools": ["a"], "tools": {"exclude": ["b"]}}`:                                 "excludeTools is hidden by tools.exclude",
		`{"excludeTools": ["a"], "tools": 5}`:                                                  "excludeTools is hidden by tools.exclude",
		`{"excludeMCPServers": ["a"], "mcp": {"excluded": []}}`:                                "excludeMCPServers is hidden by mcp.excluded",
		`{"folderTrust": "true", "security": {"folderTrust": {"enabled": false}}}`:             "folderTrust is hidden by security.folderTrust.enabled",
		`{"tools": {"approvalMode": "plan"}, "general": {"defaultApprovalMode": "auto_edit"}}`: "tools.approvalMode is hidden by general.defaultApprovalMode",
		`{"excludeTools": ["a"], "tools": {"exclude": ["a"]}}`:                                 "",
		`{"folderTrust": false, "security": {"folderTrust": {"enabled": true}}}`:               "",
		`{"allowedTools": ["a"], "tools": {"allowed": []}}`:                                    "",
		`{"excludeTools": ["a"], "tools": {"core": ["b"]}}`:                                    "",
		`{"theme": "a", "ui": {"theme": "b"}}`:                                                 "",
	} {
		p := newPlace(t)
		p.user(t, text)
		s, warnings, err := p.load()
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		file := p.paths().UserSettings()
		got := strings.Join(s.Lost(), "\n")
		if want != "" {
			want = file + ": " + want
		}
		if got != want || want != "" && !strings.Contains(joined(warnings), file) {
			t.Errorf("%s: %q, want %q; %s", text, got, want, joined(warnings))
		}
	}
}

// TestLinkToNothing checks that a settings file, or the directory of the user's, is not missing if it is a link to nothing.
func TestLinkToNothing(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(p *place) (at string){
		"user":      func(p *place) string { return p.paths().UserSettings() },
		"workspace": func(p *place) string { return p.paths().WorkspaceSettings() },
		"directory": func(p *place) string { return filepath.Dir(p.paths().UserSettings()) },
	} {
		p := newPlace(t)
		at := make(p)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if os.Symlink("nowhere", at) != nil {
			t.Skip("this system has no symbolic links")
		}
		if _, _, err := p.load(); exit.CodeOf(err) != exit.Config || !strings.Contains(err.Error(), "Error in "+at+`: it is a link to "nowhere", which does not exist`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	p := newPlace(t)
	dir := filepath.Dir(p.paths().UserSettings())
	if err := os.MkdirAll(dir+"2", 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Symlink(dir+"2", dir) != nil {
		t.Skip("this system has no symbolic links")
	}
	if _, _, err := p.load(); err != nil {
		t.Errorf("a link to a directory without settings: %v", err)
	}
}
