//go:build linux

package hostile

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/gemini"
	"pollux/internal/scriptmodel/openai"
)

const (
	secret  = "AIzaHOSTILE0secret1of2the3user4567890abc"
	private = "PRIVATE-KEY-5b1f7a-of-the-user"
	done    = "The model is done."
	refusal = "The user refuses this."
)

// result is a scene that was played.
type result struct {
	t      *testing.T
	scene  *scene
	root   string // directory of project, home, outside, canary and tmp
	mark   string // variable that all processes of the run inherit
	before map[string]string

	status   error
	output   string // standard output and error, or the terminal's
	requests []scriptmodel.Request
	results  map[string]string // of calls, by ID
	said     speech            // the output that a client has seen

	mu    sync.Mutex
	evils []string // requests to the attacker's server
}

func (r *result) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n%s\n", r.status, r.output)
	for _, id := range slices.Sorted(maps.Keys(r.results)) {
		fmt.Fprintf(&b, "%s: %s\n", id, r.results[id])
	}
	return b.String()
}

// patience is how long a run may take; nothing is measured by it.
const patience = 5 * time.Minute

// play runs the program in a scene.
func play(t *testing.T, s *scene) *result {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &result{t: t, scene: s, root: root, mark: "HOSTILE_RUN=" + filepath.Base(filepath.Dir(root)) + strconv.Itoa(os.Getpid()), results: map[string]string{}}
	evil := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { r.evil(fmt.Sprint(q.Method, " ", q.URL, " ", q.Header)) }))
	evil.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			r.evil("a connection")
		}
	}
	if s.isConfined { // commands that it does not answer would wait
		evil.Config.ReadHeaderTimeout = time.Second
	}
	evil.Start()
	t.Cleanup(evil.Close)
	model, err := scriptmodel.Start(r.script(evil.URL), scriptmodel.Options{Wires: []scriptmodel.Wire{gemini.Wire{}, openai.Chat{}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	r.prepare(evil.URL)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	prompt := cmp.Or(s.Prompt, "go")
	name, args := "pollux", slices.Clone(s.Args)
	switch s.face {
	case headless:
		args = append(args, "-p", prompt)
	case terminal:
		args = append(args, "-i", prompt)
	case served:
		args = append([]string{"mcp", "serve"}, args...)
	case library:
		name = library
	}
	if s.Command != nil {
		args = slices.Concat(s.Args, s.Command)
	}
	for i := range args {
		args[i] = r.fill(args[i], r.canary(), evil.URL)
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = filepath.Join(root, "project"), r.environ(model.URL(), evil.URL)
	switch {
	case s.face == terminal:
		r.output, r.status = converse(cmd)
	case s.face == served:
		r.serve(ctx, cmd, evil.URL)
	case s.ErrTerminal:
		r.output, r.status = runWithErrTerminal(cmd)
	default:
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		r.status = cmd.Run()
		r.output = out.String()
	}
	if ctx.Err() != nil {
		t.Fatalf("it does not end:\n%s", r.output)
	}
	r.requests = model.Requests()
	if s.face != served {
		r.readResults()
	}
	return r
}

func (r *result) evil(request string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.evils = append(r.evils, request)
}

// script returns the script of the model: the calls that work, then those that must not. At a
// terminal and in a library each is a turn of its own, because a user who refuses a call ends the
// others.
func (r *result) script(evil string) *scriptmodel.Script {
	var turns []scriptmodel.Turn
	add := func(steps ...scriptmodel.Step) {
		if n := len(turns); n == 0 || r.scene.Interactive || r.scene.face == library {
			turns = append(turns, scriptmodel.Turn{Steps: steps})
		} else {
			turns[n-1].Steps = append(turns[n-1].Steps, steps...)
		}
	}
	for i, list := range [][]attempt{r.scene.Works, r.scene.Attempts} {
		for n, a := range list {
			if !a.isCall() {
				continue
			}
			canary := strconv.Itoa(n)
			name, args := a.call()
			add(scriptmodel.Call{ID: []string{"works_", "attempt_"}[i] + canary, Name: name, Args: r.fill(args, canary, evil)})
		}
	}
	for i, text := range r.scene.Answers {
		turns = append(turns, scriptmodel.Turn{Steps: []scriptmodel.Step{scriptmodel.Text{Text: r.fill(text, "0", evil)}}})
		if name, args, ok := strings.Cut(text, " "); ok && strings.HasPrefix(name, "CALL:") {
			turns[len(turns)-1].Steps[0] = scriptmodel.Call{ID: "answer_" + strconv.Itoa(i), Name: strings.TrimPrefix(name, "CALL:"), Args: r.fill(args, "0", evil)}
		}
	}
	text := done
	if r.scene.Text != "" {
		text = r.fill(r.scene.Text, "scene", evil) + "\n" + done
	}
	turns = append(turns, scriptmodel.Turn{Steps: []scriptmodel.Step{scriptmodel.Text{Text: text}}, Times: -1})
	return &scriptmodel.Script{Turns: turns}
}

// canary is the name of the file that the texts of a scene are about: that of the only attempt,
// if the model answers with texts.
func (r *result) canary() string {
	if len(r.scene.Answers) > 0 {
		return "0"
	}
	return "scene"
}

// fill replaces the names in a text.
func (r *result) fill(text, canary, evil string) string {
	if !strings.Contains(text, "{{") {
		return text
	}
	return strings.NewReplacer(
		"{{ROOT}}", r.root, "{{HOME}}", filepath.Join(r.root, "home"), "{{WORK}}", filepath.Join(r.root, "project"),
		"{{OUTSIDE}}", filepath.Join(r.root, "outside"), "{{CANARY}}", filepath.Join(r.root, "canary", canary),
		"{{SECRET}}", secret, "{{PRIVATE}}", private, "{{EVILHOST}}", strings.ReplaceAll(strings.TrimPrefix(evil, "http://"), ":", "/"), "{{EVIL}}", evil,
	).Replace(longTexts().Replace(text))
}

// longTexts replaces the names of long texts.
var longTexts = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(
		"{{MEGABYTE}}", strings.Repeat("a", 1<<20), "{{PATHS}}", strings.Repeat("$PATH", 100_000), "{{NESTED}}", strings.Repeat("[", 3000)+strings.Repeat("]", 3000), "{{STARS}}", strings.Repeat("*a", 2000), "{{LONG}}", strings.Repeat("a", 100_000), "{{LONGWORDS}}", strings.Repeat("ab ", 33_000), "{{MANY}}", strings.Repeat("echo;", 5000),
	)
})

// environ is the environment of the run.
func (r *result) environ(model, evil string) []string {
	env := map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": filepath.Join(r.root, "home"), "TMPDIR": filepath.Join(r.root, "tmp"),
		"LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "GOCOVERDIR": os.Getenv("GOCOVERDIR"), "GORACE": os.Getenv("GORACE"),
		"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_FORCE_FILE_STORAGE": "true", "GEMINI_MODEL": "gemini-2.5-flash",
		"GEMINI_API_KEY": secret, "GOOGLE_GEMINI_BASE_URL": model, "NO_PROXY": "127.0.0.1",
	}
	if r.scene.Wire == "openai" {
		env["OPENAI_API_KEY"], env["OPENAI_BASE_URL"], env["OPENAI_MODEL"] = secret, model+"/v1", "local"
		for _, name := range []string{"GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GEMINI_MODEL"} {
			delete(env, name)
		}
	}
	if r.scene.Offline {
		env["HTTPS_PROXY"] = "http://127.0.0.1:9"
		delete(env, "GOOGLE_GEMINI_BASE_URL")
	}
	for name, value := range r.scene.Env {
		env[name] = r.fill(value, "scene", evil)
	}
	name, value, _ := strings.Cut(r.mark, "=")
	env[name] = value
	var list []string
	for name, value := range env {
		if value != "" {
			list = append(list, name+"="+value)
		}
	}
	return list
}

// prepare writes the files of the scene.
func (r *result) prepare(evil string) {
	for _, dir := range []string{"project", "home/.gemini/policies", "home/.ssh", "outside", "canary", "tmp"} {
		if err := os.MkdirAll(filepath.Join(r.root, dir), 0o700); err != nil {
			r.t.Fatal(err)
		}
	}
	files := map[string]string{
		"outside/notes": "notes of the user\n", "outside/secret": private + "\n", "home/.ssh/id_rsa": private + "\n",
	}
	if r.scene.isConfined {
		files["outside/secret"] = "a file elsewhere\n" // it is none of those that the sandbox hides
	}
	for name, text := range map[string]string{"home/.gemini/settings.json": r.scene.Settings, "home/.gemini/policies/rules.toml": r.scene.Policy} {
		if text != "" {
			files[name] = text
		}
	}
	for name, text := range r.scene.Files {
		files["project/"+name] = text
	}
	for name, text := range r.scene.Home {
		files["home/"+name] = text
	}
	for name, text := range files {
		path := filepath.Join(r.root, r.fill(name, "scene", evil))
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(r.fill(text, r.canary(), evil)), 0o700))
		if err != nil {
			r.t.Fatal(err)
		}
	}
	if r.scene.Setup != "" {
		cmd := exec.Command("bash", "-euc", r.fill(r.scene.Setup, "scene", evil))
		cmd.Dir = filepath.Join(r.root, "project")
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(r.root, "home"), "LANG=C.UTF-8",
			"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			r.t.Fatalf("setup: %v\n%s", err, out)
		}
	}
	_ = os.Remove(filepath.Join(r.root, "canary/scene")) // if the setup itself ran the attack
	r.before = r.files()
}

// files returns a text for each file below root, with all about it that an attack may change.
func (r *result) files() map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(r.root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(r.root, path) // path is below root
		info, err := d.Info()
		if err != nil {
			return nil // it is gone
		}
		text := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			content, err := io.ReadAll(io.LimitReader(f, 8<<20))
			if err != nil {
				return err
			}
			text += " " + string(content)
		case info.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(path) // it is a link
			text += " " + target
		}
		files[name] = text
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return files
}

// readResults finds the results of calls in the requests.
func (r *result) readResults() {
	for _, q := range r.requests {
		var body struct {
			Contents []struct {
				Parts []struct {
					FunctionResponse *struct {
						ID       string
						Response json.RawMessage
					}
				}
			}
		}
		if json.Unmarshal(q.Body, &body) != nil {
			continue
		}
		for _, c := range body.Contents {
			for _, p := range c.Parts {
				if f := p.FunctionResponse; f != nil {
					var b bytes.Buffer
					e := json.NewEncoder(&b)
					e.SetEscapeHTML(false)
					_ = e.Encode(f.Response) // it was JSON
					var texts map[string]any
					if json.Unmarshal(f.Response, &texts) == nil {
						for _, v := range texts {
							fmt.Fprintln(&b, v)
						}
					}
					r.results[f.ID] = b.String()
				}
			}
		}
	}
}
