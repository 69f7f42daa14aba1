//go:build unix

package acceptance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pollux/internal/process/processtest"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
)

// notRun are the reasons for which a page may leave a block to the reader, as in
// "<!-- not run: needs Google Cloud -->".
var notRun = []string{
	"asks for a key",
	"needs a browser",
	"needs a clone",
	"needs a local server",
	"needs Google Cloud",
	"needs settings of Claude Code",
}

// TestPages runs the shell commands of all pages as a reader would: each page in a new home
// directory and a new project, its blocks in order. Vendors are a scripted model behind a proxy.
func TestPages(t *testing.T) {
	t.Parallel()
	model := scripttest.Serve(t, "key none\nturn\n  times always\n  text ok\n", scriptmodel.Options{Wires: everyWire()})
	web := startInternet(t, model.URL())
	var mu sync.Mutex
	unused := map[string]bool{}
	for _, reason := range notRun {
		unused[reason] = true
	}
	t.Run("pages", func(t *testing.T) {
		for name, text := range pages(t) {
			t.Run(filepath.Base(name), func(t *testing.T) {
				t.Parallel()
				r := newReader(t, web)
				r.project()
				all, err := shellBlocks(text)
				if err != nil {
					t.Fatal(err)
				}
				for _, b := range all {
					if b.notRun != "" {
						if !slices.Contains(notRun, b.notRun) {
							t.Errorf("%s:%d: %q is not one of the reasons not to run commands", name, b.line, b.notRun)
						}
						mu.Lock()
						delete(unused, b.notRun)
						mu.Unlock()
						continue
					}
					if _, err := exec.LookPath("jq"); err != nil && strings.Contains(b.script, "jq ") {
						t.Logf("%s:%d: not run, because jq is not installed", name, b.line)
						continue
					}
					vars := []string{}
					if b.trusted {
						vars = append(vars, "GEMINI_CLI_TRUST_WORKSPACE=true")
					}
					if !b.bare {
						vars = append(vars, "GEMINI_API_KEY=test-key")
					}
					if out, code := r.bash(b.script, vars...); code != b.exit {
						t.Errorf("%s:%d: these commands exit with %d, want %d:\n%s\n%s", name, b.line, code, b.exit, b.script, out)
					}
				}
			})
		}
	})
	for reason := range unused {
		t.Errorf("no page has commands that are not run because of %q", reason)
	}
}

// block is a fenced block of shell commands in a page.
type block struct {
	line    int
	script  string
	notRun  string // the reason; "" if the commands are run
	exit    int    // the expected exit status
	trusted bool   // the folder is trusted
	bare    bool   // no API key is set
}

var comment = regexp.MustCompile(`^<!-- (.*) -->$`)

// shellBlocks returns the blocks in sh, bash and console. These comments, each on its own line,
// change how they run:
//
//	<!-- not run: REASON -->          the next block is not run
//	<!-- exits N -->                  the next block ends with this status
//	<!-- run in a trusted folder -->  all following blocks
//	<!-- run without a key -->        all following blocks
func shellBlocks(text string) ([]block, error) {
	var all []block
	var next, now block
	fence, lang := "", ""
	for i, line := range strings.Split(text, "\n") {
		indented := line
		line = strings.TrimSpace(line)
		switch {
		case fence != "" && line == fence:
			if lang != "" {
				all = append(all, now)
				next = block{trusted: next.trusted, bare: next.bare}
			}
			fence = ""
		case fence != "" && lang == "console":
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				now.script += command + "\n"
			}
		case fence != "":
			now.script += indented + "\n"
		case strings.HasPrefix(line, "```"):
			info := strings.TrimLeft(line, "`")
			fence, lang = line[:len(line)-len(info)], ""
			if info == "sh" || info == "bash" || info == "console" {
				lang, now = info, next
				now.line, now.script = i+1, ""
			} else if next.notRun != "" || next.exit != 0 {
				return nil, fmt.Errorf("line %d: the comment is not before shell commands", i+1)
			}
		default:
			if m := comment.FindStringSubmatch(line); m != nil {
				next.read(m[1])
			}
		}
	}
	if next.notRun != "" || next.exit != 0 {
		return nil, errors.New("the last comment about shell commands is not before any")
	}
	return all, nil
}

// read applies a comment.
func (b *block) read(comment string) {
	if reason, ok := strings.CutPrefix(comment, "not run: "); ok {
		b.notRun = reason
	}
	if code, ok := strings.CutPrefix(comment, "exits "); ok {
		b.exit, _ = strconv.Atoi(code) // 0 if it is not a number, as in other comments
	}
	b.trusted = b.trusted || comment == "run in a trusted folder"
	b.bare = b.bare || comment == "run without a key"
}

// reader is a person with a new home directory who follows a page.
type reader struct {
	t         *testing.T
	home, dir string // dir is the directory of the project
	environ   []string
}

func newReader(t *testing.T, web *internet) *reader {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{t: t, home: home, dir: filepath.Join(home, "project")}
	r.environ = append(processtest.Environ(
		"HOME="+home, "USER=reader", "LANG=C.UTF-8", "TERM=dumb", "TMPDIR="+filepath.Join(home, "tmp"), "GEMINI_FORCE_FILE_STORAGE=true",
	), web.environ()...)
	if err := errors.Join(os.Mkdir(r.dir, 0o755), os.Mkdir(filepath.Join(home, "tmp"), 0o700)); err != nil {
		t.Fatal(err)
	}
	r.write(".config/gcloud/application_default_credentials.json",
		`{"type": "authorized_user", "client_id": "id", "client_secret": "secret", "refresh_token": "token"}`)
	return r
}

// write writes a file in the reader's home directory.
func (r *reader) write(name, text string) {
	r.t.Helper()
	name = filepath.Join(r.home, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		r.t.Fatal(err)
	}
}

// project makes a git repository with a small program, a commit on origin/main and a change.
func (r *reader) project() {
	r.t.Helper()
	files := map[string]string{
		"go.mod":      "module example.com/shop\n\ngo 1.26\n",
		"main.go":     "package main\n\nfunc main() { println(\"tea\") }\n",
		"src/main.go": "package src\n",
		"README.md":   "# shop\n",
		"key.txt":     "sk-0123456789\n",
		"build.log":   "main.go:3: undefined: tee\n",
	}
	for name, text := range files {
		r.write("project/"+name, text)
	}
	if out, code := r.bash(`
		git init -q -b main
		git config user.name Reader
		git config user.email reader@example.com
		git add .
		git commit -q -m 'Sell tea'
		git update-ref refs/remotes/origin/main HEAD
		echo '// Package main sells tea.' | cat - main.go >new
		mv new main.go
	`); code != 0 {
		r.t.Fatal(out)
	}
}

// bash runs commands in the project until one fails, and returns their output and the exit
// status. It ends the test if they take too long.
func (r *reader) bash(script string, vars ...string) (string, int) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-eu", "-o", "pipefail", "-c", script)
	cmd.Dir = r.dir
	cmd.Env = slices.Concat(r.environ, vars)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		r.t.Fatalf("%v\n%s\n%s", err, script, out)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// TestShellBlocks checks how blocks and the comments about them are read.
func TestShellBlocks(t *testing.T) {
	t.Parallel()
	text := "```sh\na\n```\n<!-- run in a trusted folder -->\n<!-- exits 41 -->\n```console\n$ b\nB\n```\n\n<!-- not run: why -->\n\n```bash\nc\n  d\n```\n```json\n{}\n```\n"
	got, err := shellBlocks(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []block{
		{line: 1, script: "a\n"},
		{line: 6, script: "b\n", exit: 41, trusted: true},
		{line: 13, script: "c\n  d\n", notRun: "why", trusted: true},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, text := range []string{"<!-- not run: why -->\n```json\n{}\n```\n", "<!-- exits 1 -->\n"} {
		if _, err := shellBlocks(text); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
}

// TestPagesNameCommands checks that subcommands in the prose of the pages exist.
func TestPagesNameCommands(t *testing.T) {
	t.Parallel()
	help, err := exec.Command("pollux", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"help": true, "uninstall": true, "upgrade": true, "version": true}
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+):  `).FindAllStringSubmatch(string(help), -1) {
		known[m[1]] = true
	}
	if len(known) < 5 {
		t.Fatalf("the help lists only %v", slices.Sorted(maps.Keys(known)))
	}
	later := map[string]bool{"extensions": true, "gemma": true, "hooks": true, "mcp": true, "skills": true}
	for name, text := range pages(t) {
		for _, m := range regexp.MustCompile("`pollux ([a-z]+)[ `]").FindAllStringSubmatch(text, -1) {
			if !known[m[1]] && (!later[m[1]] || filepath.Base(name) != "compatibility.md") {
				t.Errorf("%s: pollux %s does not exist", name, m[1])
			}
		}
	}
}
