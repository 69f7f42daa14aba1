package check

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"pollux/internal/process"
)

// maxOutput is how much of the output of a program counts, in bytes.
const maxOutput = 64 << 10

// interpreter is a [Checker] that runs an interpreter, which reads the text from standard input and does not execute
// it.
type interpreter struct {
	checks *Checks
	path   string
	args   []string
	parse  func(output string) (Report, bool) // of a text with problems
}

// Check implements [Checker].
func (i *interpreter) Check(ctx context.Context, _, text string) (Report, bool) {
	output, status, err := i.checks.run(ctx, &process.Command{
		For:  process.Purpose{Kind: process.KindCheck, Origin: process.OriginPollux},
		Path: i.path, Args: i.args, Dir: filepath.Dir(i.path), // not one that a repository fills
		Env: i.checks.plainEnviron(),
	}, text)
	switch {
	case err != nil || status.Signal != 0:
		return Report{}, false
	case status.Code == 0:
		return Report{}, true
	}
	return i.parse(output)
}

// run runs a command with a text as its standard input, and returns the beginning of its output.
func (c *Checks) run(ctx context.Context, command *process.Command, text string) (string, process.Status, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return "", process.Status{}, context.Cause(ctx)
	}
	output := &process.Head{Max: maxOutput}
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(text), output, output
	status, err := c.Launcher.Run(ctx, command)
	return output.Text(), status, err
}

// plainEnviron returns the variables that programs need to start.
func (c *Checks) plainEnviron() (kept []string) {
	all := c.Environ()
	for _, name := range []string{"PATH", "HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"} {
		if value := process.Getenv(all, name); value != "" {
			kept = append(kept, name+"="+value)
		}
	}
	return kept
}

// compileScript compiles standard input and executes nothing of it.
const compileScript = `import json, sys, warnings
warnings.simplefilter("ignore")
text = sys.stdin.buffer.read().decode("utf-8")
try:
    compile(text, "<stdin>", "exec", dont_inherit=True)
except SyntaxError as e:
    print(json.dumps({"line": e.lineno or 0, "column": e.offset or 0, "text": e.msg or "", "version": sys.version.split()[0]}))
    sys.exit(1)
`

// python returns the checker of Python's interpreter, nil if there is none. It is isolated from the variables, the packages and the
// directories of the user and the project (-I, -S), and writes no bytecode.
func (c *Checks) python(text string) Checker {
	path := c.find("python3")
	if path == "" && runtime.GOOS == "windows" {
		path = c.find("python")
	}
	if path == "/usr/bin/python3" && runtime.GOOS == "darwin" {
		path = "/Library/Developer/CommandLineTools/usr/bin/python3" // the other one offers to install it
		if _, err := os.Stat(path); err != nil {
			return nil
		}
	}
	if line, _, _ := strings.Cut(text, "\n"); path == "" || strings.HasPrefix(line, "#!") && strings.Contains(line, "python2") {
		return nil
	}
	return &interpreter{checks: c, path: path, args: []string{"-I", "-S", "-B", "-c", compileScript}, parse: func(output string) (Report, bool) {
		var e struct {
			Line, Column  int
			Text, Version string
		}
		if err := json.Unmarshal([]byte(output), &e); err != nil || e.Text == "" {
			return Report{}, false
		}
		r := first(e.Line, e.Column, e.Text)
		r.By = "Python " + e.Version
		return r, true
	}}
}

// node returns the checker of Node.js, nil if there is none.
func (c *Checks) node(path, text string) Checker {
	program := c.find("node")
	if program == "" {
		return nil
	}
	kind := "commonjs"
	if isModule(path, text) {
		kind = "module"
	}
	isOther := strings.Contains(text, "</") || strings.Contains(text, "/>") || strings.Contains(text, "@flow") || isTemplate(text)
	return &interpreter{checks: c, path: program, args: []string{"--input-type=" + kind, "--check", "-"}, parse: func(output string) (Report, bool) {
		if isOther { // JSX, a template or the types of Flow, which Node.js does not know
			return Report{}, true
		}
		return parseNode(output)
	}}
}

// isModule reports whether a JavaScript file is a module: by its name, by the package that it is in, or because it
// imports or exports, as files for a bundler do whatever the package is.
func isModule(path, text string) bool {
	switch filepath.Ext(path) {
	case ".mjs":
		return true
	case ".cjs":
		return false
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "import{") || strings.HasPrefix(line, "export ") {
			return true
		}
	}
	return packageType(filepath.Dir(path)) == "module"
}

// packageType returns the type of the modules of the nearest package.json, "" if there is none.
func packageType(dir string) string {
	for {
		var p struct{ Type string }
		if info, err := os.Stat(filepath.Join(dir, "package.json")); err == nil && info.Mode().IsRegular() && info.Size() <= maxSize {
			data, _ := os.ReadFile(filepath.Join(dir, "package.json")) // a file that cannot be read has no type
			_ = json.Unmarshal(data, &p)
			return p.Type
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// parseNode parses the error of node --check:
//
//	[stdin]:3
//	foo(
//	   ^
//	SyntaxError: missing ) after argument list
//	    at ...
//	Node.js v20.20.2
func parseNode(output string) (r Report, ok bool) {
	p := Problem{}
	for text := range strings.Lines(output) {
		text = strings.TrimRight(text, "\r\n")
		if number, isPlace := strings.CutPrefix(text, "[stdin]:"); isPlace && p.Line == 0 {
			p.Line, _ = strconv.Atoi(number)
		} else if mark := strings.TrimSpace(text); mark != "" && strings.Trim(mark, "^") == "" && p.Text == "" {
			p.Column = strings.IndexByte(text, '^') + 1
		} else if message, isError := strings.CutPrefix(text, "SyntaxError: "); isError && p.Text == "" {
			p.Text = message
		} else if version, isEnd := strings.CutPrefix(text, "Node.js v"); isEnd {
			r.By = " " + version
		}
	}
	if p.Line == 0 || p.Text == "" {
		return Report{}, false
	}
	return Report{Problems: []Problem{p}, IsPartial: true, By: "Node.js" + r.By}, true
}
