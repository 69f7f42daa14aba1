//go:build linux

package hostile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// kind is a kind of attack: one file of scenes.
type kind struct {
	file   string
	Kind   string // what these attacks do, for docs/security.md
	Stops  string // what stops them, for docs/security.md
	Scenes []*scene
}

// scene is one run of the program. In its texts, {{HOME}}, {{WORK}} (the project) and {{OUTSIDE}}
// (a directory beside it, with files "notes" and "secret") are paths, {{CANARY}} is a path where an
// attack creates a file, {{SECRET}} the user's API key, {{EVIL}} the URL of the attacker's server,
// and {{EVILHOST}} its host, a slash and its port.
type scene struct {
	Name     string
	Args     []string // flags; -p go, or -i go if Interactive
	Settings string   // the user's settings.json
	Policy   string   // a policy file of the user's
	Env      map[string]string
	Files    map[string]string // in the project
	Home     map[string]string // in the home directory
	Setup    string            // a script of bash that runs in the project before
	// Interactive runs the program at a terminal, where a user refuses whatever Pollux asks.
	Interactive bool
	// Command is a subcommand with its arguments, in place of a prompt.
	Command []string
	// ErrTerminal makes standard error a terminal.
	ErrTerminal bool
	// Most is the number of bytes that the output may have, 0 for any.
	Most int
	// Offline leaves the address of the model to Pollux, with a proxy that does not exist.
	Offline  bool
	Changes  []string // files that may be new or changed, such as project/notes.txt
	Text     string   // what the model says at the end
	Never    []string // lines that must not be in the output
	Stopped  string   // for attacks by the project itself: is in the output
	Works    []attempt
	Attempts []attempt
}

// attempt is a call of the model: of Tool with Args, or of run_shell_command with Command.
// Without both, it is what the project does by itself.
type attempt struct {
	Name    string
	Command string
	Tool    string
	Args    string // JSON
	Stopped string // is in the result of the call, or else in the output
}

func (a attempt) isCall() bool { return a.Command != "" || a.Tool != "" }

// call returns the tool and its arguments.
func (a attempt) call() (name, args string) {
	if a.Tool != "" {
		return a.Tool, a.Args
	}
	quoted, _ := json.Marshal(a.Command) // a string
	return "run_shell_command", `{"command":` + string(quoted) + `}`
}

// readKinds reads the files of scenes, sorted by name.
func readKinds(t *testing.T) []*kind {
	t.Helper()
	files, err := filepath.Glob("*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var kinds []*kind
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		k := &kind{file: strings.TrimSuffix(file, ".toml")}
		d := toml.NewDecoder(strings.NewReader(string(text))).DisallowUnknownFields()
		if err := d.Decode(k); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var names []string
		for _, s := range k.Scenes {
			names = append(names, s.Name)
			var inScene []string
			for i := range s.Attempts {
				a := &s.Attempts[i]
				if a.Stopped == "" {
					a.Stopped = s.Stopped
				}
				if a.Name == "" {
					a.Name = a.Command
				}
				inScene = append(inScene, a.Name)
				if a.Name == "" || a.Stopped == "" {
					t.Errorf("%s: %s: attempt %d has no name, or does not say what stops it", file, s.Name, i+1)
				}
			}
			if len(inScene) == 0 || !isSet(inScene) {
				t.Errorf("%s: %s: no attempts, or two with the same name: %q", file, s.Name, inScene)
			}
		}
		if k.Kind == "" || k.Stops == "" || !isSet(names) {
			t.Errorf("%s: lacks kind or stops, or two scenes have the same name: %q", file, names)
		}
		kinds = append(kinds, k)
	}
	return kinds
}

// isSet reports whether no name occurs twice.
func isSet(names []string) bool {
	sorted := slices.Sorted(slices.Values(names))
	return len(slices.Compact(sorted)) == len(names)
}

// disarm allows all calls of a scene.
func (s *scene) disarm() {
	s.Args, s.Policy = append(slices.DeleteFunc(s.Args, func(a string) bool {
		return strings.HasPrefix(a, "--approval-mode") || a == "auto_edit" || a == "plan" || a == "default"
	}), "--yolo"), ""
}
