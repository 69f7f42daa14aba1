//go:build linux

package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
	"golang.org/x/sys/unix"

	"pollux/internal/process/processtest"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/profile"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/gemini"
)

// escape is an attempt to get out of the sandbox: a row of sandbox/*.toml. It succeeds if the command or the call does.
type escape struct {
	Name    string
	Command string   // of bash
	Call    string   // of the table calls, and the name by default
	Each    []string // an attempt each, with $ITEM
	// Without says why the attempt cannot succeed without a sandbox, so that there is no control. If empty, it must succeed; "as root" is an attempt that
	// must for root. On a machine that does not allow it to root either, the test logs that.
	Without string
	// Refused is in the output of an attempt without a control, by default an error of a system call that is not allowed.
	Refused string
	Only    string // "user" is an attempt for users other than root
	Network string // "off"
	Needs   string // a program

	Item string
}

const asRoot = "as root"

// readEscapes reads the tables.
func readEscapes(t *testing.T) []escape {
	t.Helper()
	files, err := filepath.Glob("sandbox/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var all []escape
	var names []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var table struct{ Attempts []escape }
		if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&table); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, e := range table.Attempts {
			if e.Name == "" {
				e.Name = e.Call
			}
			if (e.Command == "") == (e.Call == "") || e.Call != "" && calls[e.Call] == nil {
				t.Errorf("%s: %s: not one command or call", file, e.Name)
			}
			if e.Each == nil {
				all, names = append(all, e), append(names, e.Name)
			}
			for _, item := range e.Each {
				one := e
				one.Item, one.Name = item, e.Name+" "+item
				all, names = append(all, one), append(names, one.Name)
			}
		}
	}
	if !isSet(names) {
		t.Errorf("two attempts have the same name: %q", names)
	}
	return all
}

// TestEscapes makes all attempts as commands of a model in YOLO mode and as commands of the user, as root and as another user. Without a sandbox, those that
// can succeed must. A plain run has the commands of a model.
func TestEscapes(t *testing.T) {
	t.Parallel()
	if processtest.HasRaceDetector() {
		t.Skip("NOT TESTED: escapes, because programs that try to escape have no races, and take long to start")
	}
	all := readEscapes(t)
	if err := sandbox.Available(); err != nil || sandbox.ByPath { // they are about that of Linux
		t.Skipf("NOT TESTED: %d escapes: %v", len(all), err)
	}
	if gap := sandbox.Gap(); gap != "" {
		t.Skipf("NOT TESTED: %d escapes: %s", len(all), gap)
	}
	t.Logf("%d attempts", len(all))
	if len(all) < 150 {
		t.Error("there are fewer than 150")
	}
	users := []int{os.Getuid()}
	if os.Getuid() == 0 {
		users = append(users, otherUser)
	} else {
		t.Log("NOT TESTED: escapes as root, and setuid programs")
	}
	count := 0
	try := func(name string, f func(t *testing.T)) {
		isPlayed := processtest.InPlain(count, 4)
		count++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !isPlayed {
				t.Skip("NOT TESTED: POLLUX_LONG=1 runs it")
			}
			f(t)
		})
	}
	for _, uid := range users {
		who := "as a user"
		if uid == 0 {
			who = asRoot
		}
		try("a command of a model "+who, func(t *testing.T) {
			p := newPrison(t, uid, false)
			p.check(p.attempt(all, "", nil))
		})
		try("without a sandbox "+who, func(t *testing.T) {
			p := newPrison(t, uid, true)
			p.checkControl(p.attempt(all, "", nil))
		})
		try("pollux sandbox run "+who, func(t *testing.T) {
			p := newPrison(t, uid, false)
			p.check(p.attempt(all, "", []string{"pollux", "sandbox", "run", "--"}))
		})
		try("pollux sandbox run without a network "+who, func(t *testing.T) {
			p := newPrison(t, uid, false)
			p.check(p.attempt(all, "off", []string{"pollux", "sandbox", "run", "--"}))
		})
	}
}

// TestBomb makes more and more processes in the sandbox, which must fail before it does without, and looks which programs the kernel ends first when it
// runs out of memory.
func TestBomb(t *testing.T) {
	t.Parallel()
	if err := sandbox.Available(); err != nil || sandbox.ByPath { // they are about that of Linux
		t.Skipf("NOT TESTED: limits of the sandbox: %v", err)
	}
	uid := os.Getuid()
	if uid == 0 {
		uid = otherUser // root has no limit
	}
	p := newPrison(t, uid, false)
	p.write("home/.gemini/settings.json", `{"pollux": {"sandboxProcesses": 50}}`, 0o644)
	p.prepare()
	if got := p.output("pollux", "sandbox", "run", "--", "bash", "-c", `until [ "$(</proc/self/oom_score_adj)" = 500 ]; do :; done; echo sacrificed`); got != "sacrificed\n" {
		t.Errorf("commands have another oom_score_adj: %q", got)
	}
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip("NOT TESTED: a fork bomb: perl is not installed")
	}
	const most = 3000
	bomb := []string{"perl", "-e", fmt.Sprintf(`while (@p < %d) { $p = fork; last unless defined $p; if (!$p) { sleep 300; exit } push @p, $p } $e = $!; kill 9, @p; waitpid $_, 0 for @p; print scalar @p, ": $e"`, most)}
	if got := p.output(bomb...); !strings.HasPrefix(got, strconv.Itoa(most)) {
		t.Skipf("NOT TESTED: a fork bomb: this machine stops it without a sandbox: %s", got)
	}
	limited := []string{"pollux", "sandbox", "run", "--", "bash", "-c", `until [ "$(ulimit -u)" != "$0" ]; do :; done; exec "$@"`, strings.TrimSpace(p.output("bash", "-c", "ulimit -u"))}
	if got := p.output(append(limited, bomb...)...); !strings.Contains(got, "temporarily unavailable") {
		t.Errorf("the sandbox does not stop a fork bomb: %s", got)
	}
}

// output runs a program without attempts and returns its output.
func (p *prison) output(words ...string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/usr/bin/env", words...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = p.at("project"), p.env, p.attributes()
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%q: %v\n%s", words, err, out)
	}
	return string(out)
}

// otherUser is the number of a user without privileges.
const otherUser = 65534

// prison is the place of a batch of attempts: a workspace, a home directory with secrets and others' files beside them, and a process outside.
type prison struct {
	t       *testing.T
	uid     int
	isOpen  bool // there is no sandbox
	root    string
	env     []string
	outside *exec.Cmd
	facts   facts
	tuned   string // see tuning
	before  map[string]string
	rows    []escape
}

// facts are about the process outside.
type facts struct {
	PTS             string
	Shm, Sem, Queue int
	Memory          uint64
	Abstract        string
}

func (p *prison) at(name string) string { return filepath.Join(p.root, name) }

func (p *prison) attributes() *syscall.SysProcAttr {
	if p.uid == os.Getuid() {
		return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	}
	id := uint32(p.uid)
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Credential: &syscall.Credential{Uid: id, Gid: id, Groups: []uint32{}}}
}

func newPrison(t *testing.T, uid int, isOpen bool) *prison {
	t.Helper()
	root, err := os.MkdirTemp("", "pollux-prison-") // other users do not reach the directories of tests
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	p := &prison{t: t, uid: uid, isOpen: isOpen, root: root}
	for _, dir := range []string{"bin", "project", "home", "outside", "tmp", "run"} {
		p.must(os.MkdirAll(p.at(dir), 0o755))
	}
	p.must(os.Chmod(root, 0o755))
	self, err := os.Executable()
	p.must(err)
	for _, name := range []string{"pollux", "escape"} {
		if os.Link(self, p.at("bin/"+name)) != nil {
			b, err := os.ReadFile(self)
			p.must(errors.Join(err, os.WriteFile(p.at("bin/"+name), b, 0o755)))
		}
	}
	account := ""
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		account = u.Username
	}
	p.env = []string{
		"PATH=" + p.at("bin") + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:" + p.at("home/.dotnet/tools") + ":" + p.at("home/.pub-cache/bin"),
		"HOME=" + p.at("home"), "TMPDIR=" + p.at("tmp"), "LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "USER=" + account,
		"XDG_RUNTIME_DIR=" + p.at("run"), "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_FORCE_FILE_STORAGE=true", "GEMINI_MODEL=gemini-2.5-flash",
		"GEMINI_API_KEY=" + secret, "NO_PROXY=127.0.0.1", "GIT_CONFIG_NOSYSTEM=1", "GOCOVERDIR=" + os.Getenv("GOCOVERDIR"),
	}
	return p
}

func (p *prison) must(err error) {
	if err != nil {
		p.t.Helper()
		p.t.Fatal(err)
	}
}

func (p *prison) write(name, text string, mode fs.FileMode) {
	path := p.at(name)
	p.must(os.MkdirAll(filepath.Dir(path), 0o755))
	p.must(os.WriteFile(path, []byte(text), mode))
}

// prepare makes the files of the attempts.
func (p *prison) prepare() {
	for i, e := range p.rows {
		n := strconv.Itoa(i)
		p.must(os.MkdirAll(p.at("project/"+n), 0o755))
		p.must(os.MkdirAll(p.at("outside/"+n+"/empty"), 0o755))
		p.must(os.MkdirAll(p.at("outside/"+n+"/other"), 0o755))
		p.write("outside/"+n+"/note", "note", 0o644)
		p.write("outside/"+n+"/secret", private, 0o600)
		p.write("outside/"+n+"/program", "#!/bin/sh\n", 0o755)
		p.write("home/.ssh/id_"+n, private+"\n", 0o600)
		_ = unix.Setxattr(p.at("outside/"+n+"/note"), "user.old", []byte("x"), 0) // not all file systems have them
		if !strings.Contains(e.Command, "$HOME/$ITEM") {
			continue
		}
		if name := "home/" + e.Item; strings.HasPrefix(e.Name, "create ") {
			p.must(os.MkdirAll(filepath.Dir(p.at(name)), 0o755))
		} else {
			p.write(name, content(e), 0o600)
		}
	}
	for _, dir := range []string{"run/gnupg", "run/systemd", "tmp/ssh-a", "tmp/ssh-b", "tmp/ssh-c", "home/.dotnet", "home/.pub-cache", "home/.local/share/uv/tools"} {
		p.must(os.MkdirAll(p.at(dir), 0o755))
	}
	if p.uid == os.Getuid() {
		return
	}
	p.must(filepath.WalkDir(p.root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || strings.HasPrefix(path, p.at("bin")) {
			return err
		}
		return os.Lchown(path, p.uid, p.uid)
	}))
	bash, err := os.ReadFile("/bin/bash")
	p.must(err)
	p.must(errors.Join(os.WriteFile(p.at("bin/setuid"), bash, 0o755), os.Chmod(p.at("bin/setuid"), 0o755|fs.ModeSetuid)))
	if path, err := exec.LookPath("setpriv"); err == nil {
		b, err := os.ReadFile(path)
		p.must(errors.Join(err, os.WriteFile(p.at("bin/capable"), b, 0o755)))
		p.must(unix.Setxattr(p.at("bin/capable"), "security.capability", capability(unix.CAP_SETUID), 0))
	}
}

// content returns the content of a file in the home directory that an attempt is about. Pollux itself reads some of them.
func content(e escape) string {
	switch isSecret, ext := strings.HasPrefix(e.Name, "read "), filepath.Ext(e.Item); {
	case isSecret && ext == ".json":
		return `{"note": "` + private + `"}`
	case isSecret:
		return private + "\n"
	case ext == ".json":
		return "{}"
	case ext == ".md":
		return "notes\n"
	}
	return "# mine\n"
}

// capability is the attribute of a program that gets a capability.
func capability(c uint) []byte {
	b := make([]byte, 20)
	b[0], b[3] = 1, 2 // effective, and the version
	b[4] = 1 << c
	return b
}

// attempt makes the attempts for a network, by a program before the one that makes them, or by a command of a model. It returns their outputs, where
// an attempt that has succeeded begins with "escaped".
func (p *prison) attempt(all []escape, network string, by []string) map[string]string {
	p.t.Helper()
	for _, e := range all {
		if e.Network != network && !(p.isOpen && e.Network == "off") || e.Only == "user" && (p.uid == 0 || os.Getuid() != 0) {
			continue
		}
		if e.Needs != "" {
			if _, err := exec.LookPath(e.Needs); err != nil {
				p.t.Logf("NOT TESTED: %s: %s is not installed", e.Name, e.Needs)
				continue
			}
		}
		p.rows = append(p.rows, e)
	}
	if network == "off" {
		p.write("home/.gemini/settings.json", `{"tools": {"sandbox": {"enabled": true, "networkAccess": false}}}`, 0o600)
	}
	p.prepare()
	p.startOutside()
	defer p.stopOutside()
	p.before = p.files()
	inherited, err := os.OpenFile(p.at("outside/inherited"), os.O_CREATE|os.O_WRONLY, 0o644)
	p.must(err)
	defer inherited.Close()
	p.must(os.Chown(inherited.Name(), p.uid, p.uid))
	p.before["outside/inherited"] = p.files()["outside/inherited"]

	rows, err := json.Marshal(p.rows)
	p.must(err)
	p.write("project/rows.json", string(rows), 0o644)
	p.write("project/results.json", "", 0o666)
	p.must(os.Chmod(p.at("project/results.json"), 0o666))
	words := []string{p.at("bin/escape"), p.root}
	env := slices.Concat(p.env, []string{"PID=" + strconv.Itoa(p.outside.Process.Pid), fmt.Sprintf("FACTS=%s", p.factsText())})
	if p.isOpen { // the shell is in Pollux's place
		words = []string{"/bin/sh", "-c", `"$@"; exit $?`, "sh", words[0], words[1]}
	}
	if len(by) > 0 {
		words = slices.Concat([]string{p.at("bin/" + by[0])}, by[1:], words)
	} else if !p.isOpen {
		words, env = p.byModel(words, env)
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = p.at("project"), env, p.attributes()
	cmd.ExtraFiles = []*os.File{inherited}
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(p.at("project/results.json"))
	p.must(err)
	results := map[string]string{}
	if err := json.Unmarshal(text, &results); err != nil || len(results) != len(p.rows) {
		p.t.Fatalf("%d results of %d: %v\n%s\n%s", len(results), len(p.rows), err, text, out)
	}
	return results
}

func (p *prison) factsText() string {
	b, _ := json.Marshal(p.facts) // plain values
	return string(b)
}

// byModel returns the words and the environment of a run whose model calls a command.
func (p *prison) byModel(words, env []string) ([]string, []string) {
	command, _ := json.Marshal(map[string]string{"command": strings.Join(words, " ") + " && echo all were tried"}) // texts
	model, err := scriptmodel.Start(&scriptmodel.Script{Turns: []scriptmodel.Turn{
		{Steps: []scriptmodel.Step{scriptmodel.Call{ID: "a", Name: "run_shell_command", Args: string(command)}}},
		{Steps: []scriptmodel.Step{scriptmodel.Text{Text: done}}, Times: -1},
	}}, scriptmodel.Options{Wires: []scriptmodel.Wire{gemini.Wire{}}})
	p.must(err)
	p.t.Cleanup(func() {
		_ = model.Close()
		for _, q := range model.Requests() {
			if len(secretsIn(string(q.Body))) > 0 {
				p.t.Errorf("a secret is in a request")
			}
		}
	})
	return []string{p.at("bin/pollux"), "--sandbox", "--yolo", "-p", "go"}, append(env, "GOOGLE_GEMINI_BASE_URL="+model.URL())
}

// startOutside starts the process outside.
func (p *prison) startOutside() {
	cmd := exec.Command(p.at("bin/escape"), "outside", p.root)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = p.at("outside"), p.env, p.attributes()
	cmd.SysProcAttr.Setsid = true // an attempt is about its group; one is about its session, which tests that an init has started lack
	in, err := cmd.StdinPipe()
	p.must(err)
	out, err := cmd.StdoutPipe()
	p.must(err)
	cmd.Stderr = os.Stderr
	p.must(cmd.Start())
	p.outside = cmd
	p.t.Cleanup(func() {
		_ = in.Close() // it ends
		_ = cmd.Wait()
	})
	p.must(json.NewDecoder(out).Decode(&p.facts))
	p.tuned = p.tuning(cmd.Process.Pid)
}

// stopOutside checks that the process outside is as it was, if there is a sandbox.
func (p *prison) stopOutside() {
	if p.isOpen {
		return
	}
	pid := p.outside.Process.Pid
	if after := p.tuning(pid); after != p.tuned {
		p.t.Errorf("the process outside has other limits, another priority or other processors: %s, not %s", after, p.tuned)
	}
	if got, err := os.ReadFile(p.at("outside/received")); err == nil {
		p.t.Errorf("the process outside was reached: %s", got)
	}
}

// tuning returns the limits, the priority and the processors of a process.
func (p *prison) tuning(pid int) string {
	dir := "/proc/" + strconv.Itoa(pid)
	limits, err := os.ReadFile(dir + "/limits")
	stat, err2 := os.ReadFile(dir + "/stat")
	status, err3 := os.ReadFile(dir + "/status")
	p.must(errors.Join(err, err2, err3))
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')'):]))
	_, cpus, _ := strings.Cut(string(status), "Cpus_allowed:")
	cpus, _, _ = strings.Cut(cpus, "\n")
	return fmt.Sprintf("%s, priority %s, policy %s, processors %s", limits, fields[17], fields[39], cpus)
}

// cacheDirs matches the directories that Pollux makes for the caches of programs.
var cacheDirs = func() *regexp.Regexp {
	p := profile.Place{Homes: []string{"/home"}, Env: func(string) string { return "" }, HasProgram: func(string) bool { return true }}
	list := []string{`home/\.cache/.*`, `home/\.npm/.*`}
	for _, dir := range p.Needed() {
		for ; dir != "/home"; dir = filepath.Dir(dir) {
			list = append(list, regexp.QuoteMeta(dir[1:]))
		}
	}
	return regexp.MustCompile("^(" + strings.Join(list, "|") + ")$")
}()

// files returns the files that attempts must not change, with their attributes.
func (p *prison) files() map[string]string {
	files := map[string]string{}
	for _, dir := range []string{"home", "outside", "run", "bin"} {
		p.must(filepath.WalkDir(p.at(dir), func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(p.root, path) // it is below
			if cacheDirs.MatchString(name) || ownFiles.MatchString(name) && !guardedFiles.MatchString(name) || strings.HasPrefix(name, "home/.gemini/tmp") {
				return nil
			}
			var st unix.Stat_t
			if unix.Lstat(path, &st) != nil {
				return nil
			}
			text := fmt.Sprintf("%o %d:%d", st.Mode, st.Uid, st.Gid)
			if d.Type().IsRegular() && !strings.HasPrefix(name, "bin/") {
				content, _ := os.ReadFile(path) // it may be gone
				text += fmt.Sprintf(" %d %q", st.Mtim.Sec, content)
				attributes := make([]byte, 1<<10)
				n, _ := unix.Listxattr(path, attributes) // not all file systems have them
				text += fmt.Sprintf(" %q", attributes[:max(n, 0)])
			}
			files[name] = text
			return nil
		}))
	}
	return files
}

// check fails the test for each attempt that has succeeded.
func (p *prison) check(results map[string]string) {
	p.t.Logf("%d attempts", len(results))
	for _, e := range p.rows {
		switch got := results[e.Name]; {
		case !strings.HasPrefix(got, "denied"), strings.Contains(got, "signal: killed"):
			p.t.Errorf("%s: %q", e.Name, got)
		case e.Without != "" && e.Without != asRoot && !isRefused(got) && !(e.Refused != "" && strings.Contains(got, e.Refused)):
			p.t.Errorf("%s has no control, and fails for a reason of its own: %q", e.Name, got)
		case len(secretsIn(got)) > 0:
			p.t.Errorf("%s: the output has a secret", e.Name)
		}
	}
	after := p.files()
	for name, text := range after {
		if was, ok := p.before[name]; !ok {
			p.t.Errorf("a file is new: %s", name)
		} else if was != text {
			p.t.Errorf("a file has changed: %s: %s, it was %s", name, text, was)
		}
	}
	for name := range p.before {
		if _, ok := after[name]; !ok {
			p.t.Errorf("a file is gone: %s", name)
		}
	}
}

// checkControl fails the test for each attempt that cannot succeed even without a sandbox, unless its row says why.
func (p *prison) checkControl(results map[string]string) {
	succeeded, notHere := 0, 0
	for _, e := range p.rows {
		got := results[e.Name]
		switch {
		case strings.HasPrefix(got, "escaped"):
			succeeded++
		case e.Without == asRoot && p.uid != 0, e.Without != "" && e.Without != asRoot:
		case isRefused(got):
			notHere++
			p.t.Logf("NOT TESTED: %s: this machine does not allow it without a sandbox either: %.200q", e.Name, got)
		default:
			p.t.Errorf("%s does not succeed without a sandbox: %.300q", e.Name, got)
		}
	}
	p.t.Logf("without a sandbox, %d of %d succeed, and this machine does not allow %d", succeeded, len(p.rows), notHere)
	if succeeded < len(p.rows)/3 {
		p.t.Error("these are too few")
	}
}

// isRefused reports whether a machine does not have or allow something.
func isRefused(output string) bool {
	low := strings.ToLower(output)
	return slices.ContainsFunc([]string{"not permitted", "permission denied", "not implemented", "not supported", "no such device", "network is unreachable"}, func(s string) bool { return strings.Contains(low, s) })
}

// escapeMain is the program that makes the attempts: "escape DIR" makes all of DIR/project/rows.json, "escape one DIR N" one of them, and "escape outside DIR" is
// the process outside.
func escapeMain() {
	var err error
	switch os.Args[1] {
	case "outside":
		err = beOutside(os.Args[2])
	case "one":
		err = tryOne(os.Args[2], os.Args[3])
	default:
		err = tryAll(os.Args[1])
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func readRows(root string) (rows []escape, err error) {
	text, err := os.ReadFile(filepath.Join(root, "project/rows.json"))
	if err != nil {
		return nil, err
	}
	return rows, json.Unmarshal(text, &rows)
}

// tryAll makes all attempts, a few at a time.
func tryAll(root string) error {
	rows, err := readRows(root)
	if err != nil {
		return err
	}
	self := filepath.Join(root, "bin/escape")
	results := map[string]string{}
	var mu sync.Mutex
	var all sync.WaitGroup
	slots := make(chan struct{}, 4)
	for i, e := range rows {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			n := strconv.Itoa(i)
			ctx, cancel := context.WithTimeout(context.Background(), patience/2)
			defer cancel()
			cmd := exec.CommandContext(ctx, self, "one", root, n)
			if e.Command != "" {
				cmd = exec.CommandContext(ctx, "/bin/bash", "-c", e.Command)
			}
			cmd.Dir = filepath.Join(root, "project", n)
			cmd.Env = append(os.Environ(),
				"OUT="+filepath.Join(root, "outside", n), "KEY="+filepath.Join(root, "home/.ssh/id_"+n), "ITEM="+e.Item, "ROOT="+root, "N="+n,
				"POLLUX="+strconv.Itoa(starter()), "PTS="+readFacts().PTS,
			)
			if e.Only == "user" {
				cmd.Env = append(cmd.Env, "OUT="+filepath.Join(root, "bin"))
			}
			cmd.WaitDelay = time.Second
			out, err := cmd.CombinedOutput()
			result := "escaped: "
			if err != nil {
				result = "denied: " + err.Error() + ": "
			}
			mu.Lock()
			defer mu.Unlock()
			results[e.Name] = result + string(out)
			if strings.HasPrefix(result, "escaped") || !strings.Contains(string(out), private) {
				results[e.Name] = strings.ReplaceAll(results[e.Name], private, "") // so that the control does not print it
			}
		})
	}
	all.Wait()
	text, err := json.Marshal(results)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "project/results.json"), text, 0o666)
}

// starter returns the process of Pollux, or the parent if there is none.
func starter() int {
	for pid := os.Getppid(); pid > 1; {
		status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
		if err != nil {
			break
		}
		if strings.HasPrefix(string(status), "Name:\tpollux\n") {
			return pid
		}
		_, rest, _ := strings.Cut(string(status), "\nPPid:\t")
		number, _, _ := strings.Cut(rest, "\n")
		pid, _ = strconv.Atoi(number) // 0 at the end
	}
	return os.Getppid()
}

func tryOne(root, n string) error {
	rows, err := readRows(root)
	if err != nil {
		return err
	}
	i, err := strconv.Atoi(n)
	if err != nil {
		return err
	}
	return calls[rows[i].Call]()
}

func readFacts() (f facts) {
	_ = json.Unmarshal([]byte(os.Getenv("FACTS")), &f) // the test has written it
	return f
}

// beOutside is a process of the user's with sockets, a terminal and shared memory, until its input ends.
func beOutside(root string) error {
	nine, err := os.Open("/dev/null") // a file at descriptor 9
	if err != nil {
		return err
	}
	if err := unix.Dup3(int(nine.Fd()), 9, 0); err != nil {
		return err
	}
	received := func(what string) {
		f, err := os.OpenFile(filepath.Join(root, "outside/received"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err == nil {
			_, _ = fmt.Fprintln(f, what)
			_ = f.Close()
		}
	}
	f := facts{Abstract: "@pollux-escape-" + filepath.Base(root)}
	streams := []string{f.Abstract}
	for name := range maps.Keys(servers) {
		streams = append(streams, filepath.Join(root, name))
	}
	for _, name := range streams {
		l, err := net.Listen("unix", name)
		if err != nil {
			return err
		}
		go func() {
			for {
				if c, err := l.Accept(); err == nil {
					received("a connection to " + name)
					_ = c.Close()
				}
			}
		}()
	}
	packets, err := net.Listen("unixpacket", filepath.Join(root, "run/packets"))
	if err != nil {
		return err
	}
	defer packets.Close()
	for _, name := range []string{f.Abstract + "-datagrams", filepath.Join(root, "run/datagrams")} {
		c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
		if err != nil {
			return err
		}
		go func() {
			for {
				if n, err := c.Read(make([]byte, 9)); err == nil {
					received(fmt.Sprintf("%d bytes at %s", n, name))
				}
			}
		}()
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGUSR1)
	go func() {
		<-signals
		_ = os.WriteFile(filepath.Join(root, "outside/signaled"), nil, 0o644)
	}()
	inner, name, err := openPTY()
	if err != nil {
		return err
	}
	defer inner.Close()
	f.PTS = name
	if f.Shm, err = unix.SysvShmGet(os.Getpid(), 4096, unix.IPC_CREAT|0o600); err != nil {
		return err
	}
	defer func() { _, _ = unix.SysvShmCtl(f.Shm, unix.IPC_RMID, nil) }()
	if f.Sem, err = number(unix.SYS_SEMGET, uintptr(os.Getpid()), 1, unix.IPC_CREAT|0o600); err != nil {
		return err
	}
	defer func() { _ = call(unix.SYS_SEMCTL, uintptr(f.Sem), 0, unix.IPC_RMID) }()
	if f.Queue, err = number(unix.SYS_MSGGET, uintptr(os.Getpid()), unix.IPC_CREAT|0o600); err != nil {
		return err
	}
	defer func() { _ = call(unix.SYS_MSGCTL, uintptr(f.Queue), unix.IPC_RMID) }()
	queue := "pollux-escape-" + strconv.Itoa(os.Getpid())
	for _, name := range []string{queue, queue + "-2"} {
		if err := call(unix.SYS_MQ_OPEN, text(name), unix.O_CREAT|unix.O_RDWR, 0o600, 0); err != nil {
			return err
		}
		defer func() { _ = call(unix.SYS_MQ_UNLINK, text(name)) }()
	}
	f.Memory = address(&marker)
	if err := json.NewEncoder(os.Stdout).Encode(f); err != nil {
		return err
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
	return nil
}

// servers are the sockets of the process outside.
var servers = map[string]bool{
	"run/docker.sock": true, "run/bus": true, "run/wayland-0": true, "run/gnupg/S.gpg-agent": true, "run/X0": true, "run/systemd/private": true, "run/tmux": true,
	"tmp/ssh-a/agent": true, "tmp/ssh-b/agent": true, "tmp/ssh-c/agent": true,
}
