package config

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/process/processtest"
)

// TestVariables compares the table with the list of all variables that Gemini CLI and its server
// read; Pollux reads some that every program does beside them, and one of its own.
func TestVariables(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/variables.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := append(strings.Split(strings.TrimSpace(string(data)), "\n")[1:], "HOME", "TMPDIR", "POLLUX_A2A_TOKEN")
	var got []string
	for _, v := range Variables() {
		got = append(got, v.Name)
		if !strings.HasSuffix(v.Doc, ".") {
			t.Errorf("%s: %q is no sentence", v.Name, v.Doc)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the table differs from testdata/variables.txt (-want +got):\n%s", diff)
	}
}

// TestVariablesAreRead checks that the program reads the variables that the table marks as
// live, and no others.
func TestVariablesAreRead(t *testing.T) {
	t.Parallel()
	processtest.SkipIfRacing(t)
	// Files with names that are only mentioned, or removed from an environment.
	spoken := []string{"variables.go", "dangerous.go", "dotenv.go", "redact.go", "hint.go"}
	named := map[string]string{}
	name := regexp.MustCompile(`"([A-Za-z][A-Za-z0-9_]+)"|prefix ?\+ ?"([A-Z_]+)"|\.flag\("([A-Z_]+)"`)
	see := func(path string, entry fs.DirEntry, err error) error {
		ext := filepath.Ext(path)
		if err != nil || entry.IsDir() || ext != ".go" && ext != ".json" || strings.HasSuffix(path, "_test.go") || slices.Contains(spoken, entry.Name()) {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		for _, m := range name.FindAllStringSubmatch(string(source), -1) {
			named[m[1]] = path
			named["GEMINI_TELEMETRY_"+m[2]+m[3]] = path
		}
		return nil
	}
	for _, dir := range []string{"../../internal", "../../llm"} {
		if err := filepath.WalkDir(dir, see); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range Variables() {
		at := named[strings.TrimSuffix(v.Name, "*")]
		switch {
		case v.Support == Live && at == "":
			t.Errorf("%s is called live, but nothing reads it", v.Name)
		case v.Support != Live && at != "":
			t.Errorf("%s is called %s, but %s names it: if that reads it, call it live", v.Name, v.Support, at)
		}
	}
}

func TestMissingVariables(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]string{
		"":                                    "",
		"GEMINI_API_KEY=x":                    "",
		"VSCODE_PID=5":                        "", // an editor's
		"SEATBELT_PROFILE=x":                  "", // adds to a sandbox that is refused
		"GEMINI_CLI_NO_RELAUNCH=true":         "",
		"GEMINI_CLI_EXTENSION_REGISTRY_URI=x": "GEMINI_CLI_EXTENSION_REGISTRY_URI",
		"GEMINI_CLI_EXTENSION_REGISTRY_URI=":  "",
	} {
		if got := strings.Join(IneffectiveVariables(NewFolderEnv(NewEnv(set))), " "); got != want {
			t.Errorf("%s: %q, want %q", set, got, want)
		}
	}
}

// topics are the headings of the page, each with the variable it begins at.
var topics = map[string]string{
	"GEMINI_API_KEY":             "Providers and models",
	"GEMINI_SYSTEM_MD":           "Instructions for the model",
	"GEMINI_CLI_HOME":            "Files and directories",
	"GEMINI_CLI_TRUST_WORKSPACE": "Trust and approval",
	"CI":                         "Scripts and CI",
	"HTTPS_PROXY":                "Network",
	"DEBUG":                      "Debugging and telemetry",
	"NO_COLOR":                   "The terminal and the editor",
	"DEV":                        "Development of Gemini CLI",
}

// environmentPage is docs/environment.md: the text in testdata, and the table.
func environmentPage() string {
	text, err := os.ReadFile("testdata/environment.md")
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	b.Write(text)
	for _, v := range Variables() {
		if topic := topics[v.Name]; topic != "" {
			fmt.Fprintf(&b, "\n### %s\n\n| Variable | Meaning | Support |\n| --- | --- | --- |\n", topic)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", v.Name, v.Doc, v.Support)
	}
	return b.String()
}
