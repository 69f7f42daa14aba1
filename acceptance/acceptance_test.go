// Package acceptance runs the scripts in its directory against the real program:
// its command line, its tools and its HTTP requests, with a scripted model on
// loopback in place of the vendor. A script tests a promise of the documentation
// in a few lines. Its language is testscript's, with these additional commands:
//
//	model [-name N] [-loose] [-wire PROTOCOL] FILE
//	              serves the model of this script (see package scriptmodel),
//	              points the environment at it, and checks at the end that all
//	              went by the script; -loose checks nothing. PROTOCOL is gemini,
//	              vertex, openai, responses, anthropic, ollama, or text, which is
//	              openai without tools: the model answers no other one, and the vendor's
//	              variables for key, base URL and model are set, Gemini's by
//	              default. In tasks and badinput it is $WIRE. With a name $N_URL is set instead of
//	              $MODEL_URL, and the vendor's variables only if there is a -wire,
//	              beside those that other models have set. The script may use
//	              {{WORK}}, {{HOME}}, and {{BIG}}, which is 128 KiB of lines.
//	requests [-name N] [I]
//	              prints the requests to the model as standard output: "N requests",
//	              then all of them, or the Ith (from 1; -1 is the last)
//	statuses [-name N] STATUS...
//	              checks the statuses of all responses of the model so far, except
//	              those to requests about models
//	exits CODE COMMAND...
//	              runs a command that must end with exactly this code
//	start NAME COMMAND...
//	              starts a command in the background
//	signal SIG NAME
//	              sends INT, TERM, HUP or KILL; kill9 NAME is KILL
//	ends NAME CODE
//	              waits for the command to end with this code (-KILL: by this
//	              signal); its output is then the standard output
//	waitfor requests N | file PATH | stdout NAME REGEXP | gone PIDFILE
//	              waits until N requests have arrived, a file exists, a background
//	              command has printed a match, or a process has ended
//	jsoncmp GOT WANT
//	              compares JSON values; in WANT "<any>" is anything, "<string>",
//	              "<number>", "<uuid>" and "<time>" are such values, "/RE/" is
//	              a string that matches, the key "..." allows more keys, "<any>"
//	              is the only key, and the value "..." any number of values in a
//	              list or stream
//	remoteagent [TOKEN]
//	              starts a remote agent that wants the token; $CARD_URL is the address of its card
//	lines FILE N  the file (or stdout) has N lines
//	exec a2a METHOD PATH FILE [HEADER...]
//	              sends the file, or - for none, to the "pollux a2a-server" that was started as server,
//	              with the id of the last task in place of TASK, and prints the answer
//	exec talk SCRIPT COMMAND...
//	              talks with a command at a terminal, see [talk]
//	screen FILE   writes the standard output of the last command to FILE as a screen
//	              that can be compared: without spaces at line ends, with <uuid>
//	              for ids, <time> for durations, <port> for ports of loopback, and
//	              <count> for numbers over 999
//
// The scripts in tasks, badinput and context/wires are for all protocols, with the same
// result; a plain run plays each on few protocols, and POLLUX_LONG=1 on all. Those in anymodel are about models with small windows, models without tool
// calling and servers that fail; those in seen, about the input of a model; those in hooks, about
// the user's hooks; those in work, about ordinary work in the sandbox; those in
// first, about the first minutes with Pollux. A script in first begins as a new user in
// ~/project, with no settings, keys or trusted folders. Its files, and those of a script in work, are in $HOME, and can be
// named as in "exec talk $HOME/a.talk pollux" and "cmp got $HOME/want".
//
// The condition [modelserver] is true if a program on this machine listens on a usual port of
// model servers, such as Ollama; [fulldisk] is true if a small file system can be mounted, and [mounts] if any can; [long], if
// POLLUX_LONG is 1; [root], if the tests run as root; [wire:openai], if this is the protocol of the script's run.
//
// Each script has its own empty home directory ($HOME) and a trusted folder, and
// inherits only PATH from the environment.
package acceptance

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"pollux/cmd/pollux/program"
	"pollux/internal/mcp/mcptest"
	"pollux/internal/process/processtest"
	"pollux/internal/sandbox"
	"pollux/llm/provider"
)

var update = flag.Bool("update", false, "write what cmp found into the scripts")

// TestMain runs 8 scripts at a time, because many wait for a retry. More would break short timeouts of the program:
// it waits two seconds for piped input, and less for local servers.
func TestMain(m *testing.M) {
	testscript.Main(processtest.Patient{M: m, Tests: 8}, map[string]func(){"pollux": program.Main, "talk": talk, "emulator": emulator, "a2a": a2aClient, "mcpserver": mcpServer, "pollux-breaks": breakable})
}

// mcpServer is an MCP server of the kind in its argument.
func mcpServer() {
	mcptest.Serve(os.Args[1], mcptest.Process{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ(), Exit: os.Exit})
}

// TestServers runs the scripts about MCP servers.
func TestServers(t *testing.T) {
	t.Parallel()
	run(t, "mcp", "", func(*testscript.Env) error { return nil })
}

// TestServersWires runs the scripts about the protocol's reference server, with each kind of provider. A plain run plays
// one of them on each.
func TestServersWires(t *testing.T) {
	t.Parallel()
	for i, wire := range []string{"gemini", "openai", "anthropic"} {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			files, err := filepath.Glob("mcp/wires/*.txtar")
			if err != nil || len(files) == 0 {
				t.Fatal("no scripts", err)
			}
			plain := files[i%len(files)]
			files = slices.DeleteFunc(files, func(file string) bool { return file != plain && !processtest.InLong(wire+" "+file) })
			runFiles(t, files, wire, func(*testscript.Env) error { return nil })
		})
	}
}

func TestScripts(t *testing.T) {
	t.Parallel()
	run(t, ".", "", func(*testscript.Env) error { return nil })
}

// TestScreen runs the scripts at a terminal on which Pollux draws. The user has seen all notices for new users, unless
// the script removes ~/.gemini/state.json.
func TestScreen(t *testing.T) {
	t.Parallel()
	run(t, "tui", "", func(env *testscript.Env) error {
		env.Setenv("TERM", "xterm-256color")
		env.Setenv("COLORTERM", "truecolor")
		env.Setenv("NO_COLOR", "")
		return knowsPollux(env.Getenv("HOME"))
	})
}

// knowsPollux makes the user of a home directory one who has seen all notices for new users.
func knowsPollux(home string) error {
	return errors.Join(os.MkdirAll(filepath.Join(home, ".gemini"), 0o700),
		os.WriteFile(filepath.Join(home, ".gemini", "state.json"), []byte(`{"tipsShown": 10, "polluxUndoShown": 1, "polluxDeletionShown": 1, "polluxImportShown": 1}`), 0o600))
}

// TestAnyModel runs the scripts about models with small windows, models without tool calling and
// servers that fail.
func TestAnyModel(t *testing.T) {
	t.Parallel()
	run(t, "anymodel", "", func(*testscript.Env) error { return nil })
}

// TestHooks runs the scripts about hooks.
func TestHooks(t *testing.T) {
	t.Parallel()
	run(t, "hooks", "", func(*testscript.Env) error { return nil })
}

// TestExtensions runs the scripts about extensions.
func TestExtensions(t *testing.T) {
	t.Parallel()
	run(t, "extensions", "", func(*testscript.Env) error { return nil })
}

// TestSeen runs the scripts about the input of a model: the instructions, the tools and their
// results.
func TestSeen(t *testing.T) {
	t.Parallel()
	run(t, "seen", "", func(*testscript.Env) error { return nil })
}

// TestFirst runs the scripts about the first minutes with Pollux, most of them at a terminal with
// 80 or 40 columns.
func TestFirst(t *testing.T) {
	t.Parallel()
	run(t, "first", "", func(env *testscript.Env) error {
		w := env.Values[worldKey{}].(*world)
		w.home = w.work
		w.work = filepath.Join(w.home, "project")
		env.Cd = w.work
		env.Setenv("HOME", w.home)
		env.Setenv("WORK", w.work)
		env.Setenv("TMPDIR", w.home+"/tmp")
		env.Setenv("TERM", "dumb") // the line face
		for _, name := range []string{"GEMINI_MODEL", "GEMINI_CLI_TRUST_WORKSPACE", "NO_COLOR"} {
			env.Setenv(name, "")
		}
		return errors.Join(os.MkdirAll(w.work, 0o755), os.Mkdir(w.home+"/tmp", 0o700))
	})
}

// run runs the scripts of a directory after calling prepare for each. wire is the protocol for
// scripts that run on all protocols, else "".
func run(t *testing.T, dir, wire string, prepare func(*testscript.Env) error) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no scripts: %v", dir, err)
	}
	runFiles(t, files, wire, prepare)
}

// runFiles runs these scripts like run, or those of them in the part that [processtest.InPart] reports. A plain run has a
// fifth of them: a directory has its scripts in the order of their subjects.
func runFiles(t *testing.T, files []string, wire string, prepare func(*testscript.Env) error) {
	t.Helper()
	if all := len(files); !*update {
		i := -1
		files = slices.DeleteFunc(files, func(string) bool { i++; return !processtest.InPlain(i, 5) })
		if len(files) < all {
			t.Logf("NOT TESTED: %d of %d scripts, which POLLUX_LONG=1 runs", all-len(files), all)
		}
	}
	files = slices.DeleteFunc(files, func(file string) bool { return !processtest.InPart(file) })
	if len(files) == 0 {
		t.Skip("NOT TESTED: none of these scripts is in the part POLLUX_PART")
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Setup: func(env *testscript.Env) error {
			env.Setenv("WIRE", wire)
			if err := setup(env); err != nil {
				return err
			}
			return prepare(env)
		},
		Cmds: words(),
		Condition: func(name string) (bool, error) {
			if of, ok := strings.CutPrefix(name, "wire:"); ok {
				return of == wire, nil
			}
			return condition(name)
		},
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// setup creates a script's home directory and sets its environment.
func setup(env *testscript.Env) error {
	home, err := os.MkdirTemp("", "pollux-home-")
	if err != nil {
		return err
	}
	env.Defer(func() { _ = os.RemoveAll(home) })
	if home, err = filepath.EvalSymlinks(home); err != nil {
		return err
	}
	work, err := filepath.EvalSymlinks(env.WorkDir)
	if err != nil {
		return err
	}
	w := &world{env: env, home: home, work: work, models: map[string]*model{}, started: map[string]*process{}}
	env.Values[worldKey{}] = w
	env.Defer(w.close)
	keep := []string{"PATH", "SYSTEMROOT", "WORK", "WIRE", "TMPDIR", "GOCOVERDIR", "/", ":", "$", "exe", "devnull"}
	var vars []string
	for _, v := range env.Vars {
		for _, k := range keep {
			if strings.HasPrefix(v, k+"=") {
				vars = append(vars, v)
			}
		}
	}
	env.Vars = append(vars,
		"HOME="+home, "LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1",
		"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_MODEL=gemini-2.5-flash",
		"GORACE="+os.Getenv("GORACE"),    // see .ci/run
		"GEMINI_FORCE_FILE_STORAGE=true") // do not use the keychain of the user who runs the tests
	env.Setenv("WORK", work)
	env.Setenv("TMPDIR", home+"/tmp")
	if runtime.GOOS == "windows" {
		env.Setenv("USERPROFILE", home)
		env.Setenv("TEMP", filepath.Join(home, "tmp"))
	}
	env.Cd = work
	return os.Mkdir(home+"/tmp", 0o700)
}

type worldKey struct{}

// condition evaluates the conditions of this package.
func condition(name string) (bool, error) {
	switch name {
	case "long":
		return processtest.IsLong(), nil
	case "root":
		return os.Getuid() == 0, nil
	case "modelserver":
		return hasModelServer(), nil
	case "sandbox":
		return sandbox.Available() == nil && sandbox.Gap() == "" && !sandbox.ByPath, nil
	case "signals":
		return sandbox.KeepsSignals(), nil
	case "fulldisk":
		return canFillDisk()
	case "mounts":
		return canMount(), nil
	}
	return false, fmt.Errorf("unknown condition %s", name)
}

// hasModelServer reports whether a program listens on a usual port of model servers.
func hasModelServer() bool {
	for p := range provider.Builtin().All() {
		if p.Local == nil {
			continue
		}
		conn, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(p.Local.Port)), time.Second)
		if err == nil {
			_ = conn.Close()
			return true
		}
	}
	return false
}

func canFillDisk() (bool, error) {
	dir, err := os.MkdirTemp("", "pollux-full-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	return exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=64k", "none", dir).Run() == nil, nil
}

// world holds the models and commands that a script has started.
type world struct {
	env        *testscript.Env
	home, work string
	models     map[string]*model
	started    map[string]*process
}

func of(ts *testscript.TestScript) *world { return ts.Value(worldKey{}).(*world) }

// close ends all models and commands. It fails the script if the requests to a model were not
// as its script expects, or if something is beside the directories of scripts, which would be left behind.
func (w *world) close() {
	for _, p := range w.started {
		p.stop()
	}
	for _, m := range w.models {
		err := m.server.Check()
		_ = m.server.Close()
		if err != nil && !m.loose {
			w.env.T().Log("model " + m.name + ":\n" + err.Error())
			defer w.env.T().FailNow()
		}
	}
	beside, _ := os.ReadDir(filepath.Dir(w.env.WorkDir)) // without it, nothing is left
	for _, e := range beside {
		if !strings.HasPrefix(e.Name(), "script-") {
			w.env.T().Log(e.Name() + " is outside of $WORK and $HOME, and would be left behind")
			defer w.env.T().FailNow()
		}
	}
}
