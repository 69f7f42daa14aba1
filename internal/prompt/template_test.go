package prompt_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/prompt"
)

func TestFile(t *testing.T) {
	t.Parallel()
	dir := filepath.FromSlash("/project/p")
	expand := func(path string) string {
		if rest, ok := strings.CutPrefix(path, "~"); ok {
			return filepath.Join(filepath.FromSlash("/home/u"), rest)
		}
		return path
	}
	for value, want := range map[string]string{
		"": "", "0": "", "false": "", "FALSE": "", " ": "",
		"1": "/project/p/.gemini/system.md", "true": "/project/p/.gemini/system.md", "True": "/project/p/.gemini/system.md",
		"x.md": "/project/p/x.md", "../x.md": "/project/x.md", "/a/b.md": "/a/b.md", "~/x.md": "/home/u/x.md", "~": "/home/u", "2": "/project/p/2",
	} {
		if got := prompt.TemplatePath(value, dir, expand); got != filepath.FromSlash(want) {
			t.Errorf("File(%q) = %q, want %q", value, got, want)
		}
	}
}

func TestReadTemplate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	missing := filepath.Join(dir, "none", "system.md")
	for name, c := range map[string]struct{ path, text, err string }{
		"text":      {path: write("a", "\ufeffBe \xff brief."), text: "Be \ufffd brief."},
		"empty":     {path: write("b", ""), text: ""},
		"missing":   {path: missing, err: "missing system prompt file '" + missing + "'"},
		"directory": {path: dir, err: "read system prompt file '" + dir + "': it is a directory"},
		"device":    {path: os.DevNull, err: "read system prompt file '" + os.DevNull + "': it is not a regular file"},
		"huge":      {path: write("c", strings.Repeat("x", 1<<20+1)), err: "read system prompt file '" + filepath.Join(dir, "c") + "': it is larger than 1 MB"},
	} {
		own, err := prompt.ReadTemplate(c.path)
		if err != nil || c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: error %v, want %s", name, err, c.err)
			}
			continue
		}
		if got := (prompt.System{Own: own, Form: legacy}).Text(); got != c.text {
			t.Errorf("%s: %q, want %q", name, got, c.text)
		}
	}
}

func TestTemplate(t *testing.T) {
	t.Parallel()
	s := prompt.System{Form: modern, Tools: []string{"look", "glob"}, Renamed: map[string]string{"read_file": "look"}}
	for text, want := range map[string]string{
		"${read_file_ToolName} and ${glob_ToolName}":         "look and glob",
		"${look_ToolName}":                                   "look",
		"${replace_ToolName}":                                "${replace_ToolName}",
		"${AvailableTools}":                                  "- look\n- glob",
		"a${AgentSkills}b${SubAgents}c":                      "abc", // there are none
		"${ AvailableTools}${availabletools}$AvailableTools": "${ AvailableTools}${availabletools}$AvailableTools",
		"${${AvailableTools}":                                "${- look\n- glob",
		"cost: $5 ${":                                        "cost: $5 ${",
		"}${}":                                               "}${}",
		"a\n\n\n\n\nb":                                       "a\n\nb",
	} {
		s.Own = prompt.NewTemplate(text)
		if got := s.Text(); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	s.Own, s.Tools = prompt.NewTemplate("${AvailableTools}"), nil
	if got := s.Text(); got != "No tools are currently available." {
		t.Errorf("no tools: %q", got)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, ".gemini", "system.md")
	text := session(modern, "default", true, person).Text()
	for range 2 { // over itself, too
		if err := prompt.Write(path, text); err != nil {
			t.Fatal(err)
		}
	}
	own, err := prompt.ReadTemplate(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := (prompt.System{Own: own}).Text(); got != text {
		t.Errorf("the written template reads as\n%s", got)
	}
	elsewhere, link := filepath.Join(dir, "elsewhere"), filepath.Join(dir, "link.md")
	if err := os.Symlink(elsewhere, link); err == nil {
		if err := prompt.Write(link, text); err == nil {
			t.Error("a link was followed")
		}
		if _, err := os.Lstat(elsewhere); err == nil {
			t.Error("a link was followed, with an error")
		}
	}
	if err := prompt.Write(dir, text); err == nil || !strings.HasPrefix(err.Error(), "write the system prompt: ") {
		t.Errorf("writing to a directory: %v", err)
	}
}

// A template changes nothing but the names that mean something, and takes the
// time that its length asks for.
func FuzzTemplate(f *testing.F) {
	f.Add("${AvailableTools} and ${read_file_ToolName}")
	f.Add(strings.Repeat("${", 1_000))
	f.Add("${${x_ToolName}}${}")
	s := prompt.System{Form: modern, Tools: []string{"read_file"}}
	names := strings.NewReplacer("${AvailableTools}", "- read_file", "${read_file_ToolName}", "read_file", "${AgentSkills}", "", "${SubAgents}", "")
	f.Fuzz(func(t *testing.T, text string) {
		s.Own = prompt.NewTemplate(text)
		want := names.Replace(text)
		for strings.Contains(want, "\n\n\n") {
			want = strings.ReplaceAll(want, "\n\n\n", "\n\n")
		}
		if got := s.Text(); got != strings.TrimSpace(want) {
			t.Errorf("%q becomes %q, want %q", text, got, strings.TrimSpace(want))
		}
	})
}
