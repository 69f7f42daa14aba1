//go:build linux

package hostile

import (
	"cmp"
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
	Kind   string // the effect of the attacks, for docs/security.md
	Stops  string // the protection, for docs/security.md
	Scenes []*scene
	// Forms are texts that a scene plays in turn, see scene.Each. Around are the model's texts around
	// them.
	Forms  []struct{ Name, Text string }
	Around []struct{ Name, Text, Stopped string }
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
	// Faces and Modes are the faces and approval modes in which the scene is played, a run for each of both;
	// without, one run with -p, or at a terminal if Interactive, in the mode of Args.
	Faces, Modes []string
	// StoppedIn is Stopped by "face mode", mode or face. Alternatives are separated by ||.
	StoppedIn map[string]string
	// Command is a subcommand with its arguments, in place of a prompt.
	Command []string
	// ErrTerminal makes standard error a terminal.
	ErrTerminal bool
	// Most is the number of bytes that the output may have, 0 for any.
	Most int
	// Offline leaves the address of the model to Pollux, with a proxy that does not exist.
	Offline bool
	Changes []string // files that may be new or changed, such as project/notes.txt
	Text    string   // the model's text at the end
	Never   []string // lines that must not be in the output
	// Unwritten are texts that must not be in a new file.
	Unwritten []string
	Stopped   string // for attacks by the project itself: is in the output
	// Wire is the protocol of the model: "gemini" if empty, or "openai".
	Wire string
	// Prompt is the user's, "go" if empty. Answers are texts of the model, one for each request,
	// before Text.
	Prompt  string
	Answers []string
	// Each makes a scene of each combination of the kind's forms and texts around them, of which
	// it takes every Each[1]-th from Each[0] on. In the texts, {{FORM}} is the form, {{JSON}} the
	// same as a JSON string without quotes, and {{QUOTE}} the form in the text around it.
	Each     []int
	Works    []attempt
	Attempts []attempt

	face, mode string   // of this run
	isConfined bool     // the run is in the sandbox, see TestConfined
	parts      []string // of the name, if expand has made the scene
}

// expand returns the scenes that are made of one, itself if it has no Each.
func (k *kind) expand(s *scene) []*scene {
	if len(s.Each) != 2 {
		return []*scene{s}
	}
	var list []*scene
	for i, form := range k.Forms {
		for j, around := range k.Around {
			if (i+j)%s.Each[1] != s.Each[0] {
				continue
			}
			quoted, _ := json.Marshal(form.Text) // a string
			fill := strings.NewReplacer(
				"{{FORM}}", form.Text, "{{JSON}}", string(quoted[1:len(quoted)-1]),
				"{{QUOTE}}", strings.NewReplacer("{{FORM}}", form.Text, "{{LINES}}", strings.ReplaceAll(form.Text, "\n", "\n> ")).Replace(around.Text),
			)
			c := *s
			c.parts = []string{s.Name, form.Name, around.Name}
			c.Name += ": " + form.Name + ", " + around.Name
			c.Prompt, c.Files, c.Answers = fill.Replace(s.Prompt), map[string]string{}, nil
			for name, text := range s.Files {
				c.Files[name] = fill.Replace(text)
			}
			for _, text := range s.Answers {
				c.Answers = append(c.Answers, fill.Replace(text))
			}
			c.Attempts = []attempt{{Name: c.Name, Stopped: cmp.Or(around.Stopped, s.Stopped)}}
			list = append(list, &c)
		}
	}
	return list
}

// attempt is a call of the model: of Tool with Args, or of run_shell_command with Command.
// Without both, it is an attack by the project itself.
type attempt struct {
	Name    string
	Command string
	Tool    string
	Args    string // JSON
	Stopped string // is in the result of the call, or else in the output
	Endless bool   // the command ends only if it succeeds
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
		var scenes []*scene
		for _, s := range k.Scenes {
			scenes = append(scenes, k.expand(s)...)
		}
		k.Scenes = scenes
		var names []string
		var spread []*scene
		for _, s := range k.Scenes {
			spread = append(spread, s.spread()...)
		}
		k.Scenes = spread
		for _, s := range k.Scenes {
			names = append(names, s.Name)
			var inScene []string
			for i := range s.Attempts {
				a := &s.Attempts[i]
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
