//go:build unix

package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"mvdan.cc/sh/v3/shell"

	"pollux/internal/scriptmodel"
	wire "pollux/internal/scriptmodel/gemini"
)

// scene is a case: files, the script of the model, and the commands to run one
// after the other. It is written as a txtar archive. Its comment has prose behind
// #, and these statements, in which $WORK and $HOME may stand:
//
//	run ARGUMENT...    a command line, without the program's name
//	stdin MEMBER       standard input of the next run, which is empty else
//	env NAME=VALUE     holds for all runs; without = the variable is not set
//	cd DIR             where the next runs happen, in $WORK
//	mkdir DIR          an empty directory
//	git                makes $WORK a repository
//
// Its members are files: model is the script of the model, settings are merged
// with the user's settings.json of every case, keys are typed at a terminal
// (see [stage.screen]), home/... are in $HOME, work/... in $WORK, other/... in $OTHER
// beside it.
type scene struct {
	name     string
	text     string // that it was read from
	runs     []run
	env      []string
	dirs     []string
	repo     bool
	model    string
	keys     string
	settings map[string]any
	files    map[string]string
}

type run struct {
	args  string // as it is in a shell
	stdin string
	dir   string
}

func readScene(name string) (*scene, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	archive := txtar.Parse(text)
	s := &scene{name: strings.TrimSuffix(filepath.Base(name), ".txtar"), text: string(text), files: map[string]string{}}
	for _, f := range archive.Files {
		text := string(f.Data)
		switch first, _, _ := strings.Cut(f.Name, "/"); {
		case f.Name == "model":
			s.model = text
		case f.Name == "keys":
			s.keys = text
		case f.Name == "settings":
			if err := json.Unmarshal(f.Data, &s.settings); err != nil {
				return nil, fmt.Errorf("settings: %w", err)
			}
		case first == f.Name || first == "home" || first == "work" || first == "other":
			s.files[f.Name] = text
		default:
			return nil, fmt.Errorf("no place for %s", f.Name)
		}
	}
	stdin, dir := "", ""
	for line := range strings.Lines(string(archive.Comment)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "", "#":
		case "run":
			s.runs = append(s.runs, run{rest, stdin, dir})
			stdin = ""
		case "stdin":
			var ok bool
			if stdin, ok = s.files[rest]; !ok {
				return nil, fmt.Errorf("there is no %s", rest)
			}
			delete(s.files, rest)
		case "env":
			s.env = append(s.env, rest)
		case "cd":
			dir = rest
		case "mkdir":
			s.dirs = append(s.dirs, rest)
		case "git":
			s.repo = true
		default:
			return nil, fmt.Errorf("%s is no statement", word)
		}
	}
	if len(s.runs) == 0 {
		return nil, fmt.Errorf("nothing is run")
	}
	return s, nil
}

// stage is where a program plays a scene: everything it may write to is below
// root, which differs from the other program's in one letter.
type stage struct {
	root, work, home, other, tmp string
	env                          []string
	server                       *scriptmodel.Server
	url                          string
}

// common are the user's settings of all cases: nothing that asks anyone but the
// model.
func common() map[string]any {
	return map[string]any{
		"security": map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}},
		"privacy":  map[string]any{"usageStatisticsEnabled": false},
		"general":  map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
	}
}

func set(t *testing.T, s *scene, letter string) *stage {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(root, letter)
	g := &stage{
		root: root, work: filepath.Join(root, "work", "project"), home: filepath.Join(root, "home"),
		other: filepath.Join(root, "work", "other"), tmp: filepath.Join(root, "tmp"),
	}
	for _, dir := range append([]string{".", "../../home/.gemini", "../../tmp"}, s.dirs...) {
		if err := os.MkdirAll(filepath.Join(g.work, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	g.serve(t, s)
	files := map[string]string{}
	for name, text := range s.files {
		files[name] = g.expand(text)
		if strings.HasSuffix(name, ".project_root") || strings.HasSuffix(name, "installation_id") {
			files[name] = strings.TrimSuffix(files[name], "\n") // as they are
		}
	}
	if _, given := files["home/.gemini/settings.json"]; !given {
		text, err := json.MarshalIndent(merged(common(), s.settings), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		files["home/.gemini/settings.json"] = g.expand(string(text))
	}
	then := time.Now().Add(-time.Hour).Truncate(time.Second)
	for i, name := range slices.Sorted(maps.Keys(files)) {
		text := files[name]
		path := filepath.Join(root, strings.Replace(strings.Replace(name, "work/", "work/project/", 1), "other/", "work/other/", 1))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		// Lists show newer files before older ones.
		if then := then.Add(time.Duration(i) * time.Second); os.Chtimes(path, then, then) != nil {
			t.Fatal("cannot set the time of a file")
		}
	}
	g.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + g.home, "TMPDIR=" + g.tmp, "LANG=C.UTF-8", "TERM=xterm-256color", "COLORTERM=truecolor", "NO_COLOR=1",
		"GIT_CONFIG_NOSYSTEM=1", "GEMINI_SANDBOX=false", "GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_TRUST_WORKSPACE=true",
		"GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + filepath.Join(root, "none", "settings.json"),
		"GEMINI_MODEL=gemini-2.5-flash", "GEMINI_API_KEY=test-key", "GOOGLE_GEMINI_BASE_URL=" + g.url,
	}
	for _, e := range s.env {
		name, _, given := strings.Cut(e, "=")
		g.env = slices.DeleteFunc(g.env, func(old string) bool { return strings.HasPrefix(old, name+"=") })
		if given {
			g.env = append(g.env, g.expand(e))
		}
	}
	if s.repo {
		cmd := exec.Command("git", "init", "-q", "-b", "main")
		cmd.Dir, cmd.Env = g.work, g.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git init: %v: %s", err, out)
		}
	}
	return g
}

func (g *stage) expand(text string) string {
	return strings.NewReplacer("$WORK", g.work, "$HOME", g.home, "$OTHER", g.other, "$MODEL", g.url).Replace(text)
}

// serve starts the model. Both programs get the same token counts, although their prompts
// differ in length.
func (g *stage) serve(t *testing.T, s *scene) {
	t.Helper()
	text := s.model
	if text == "" {
		text = "turn\n  times always\n  fail 500 The model was asked."
	}
	script, err := scriptmodel.Parse(g.expand(text))
	if err != nil {
		t.Fatalf("model: %v", err)
	}
	for i := range script.Turns {
		turn := &script.Turns[i]
		if !slices.ContainsFunc(turn.Steps, func(s scriptmodel.Step) bool { _, ok := s.(scriptmodel.Usage); return ok }) {
			turn.Steps = append(turn.Steps, scriptmodel.Usage{Prompt: 1000 + i, Candidates: 10 + i})
		}
	}
	g.server, err = scriptmodel.Start(script, scriptmodel.Options{
		Wires: []scriptmodel.Wire{wire.Wire{}}, Vars: map[string]string{"WORK": g.work, "HOME": g.home, "OTHER": g.other, "BIG": strings.Repeat("fifteen letters\n", 8<<10)},
	})
	if err != nil {
		t.Fatal(err)
	}
	g.url = g.server.URL()
	t.Cleanup(func() { _ = g.server.Close() })
}

// merged returns a, overridden by b.
func merged(a, b map[string]any) map[string]any {
	for k, v := range b {
		if inner, ok := v.(map[string]any); ok {
			if old, ok := a[k].(map[string]any); ok {
				v = merged(old, inner)
			}
		}
		a[k] = v
	}
	return a
}

// outcome is the result of a run.
type outcome struct {
	exit        int
	out, stderr string
}

// perform plays all of a scene.
func (g *stage) perform(t *testing.T, s *scene, command []string) []outcome {
	t.Helper()
	var all []outcome
	for _, r := range s.runs {
		all = append(all, g.play(t, command, r))
	}
	return all
}

// play runs a command to its end. It may be called outside of the test's goroutine.
func (g *stage) play(t *testing.T, command []string, r run) outcome {
	t.Helper()
	args, err := shell.Fields(r.args, func(name string) string {
		if path := g.expand("$" + name); path != "$"+name {
			return path
		}
		return ""
	})
	if err != nil {
		t.Error(err)
		return outcome{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], args...)...)
	cmd.Dir, cmd.Env = filepath.Join(g.work, r.dir), g.env
	cmd.Stdin = strings.NewReader(r.stdin)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	// A group of its own ends with it, whatever it has started.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Error(err)
		return outcome{}
	}
	if ctx.Err() != nil {
		t.Errorf("%s %s: not done after %v\n%s\n%s", filepath.Base(command[0]), r.args, patience, out.String(), stderr.String())
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), stderr.String()}
}

// patience is how long a program may take; nothing is measured by it.
const patience = 2 * time.Minute

// tree returns the files below dir, with their content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if d.Name() == ".git" && d.IsDir() {
			return fs.SkipDir
		}
		switch {
		case d.Type().IsRegular():
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files[name] = string(text)
		case !d.IsDir():
			files[name] = d.Type().String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
