package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pollux/internal/process"
)

// write writes a file below dir, and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// names returns the names of commands, separated by spaces.
func names(commands []Command) string {
	var list []string
	for _, c := range commands {
		list = append(list, c.Name)
	}
	return strings.Join(list, " ")
}

func TestLoad(t *testing.T) {
	t.Parallel()
	user, ext := t.TempDir(), t.TempDir()
	write(t, user, "b.toml", `prompt = "p"`)
	write(t, user, "git/fix it!.toml", "description = \"\"\"\nFix\u202e \\u001b[31m it\"\"\"\nprompt = 'p'\nother = 1")
	write(t, user, "git/deep/x.y.toml", `prompt = "p"`)
	write(t, user, ".hidden.toml", "\ufeffprompt = \"p\"")
	write(t, user, strings.Repeat("n", 60)+".toml", `prompt = "p"`+"\ndescription = \""+strings.Repeat("d", 200)+`"`)
	write(t, user, "no.txt", `prompt = "p"`)
	write(t, ext, "b.toml", `prompt = "p of ${extensionPath}"`)
	var l Loader
	commands, problems := l.Load([]Source{
		{Kind: User, Dir: user}, {Kind: Workspace, Dir: filepath.Join(user, "none")}, {Kind: Extension, Owner: "e", Dir: ext, Root: "/root"},
	})
	if want := ".hidden b git:deep:x.y git:fix_it_ " + strings.Repeat("n", 47) + "... b"; names(commands) != want || len(problems) > 0 {
		t.Errorf("commands %s\nwant %s\nproblems %v", names(commands), want, problems)
	}
	for i, want := range map[int]string{0: "Custom command from .hidden.toml", 3: `Fix\u202e it`, 5: "[e] Custom command from b.toml"} {
		if got := commands[i].Description; got != want {
			t.Errorf("%s: description %q, want %q", commands[i].Name, got, want)
		}
	}
	if p := commands[5].Prompt; p != "p of /root" {
		t.Errorf("the prompt of an extension is %q", p)
	}
	if n := len(commands[4].Description); n > 110 {
		t.Errorf("the description has %d characters", n)
	}
}

// A file of Windows has lines that a shell can run.
func TestLoadLineEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a.toml", "\ufeffprompt = \"\"\"\r\n!{cd x\r\nls}\r\n\"\"\"\r\ndescription = 'two'\r\n")
	var l Loader
	commands, problems := l.Load([]Source{{Kind: User, Dir: dir}})
	if len(problems) > 0 || commands[0].Prompt != "!{cd x\nls}\n" || commands[0].Description != "two" {
		t.Errorf("%+v %v", commands, problems)
	}
}

func TestLoadProblems(t *testing.T) {
	t.Parallel()
	root, outside := t.TempDir(), t.TempDir()
	dir := filepath.Join(root, "commands")
	write(t, outside, "x.toml", `prompt = "outside"`)
	write(t, dir, "ok.toml", `prompt = "p"`)
	for name, text := range map[string]string{
		"empty": "", "number": "prompt = 1", "list": "prompt = 'p'\ndescription = []", "broken": "prompt = 'p'\n= 2",
		"huge": `prompt = "` + strings.Repeat("x", 10<<20) + `"`, "nested": "prompt = " + strings.Repeat("[", 200_000),
		"binary": "prompt = \"\xff\xfe\x00\"",
	} {
		write(t, dir, name+".toml", text)
	}
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link(filepath.Join(outside, "x.toml"), "out.toml")
	link(outside, "outdir")
	link(filepath.Join(outside, "nowhere.toml"), "gone.toml")
	link(dir, "loop")
	link("ok.toml", "linked.toml")
	link("/dev/zero", "zero.toml")
	if err := exec.Command("mkfifo", filepath.Join(dir, "pipe.toml")).Run(); err != nil {
		t.Fatal(err)
	}
	source := Source{Kind: Workspace, Dir: dir, Root: root}
	var l Loader
	commands, problems := l.Load([]Source{source})
	if names(commands) != "linked ok" {
		t.Errorf("commands %s", names(commands))
	}
	reasons := map[string]string{}
	for _, p := range problems {
		reasons[strings.TrimSuffix(filepath.Base(p.Path), ".toml")] = p.Reason
	}
	const out = "it is a link that is broken or leads out of the project"
	for name, want := range map[string]string{
		"empty": "the prompt is missing", "number": "the prompt is not a string", "list": "the description is not a string",
		"broken": "it is not valid TOML (line 2, column 1)", "huge": "it is larger than 256 KB", "nested": "it is not valid TOML",
		"binary": "it is not valid TOML", "out": out, "outdir": out, "gone": out, "zero": out, "pipe": "it is not a regular file",
	} {
		if !strings.HasPrefix(reasons[name], want) {
			t.Errorf("%s: %q, want %q", name, reasons[name], want)
		}
	}
	if len(problems) != 12 {
		t.Errorf("problems %v", problems)
	}
	// A user may link their own files from anywhere.
	source.Root = ""
	if commands, _ := l.Load([]Source{source}); names(commands) != "linked ok out outdir:x" {
		t.Errorf("commands %s", names(commands))
	}
}

// TestLoadMany checks that a directory with too many files costs a bounded amount.
func TestLoadMany(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range maxFiles + 10 {
		write(t, dir, fmt.Sprintf("%05d.toml", i), `prompt = "p"`)
	}
	var l Loader
	commands, problems := l.Load([]Source{{Kind: User, Dir: dir}})
	if len(commands) != maxFiles || len(problems) != 1 || !strings.Contains(problems[0].Reason, "more than 1000 command files") {
		t.Errorf("%d commands, %v", len(commands), problems)
	}
	dir = t.TempDir()
	for i := range maxEntries/2 + 1 {
		write(t, dir, fmt.Sprintf("a/%05d", i), "")
		write(t, dir, fmt.Sprintf("b/%05d", i), "")
	}
	write(t, dir, "z.toml", `prompt = "p"`)
	write(t, dir, "z/in.toml", `prompt = "p"`)
	commands, problems = l.Load([]Source{{Kind: User, Dir: dir}})
	if names(commands) != "z" || len(problems) == 0 || !strings.Contains(problems[0].Reason, "more than 10000 files") {
		t.Errorf("commands %s, %v", names(commands), problems)
	}
}

func TestLoadDeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, strings.Repeat("d/", maxDepth)+"in.toml", `prompt = "p"`)
	write(t, dir, strings.Repeat("d/", maxDepth+1)+"out.toml", `prompt = "p"`)
	var l Loader
	commands, problems := l.Load([]Source{{Kind: User, Dir: dir}})
	if want := strings.Repeat("d:", maxDepth) + "in"; names(commands) != want || len(problems) != 1 || problems[0].Reason != "it is more than 8 directories deep" {
		t.Errorf("commands %s, %v", names(commands), problems)
	}
}

// TestLoadAgain checks that a changed file is read again, and an unchanged one is not.
func TestLoadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "a.toml", `prompt = "one"`)
	var l Loader
	prompt := func() string {
		commands, _ := l.Load([]Source{{Kind: User, Dir: dir}})
		if len(commands) == 0 {
			return ""
		}
		return commands[0].Prompt
	}
	if got := prompt(); got != "one" {
		t.Fatal(got)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "a.toml", `prompt = "two"`)
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if got := prompt(); got != "one" { // nothing shows the change
		t.Error(got)
	}
	l.Forget()
	if got := prompt(); got != "two" {
		t.Error(got)
	}
	write(t, dir, "a.toml", `prompt = "six"`)
	if err := os.Chtimes(path, time.Time{}, info.ModTime().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := prompt(); got != "six" {
		t.Error(got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := prompt(); got != "" {
		t.Error(got)
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	for kind, want := range map[Kind]process.Origin{
		User: process.OriginUser, Workspace: process.OriginProject, Extension: process.OriginExtension,
	} {
		if got := kind.Origin(); got != want {
			t.Errorf("%d: %s, want %s", kind, got, want)
		}
	}
}
