package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pollux/internal/process/processtest"
)

// rule checks one file and reports violations.
type rule func(f *file, report reporter)

type reporter func(at token.Pos, format string, args ...any)

var rules = map[string]rule{
	"imports point down":   importsPointDown,
	"libraries stay home":  librariesStayHome,
	"the process":          processIsCLI,
	"nothing before main":  nothingBeforeMain,
	"programs":             programsStartInOnePlace,
	"purposes":             programsHaveAPurpose,
	"packages have a name": packagesHaveAName,
	"panics":               goroutinesReportPanics,
	"streams":              streamsAreClean,
}

func TestHouse(t *testing.T) {
	t.Parallel()
	processtest.SkipIfRacing(t)
	files := parseModule(t)
	for name, check := range rules {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, f := range files {
				check(f, func(at token.Pos, format string, args ...any) {
					t.Errorf("%s:%d: %s", f.path, f.fset.Position(at).Line, fmt.Sprintf(format, args...))
				})
			}
		})
	}
}

// file is a source file of this module.
type file struct {
	path string // from the root of the module, with slashes
	dir  string // of its package, "." for the root
	test bool
	fset *token.FileSet
	*ast.File
}

// parseModule parses the source files of this module once for all tests, which must not change them.
func parseModule(t *testing.T) []*file {
	t.Helper()
	files, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no source files found")
	}
	return slices.Clone(files)
}

var parsed = sync.OnceValues(func() ([]*file, error) {
	root := filepath.Join("..", "..")
	var files []*file
	err := walkSource(root, func(name string) error {
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		f, err := parse(filepath.ToSlash(rel), src)
		if err != nil {
			return err
		}
		files = append(files, f)
		return nil
	})
	return files, err
})

// walkSource calls visit for each regular file of the module at root.
func walkSource(root string, visit func(name string) error) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return skipSource(root, name, d)
		case !d.Type().IsRegular():
			return nil
		}
		return visit(name)
	})
}

// skipSource returns fs.SkipDir for directories that are not part of this module's source.
func skipSource(root, name string, d fs.DirEntry) error {
	if name == root {
		return nil
	}
	if n := d.Name(); n == "testdata" || n == "vendor" || n == "node_modules" || n[0] == '.' || n[0] == '_' {
		return filepath.SkipDir
	}
	if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil {
		return filepath.SkipDir // a separate module
	}
	return nil
}

func parse(rel string, src []byte) (*file, error) {
	f := &file{path: rel, dir: path.Dir(rel), test: strings.HasSuffix(rel, "_test.go"), fset: token.NewFileSet()}
	var err error
	f.File, err = parser.ParseFile(f.fset, rel, src, parser.ParseComments)
	return f, err
}

// isUnder reports whether f's package is one of dirs or below it.
func (f *file) isUnder(dirs ...string) bool {
	for _, dir := range dirs {
		if isWithin(f.dir, dir) {
			return true
		}
	}
	return false
}

func isWithin(dir, parent string) bool { return dir == parent || strings.HasPrefix(dir, parent+"/") }

// packageOf returns the path of the package that an identifier refers to, or "" if it refers to
// something else.
func (f *file) packageOf(id *ast.Ident) string {
	if id.Obj != nil { // something declared in this file
		return ""
	}
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		switch {
		case spec.Name != nil && spec.Name.Name == id.Name:
			return p
		case spec.Name == nil && path.Base(p) == id.Name:
			return p
		}
	}
	return ""
}

// TestRules checks each rule with code that it must report and code that it must accept.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path, src string
		want      string // text of the only report; "" for no report
	}{
		{"agent/run.go", `package agent; import "pollux/llm/catalog"`, ""},
		{"agent/run.go", `package agent; import "pollux/internal/config"`, "internal/config is above agent"},
		{"agent/run_test.go", `package agent; import "pollux/internal/scriptmodel"`, ""},
		{"tool/tool.go", `package tool; import "pollux/agent"`, "agent is above tool"},
		{"llm/gemini/client.go", `package gemini; import "pollux/llm"`, ""},
		{"agent/compress/compress.go", `package compress; import "pollux/agent"`, ""},
		{"internal/tools/file/read.go", `package file; import "pollux/internal/workspace"`, ""},
		{"internal/tools/file/read.go", `package file; import "pollux/internal/session"`, "internal/session is above internal/tools/file"},
		{"internal/session/build.go", `package session; import "pollux/internal/face/tui"`, "internal/face/tui is above internal/session"},
		{"internal/face/tui/tui.go", `package tui; import "pollux/internal/face/plain"`, "beside internal/face/tui"},
		{"internal/face/tui/tui.go", `package tui; import "pollux/internal/face/tui/keys"`, ""},
		{"internal/face/tui/tui.go", `package tui; import "pollux/internal/session"`, ""},
		{"internal/cli/root.go", `package cli; import "pollux/internal/face/tui"`, ""},
		{"cmd/pollux/main.go", `package main; import "pollux/internal/cli"`, ""},
		{"pollux.go", `package pollux; import "pollux/internal/session"`, ""},
		{"pollux.go", `package pollux; import "pollux/internal/cli"`, "beside ."},
		{"internal/session/build.go", `package session; import "pollux"`, "the root package is above internal/session"},
		{"examples/tool/main.go", `package main; import "pollux/tool"`, ""},
		{"examples/tool/main.go", `package main; import "pollux/internal/session"`, "an example shows the library"},
		{"stuff/stuff.go", `package stuff`, "stuff is in no layer"},
		{"internal/stuff/stuff.go", `package stuff`, "internal/stuff is in no layer"},
		{"internal/durable/x.go", `package durable; import "pollux/internal/config"`, "internal/config is above internal/durable"},
		{"internal/auth/x.go", `package auth; import "pollux/internal/memory"`, "beside internal/auth"},
		{"internal/auth/x.go", `package auth; import "pollux/internal/guard"`, "internal/guard is above internal/auth"},
		{"internal/tools/web/x.go", `package web; import "pollux/internal/tools/shell"`, "beside internal/tools/web"},
		{"internal/guard/policy/x.go", `package policy; import "pollux/internal/guard/trust"`, ""},
		{"internal/slash/x.go", `package slash; import "pollux/internal/doctor"`, ""},

		{"llm/gemini/wire_test.go", "//go:build sdk\n\npackage gemini; import \"google.golang.org/genai\"", ""},
		{"llm/gemini/wire_test.go", `package gemini; import "google.golang.org/genai"`, "without //go:build sdk"},
		{"llm/gemini/wire.go", `package gemini; import "google.golang.org/genai"`, "tests of llm/gemini"},
		{"internal/scriptmodel/sdk_test.go", "//go:build sdk\n\npackage scriptmodel; import \"github.com/openai/openai-go/v3\"", ""},
		{"internal/scriptmodel/sdk.go", `package scriptmodel; import "github.com/openai/openai-go/v3"`, "tests of llm/openai"},
		{"agent/run_test.go", "//go:build sdk\n\npackage agent; import \"google.golang.org/genai\"", "tests of llm/gemini"},
		{"llm/tokens/tokens_test.go", `package tokens; import "github.com/tiktoken-go/tokenizer"`, ""},
		{"llm/tokens/scan.go", `package tokens; import "github.com/tiktoken-go/tokenizer"`, "tests of llm/tokens"},
		{"acceptance/counter_test.go", `package acceptance; import "github.com/tiktoken-go/tokenizer/codec"`, ""},
		{"llm/adc/adc.go", `package adc; import "cloud.google.com/go/auth/credentials"`, ""},
		{"internal/auth/auth.go", `package auth; import "cloud.google.com/go/auth/credentials"`, "belongs in llm/adc"},
		{"internal/session/build.go", `package session; import "github.com/spf13/cobra"`, "belongs in internal/cli"},
		{"internal/session/build.go", `package session; import "charm.land/lipgloss/v2"`, "belongs in internal/face"},

		{"internal/config/env.go", `package config; import "os"; var _ = func() { os.Getenv("X") }`, ""},
		{"internal/auth/auth.go", `package auth; import "os"; func f() { _ = os.Getenv("X") }`, "os.Getenv: the environment is read in internal/config"},
		{"internal/auth/auth.go", `package auth; import sys "os"; var f = sys.LookupEnv`, "os.LookupEnv"},
		{"internal/auth/auth.go", `package auth; import "os"; func f(os T) { os.Getenv("X") }`, ""},
		{"internal/auth/auth_test.go", `package auth; import "os"; var _ = os.Getenv("X")`, ""},
		{"internal/auth/auth.go", `package auth; import . "os"`, "dot import"},
		{"internal/cli/exit.go", `package cli; import "os"; func f() { os.Exit(1) }`, ""},
		{"cmd/pollux/main.go", `package main; import "os"; func main() { os.Exit(1) }`, ""},
		{"internal/session/build.go", `package session; import "os"; func f() { os.Exit(1) }`, "internal/cli ends the process"},
		{"internal/session/build.go", `package session; import "log"; func f() { log.Fatalln() }`, "internal/cli ends the process"},
		{"internal/session/build.go", `package session; import "fmt"; func f() { fmt.Println() }`, "fmt.Println: only internal/terminal"},
		{"internal/session/build.go", `package session; import "fmt"; func f(w W) { fmt.Fprintln(w) }`, ""},
		{"internal/session/build.go", `package session; import "os"; var out = os.Stderr`, "os.Stderr: only cmd hands"},
		{"internal/session/build.go", `package session; func f() { println() }`, "println: only internal/terminal"},
		{"internal/terminal/terminal.go", `package terminal; import "os"; var f = os.Stdout`, ""},
		{"internal/cli/exit.go", `package cli; import "os"; var out = os.Stderr`, "os.Stderr: only cmd hands"},
		{"cmd/pollux/main.go", `package main; import "os"; var out = os.Stderr`, ""},

		{"internal/cli/x.go", `package cli; func show() { t.Out.Through(f) }`, "Through in show"},
		{"internal/cli/x.go", `package cli; func watch() { t.Out.Through(f) }`, ""},
		{"internal/slash/x.go", `package slash; func watch() { f := t.Out.Unsanitized; f() }`, "Unsanitized in watch"},
		{"internal/slash/x.go", `package slash; func f() { t.Out.Styled() }`, "Styled in f"},
		{"internal/slash/x.go", `package slash; func f() { t.Lend() }`, "Lend in f"},
		{"internal/cli/x.go", `package cli; func f() { cmd.OutOrStdout() }`, "OutOrStdout in f"},
		{"internal/cli/x.go", `package cli; import "os"; func f() { os.NewFile(2, "x") }`, "NewFile in f"},
		{"internal/session/x.go", `package session; import "log/slog"; func f() { slog.Info("x") }`, "slog.Info prints"},
		{"internal/session/x.go", `package session; import "log/slog"; var l = slog.Default()`, "slog.Default prints"},
		{"internal/session/x.go", `package session; import "log"; var l = log.Default()`, "log.Default prints"},
		{"internal/session/x.go", `package session; import "flag"; func f() { flag.Parse() }`, "flag.Parse prints"},
		{"internal/session/x.go", `package session; import "syscall"; func f() { syscall.Write(2, nil) }`, "syscall.Write prints"},
		{"llm/x.go", `package llm; import "log"; func f() { log.SetOutput(nil) }`, "log.SetOutput prints"},
		{"internal/cli/cli.go", `package cli; import "log"; func f() { log.SetOutput(nil) }`, ""},
		{"internal/session/x.go", `package session; import "runtime/debug"; func f() { debug.Stack() }`, ""},
		{"internal/cli/x.go", `package cli; import "encoding/json"; func f() { json.NewEncoder(t.Out) }`, "JSON for a terminal"},
		{"internal/cli/x.go", `package cli; import "encoding/json"; func f(w io.Writer) { json.NewEncoder(w) }`, "JSON for a terminal"},
		{"internal/cli/x.go", `package cli; import "encoding/json"; func f() { json.NewEncoder(t.Out.JSON()) }`, ""},
		{"internal/cli/x.go", `package cli; import "encoding/json"; func f() { json.NewEncoder(&b) }`, ""},
		{"internal/slash/x.go", "package slash; var red = \"\\x1b[31m\"", "an escape sequence"},
		{"internal/slash/x.go", "package slash; var esc = \"\\x1b\"", ""},

		{"internal/process/start.go", `package process; import ("os"; "os/exec"); var _ = func() { os.StartProcess(exec.ErrDot.Error(), nil, nil) }`, ""},
		{"internal/undo/store/lock.go", `package store; import "golang.org/x/sys/unix"; func f() { unix.Flock(1, 2) }`, "files are locked with internal/durable/flock"},
		{"internal/durable/flock/flock.go", `package flock; import "golang.org/x/sys/unix"; func f() { unix.Flock(1, 2) }`, ""},

		{"internal/slash/copy.go", `package slash; import "os/exec"`, "imports os/exec: programs are started in internal/process"},
		{"internal/slash/copy_test.go", `package slash; import "os/exec"`, ""},
		{"internal/slash/copy.go", `package slash; import "os"; func f() { os.StartProcess("", nil, nil) }`, "os.StartProcess: programs are started in internal/process"},
		{"internal/slash/copy.go", `package slash; import "syscall"; func f() { syscall.ForkExec("", nil, nil) }`, "syscall.ForkExec: programs are started in internal/process"},
		{"llm/anthropic/awskeys.go", `package anthropic; import "os/exec"`, ""},

		{"internal/face/tui/x.go", `package tui; func f() { go func() { g() }() }`, "a panic of this goroutine is not reported"},
		{"internal/face/tui/x.go", `package tui; func f(wg W) { wg.Go(func() { g() }) }`, "a panic of this goroutine is not reported"},
		{"internal/face/tui/x.go", `package tui; import "pollux/internal/crash"; func f() { go func() { defer crash.Recover(); g() }() }`, ""},
		{"internal/face/tui/x_test.go", `package tui; func f() { go func() { g() }() }`, ""},
		{"agent/x.go", `package agent; func f() { go func() { g() }() }`, ""},

		{"llm/x.go", `package llm; func init() {}`, "init runs before main"},
		{"llm/x.go", `package llm; type T int; func (T) init() {}`, ""},
		{"llm/x_test.go", `package llm; func init() {}`, ""},
		{"llm/x.go", `package llm; import "regexp"; var r = regexp.MustCompile("a")`, "sync.OnceValue"},
		{"llm/x.go", `package llm; import "regexp"; var r = []*regexp.Regexp{regexp.MustCompile("a")}`, "sync.OnceValue"},
		{"llm/x.go", `package llm; import "regexp"; var r = func() *regexp.Regexp { return regexp.MustCompile("a") }`, ""},
		{"llm/x.go", `package llm; import ("regexp"; "sync"); var r = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("a") })`, ""},
		{"llm/x.go", `package llm; import "regexp"; func f() { _ = regexp.MustCompile("a") }`, ""},
		{"llm/x.go", `package llm; import "os"; var dir, _ = os.Getwd()`, "sync.OnceValue"},

		{"internal/tools/util/x.go", `package util`, "drawer"},
		{"internal/tools/x/x.go", `package helpers`, "drawer"},
		{"internal/tools/x/x_test.go", `package types_test`, "drawer"},
	} {
		f, err := parse(tt.path, []byte(tt.src))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, check := range rules {
			check(f, func(_ token.Pos, format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) })
		}
		switch {
		case tt.want == "" && len(got) > 0:
			t.Errorf("%s: %s\nis fine, but: %s", tt.path, tt.src, strings.Join(got, "; "))
		case tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)):
			t.Errorf("%s: %s\nreported %q, want one report with %q", tt.path, tt.src, got, tt.want)
		}
	}
}
