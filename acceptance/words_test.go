package acceptance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"pollux/internal/process/processtest"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/anthropic"
	"pollux/internal/scriptmodel/gemini"
	"pollux/internal/scriptmodel/ollama"
	"pollux/internal/scriptmodel/openai"
)

// patience limits how long a script waits for an event. It is not a performance test.
const patience = 3 * time.Minute

func words() map[string]func(ts *testscript.TestScript, neg bool, args []string) {
	return map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"model":    plain("model [-name N] [-loose] [-wire PROTOCOL] FILE", modelWord),
		"requests": plain("requests [-name N] [I]", requestsWord),
		"statuses": plain("statuses [-name N] STATUS...", statusesWord),
		"exits":    plain("exits CODE COMMAND...", exitsWord),
		"start":    plain("start NAME COMMAND...", startWord),
		"signal":   plain("signal SIG NAME", signalWord),
		"kill9": plain("kill9 NAME", func(ts *testscript.TestScript, args []string) bool {
			return signalWord(ts, append([]string{"KILL"}, args...))
		}),
		"ends":        plain("ends NAME CODE", endsWord),
		"waitfor":     plain("waitfor requests N | file PATH | stdout NAME REGEXP | gone PIDFILE", waitforWord),
		"jsoncmp":     plain("jsoncmp GOT WANT", jsoncmpWord),
		"lines":       plain("lines FILE N", linesWord),
		"screen":      plain("screen FILE", screenWord),
		"picture":     plain("picture NAME", pictureWord),
		"same":        plain("same NAME", sameWord),
		"kept":        plain("kept KILOBYTES", keptWord),
		"mcpauth":     plain("mcpauth", mcpAuthWord),
		"remoteagent": plain("remoteagent [TOKEN]", remoteAgentWord),
		"companion":   plain("companion FILE", companionWord),
		"releases":    plain("releases FILE", releasesWord),
	}
}

// plain returns a command that cannot be negated, from a function that reports whether the
// arguments are valid.
func plain(usage string, word func(ts *testscript.TestScript, args []string) bool) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || !word(ts, args) {
			ts.Fatalf("usage: %s", usage)
		}
	}
}

type model struct {
	name   string
	loose  bool
	server *scriptmodel.Server
}

func modelWord(ts *testscript.TestScript, args []string) bool {
	m := &model{}
	wire := ts.Getenv("WIRE")
	for len(args) > 1 {
		switch {
		case args[0] == "-wire" && len(args) > 2 && wires[args[1]] != nil:
			wire, args = args[1], args[2:]
		case args[0] == "-loose":
			m.loose, args = true, args[1:]
		case args[0] == "-name" && len(args) > 2:
			m.name, args = args[1], args[2:]
		default:
			return false
		}
	}
	w := of(ts)
	if len(args) != 1 || w.models[m.name] != nil {
		return false
	}
	script, err := scriptmodel.Parse(ts.ReadFile(args[0]))
	if err != nil {
		ts.Fatalf("%s: %v", args[0], err)
	}
	m.server, err = scriptmodel.Start(script, scriptmodel.Options{
		Wires:    everyWire(),
		Vars:     map[string]string{"WORK": w.work, "HOME": w.home, "BIG": strings.Repeat("fifteen letters\n", 8<<10)},
		Wire:     strings.Replace(wire, "vertex", "gemini", 1),
		Validate: vendorSchemas(ts),
	})
	ts.Check(err)
	w.models[m.name] = m
	url := "MODEL_URL"
	if m.name != "" {
		url = m.name + "_URL"
	}
	ts.Setenv(url, m.server.URL())
	switch {
	case wire == "" && m.name == "":
		wire = "gemini"
	case wire != "" && wire != "gemini" && wire != "vertex" && m.name == "":
		ts.Setenv("GEMINI_MODEL", "") // otherwise two vendors would be configured
	}
	if wire != "" {
		for name, value := range wires[wire] {
			ts.Setenv(name, strings.ReplaceAll(value, "URL", m.server.URL()))
		}
	}
	return true
}

// everyWire returns the protocols that a scripted model speaks.
func everyWire() []scriptmodel.Wire {
	return []scriptmodel.Wire{gemini.Wire{}, openai.Chat{}, openai.Responses{}, anthropic.Wire{}, ollama.Wire{}, openai.Text{}}
}

// wires are the variables that make the program use a model, by protocol.
var wires = map[string]map[string]string{
	"gemini":    {"GOOGLE_GEMINI_BASE_URL": "URL", "GEMINI_API_KEY": "test-key"},
	"vertex":    {"GOOGLE_VERTEX_BASE_URL": "URL", "GOOGLE_API_KEY": "test-key", "GOOGLE_GENAI_USE_VERTEXAI": "true"},
	"openai":    {"OPENAI_BASE_URL": "URL/v1", "OPENAI_API_KEY": "test-key", "OPENAI_MODEL": "gpt-4.1"},
	"responses": {"OPENAI_BASE_URL": "URL/v1", "OPENAI_API_KEY": "test-key", "OPENAI_MODEL": "gpt-5.2"},
	"text":      {"OPENAI_BASE_URL": "URL/v1", "OPENAI_API_KEY": "test-key", "OPENAI_MODEL": "gemma-3"},
	"anthropic": {"ANTHROPIC_BASE_URL": "URL", "ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_MODEL": "claude-sonnet-4-6"},
	"ollama":    {"OLLAMA_HOST": "URL", "OLLAMA_MODEL": "qwen3"},
}

// vendorSchemas checks requests against the vendors' published schemas, if these are beside the
// checkout. Each schema accepts requests of other vendors' kinds.
func vendorSchemas(ts *testscript.TestScript) func(string, []byte) error {
	judges, err := readSchemas()
	ts.Check(err)
	return func(kind string, body []byte) error {
		for _, judge := range judges {
			if err := judge(kind, body); err != nil {
				return err
			}
		}
		return nil
	}
}

// readSchemas reads the schemas once for all scripts, because they are large.
var readSchemas = sync.OnceValues(func() ([]func(string, []byte) error, error) {
	var judges []func(string, []byte) error
	for _, name := range []string{"gemini.json", "openai.json"} {
		judge, err := scriptmodel.Schema(filepath.Join("..", "..", "shared", "wire", name))
		switch {
		case err == nil:
			judges = append(judges, judge)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return judges, nil
})

func (w *world) model(args []string) (*model, []string) {
	if len(args) > 1 && args[0] == "-name" {
		return w.models[args[1]], args[2:]
	}
	return w.models[""], args
}

func requestsWord(ts *testscript.TestScript, args []string) bool {
	m, args := of(ts).model(args)
	if m == nil || len(args) > 1 {
		return false
	}
	all := m.server.Requests()
	first, last := 0, len(all)
	if len(args) == 1 {
		i, err := strconv.Atoi(args[0])
		if err != nil {
			return false
		}
		if i < 0 {
			i += len(all) + 1
		}
		if i < 1 || i > len(all) {
			ts.Fatalf("there are %d requests", len(all))
		}
		first, last = i-1, i
	}
	fmt.Fprintf(ts.Stdout(), "%d requests\n", len(all))
	for i, r := range all[first:last] {
		fmt.Fprintf(ts.Stdout(), "%d %s %s %d\n", first+i+1, r.Verb, r.Path, r.Status)
		for name, values := range r.Header {
			fmt.Fprintf(ts.Stdout(), "%s: %s\n", strings.ToLower(name), strings.Join(values, ", "))
		}
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, r.Body, "", "  "); err != nil {
			pretty.Write(r.Body)
		}
		fmt.Fprintf(ts.Stdout(), "%s\n", pretty.Bytes())
	}
	return true
}

func statusesWord(ts *testscript.TestScript, args []string) bool {
	m, args := of(ts).model(args)
	if m == nil || len(args) == 0 {
		return false
	}
	var got []string
	for _, r := range m.server.Requests() {
		if r.Verb != "models" && r.Verb != "show" {
			got = append(got, strconv.Itoa(r.Status))
		}
	}
	if !slices.Equal(got, args) {
		ts.Fatalf("the requests were answered with %s", strings.Join(got, " "))
	}
	return true
}

func exitsWord(ts *testscript.TestScript, args []string) bool {
	if len(args) < 2 {
		return false
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		return false
	}
	err = ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("it exited with %d, not %d", code, want)
	}
	return true
}

// process is a background command.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr string // files, which can be read while the command runs
	done           chan struct{}
}

func (p *process) stop() {
	select {
	case <-p.done:
		return
	default:
	}
	_ = p.cmd.Process.Kill() // an error means that it has ended
	<-p.done
}

func startWord(ts *testscript.TestScript, args []string) bool {
	w := of(ts)
	if len(args) < 2 || w.started[args[0]] != nil {
		return false
	}
	p := &process{
		cmd: exec.Command(lookup(ts, args[1]), args[2:]...), done: make(chan struct{}),
		stdout: filepath.Join(w.home, "tmp", args[0]+".out"), stderr: filepath.Join(w.home, "tmp", args[0]+".err"),
	}
	p.cmd.Dir = ts.MkAbs(".")
	for _, name := range environment() {
		if v := ts.Getenv(name); v != "" {
			p.cmd.Env = append(p.cmd.Env, name+"="+v)
		}
	}
	out, err := os.Create(p.stdout)
	ts.Check(err)
	defer out.Close()
	errs, err := os.Create(p.stderr)
	ts.Check(err)
	defer errs.Close()
	p.cmd.Stdout, p.cmd.Stderr = out, errs
	ts.Check(p.cmd.Start())
	w.started[args[0]] = p
	go func() { _ = p.cmd.Wait(); close(p.done) }() // the exit code is in ProcessState
	return true
}

// environment returns the script's environment for a background command, because testscript does
// not export the list.
func environment() []string {
	names := []string{
		"PATH", "HOME", "USERPROFILE", "TEMP", "SYSTEMROOT", "WORK", "TMPDIR", "LANG", "TERM", "NO_COLOR", "GOCOVERDIR", "GORACE",
		"GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_MODEL", "MODEL_URL",
	}
	for _, vars := range wires {
		names = slices.AppendSeq(names, maps.Keys(vars))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func lookup(ts *testscript.TestScript, name string) string {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return name
}

func signalWord(ts *testscript.TestScript, args []string) bool {
	if len(args) != 2 || of(ts).started[args[1]] == nil {
		return false
	}
	sig, ok := map[string]syscall.Signal{
		"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL,
		"QUIT": syscall.SIGQUIT, "ABRT": syscall.SIGABRT,
	}[args[0]]
	if ok {
		ts.Check(of(ts).started[args[1]].cmd.Process.Signal(sig))
	}
	return ok
}

func endsWord(ts *testscript.TestScript, args []string) bool {
	if len(args) != 2 || of(ts).started[args[0]] == nil {
		return false
	}
	p := of(ts).started[args[0]]
	select {
	case <-p.done:
	case <-time.After(patience):
		ts.Fatalf("%s does not end\n%s", args[0], ts.ReadFile(p.stderr))
	}
	fmt.Fprint(ts.Stdout(), ts.ReadFile(p.stdout))
	fmt.Fprint(ts.Stderr(), ts.ReadFile(p.stderr))
	state := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	got := strconv.Itoa(state.ExitStatus())
	if state.Signaled() {
		got = map[syscall.Signal]string{
			syscall.SIGINT: "-INT", syscall.SIGTERM: "-TERM", syscall.SIGHUP: "-HUP", syscall.SIGKILL: "-KILL",
		}[state.Signal()]
	}
	if got != args[1] {
		ts.Fatalf("it ended with %s, not %s\n%s", got, args[1], ts.ReadFile(p.stderr))
	}
	return true
}

func waitforWord(ts *testscript.TestScript, args []string) bool {
	ready := awaited(ts, args)
	if ready == nil {
		return false
	}
	for end := time.Now().Add(patience); !ready(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("it does not come: %s", strings.Join(args, " "))
		}
	}
	return true
}

func awaited(ts *testscript.TestScript, args []string) func() bool {
	w := of(ts)
	switch {
	case len(args) == 2 && args[0] == "requests" && w.models[""] != nil:
		n, err := strconv.Atoi(args[1])
		ts.Check(err)
		return func() bool { return len(w.models[""].server.Requests()) >= n }
	case len(args) == 2 && args[0] == "file":
		return func() bool { info, err := os.Stat(ts.MkAbs(args[1])); return err == nil && info.Size() > 0 }
	case len(args) == 3 && args[0] == "stdout" && w.started[args[1]] != nil:
		re, err := regexp.Compile(args[2])
		ts.Check(err)
		return func() bool { return re.MatchString(ts.ReadFile(w.started[args[1]].stdout)) }
	case len(args) == 2 && args[0] == "gone":
		pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[1])))
		ts.Check(err)
		return func() bool { return !processtest.IsRunning(pid) }
	}
	return nil
}

func linesWord(ts *testscript.TestScript, args []string) bool {
	if len(args) != 2 {
		return false
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	if got := strings.Count(ts.ReadFile(args[0]), "\n"); got != n {
		ts.Fatalf("%d lines, not %d", got, n)
	}
	return true
}

// screenWord writes the standard output of the last command to a file, in a form that does not
// depend on the run.
func screenWord(ts *testscript.TestScript, args []string) bool {
	if len(args) != 1 {
		return false
	}
	var b strings.Builder
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		line = uuidPattern.ReplaceAllString(line, "<uuid>")
		line = portPattern.ReplaceAllString(line, "127.0.0.1:<port>")
		line = countPattern.ReplaceAllString(line, "<count>")
		line = durationPattern.ReplaceAllString(line, "<time>")
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(b.String()), 0o644))
	return true
}

var (
	uuidPattern     = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	portPattern     = regexp.MustCompile(`127\.0\.0\.1:[0-9]{4,5}`)
	countPattern    = regexp.MustCompile(`\b[0-9]{1,3},[0-9]{3}\b`)
	durationPattern = regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?(ms|s)\b`)
)
