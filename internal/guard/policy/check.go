package policy

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"pollux/internal/durable"
)

// Problem is a mistake in a policy file.
type Problem struct {
	File       string `json:"file"`
	Line       int    `json:"line,omitempty"` // 0 for the whole file
	Severity   string `json:"severity"`       // error or warning
	Message    string `json:"message"`
	Suggestion string `json:"suggestion,omitempty"`
}

// String returns the problem on one line, in the format of compilers. display returns the path of
// a file in the form that people read.
func (p Problem) String(display func(string) string) string {
	text := display(p.File)
	if p.Line > 0 {
		text += ":" + strconv.Itoa(p.Line)
	}
	text += ": " + p.Severity + ": " + p.Message
	if p.Suggestion != "" {
		text += " (" + p.Suggestion + ")"
	}
	return text
}

// Report is the result of [CheckFiles].
type Report struct {
	Files    []string
	Rules    int
	Problems []Problem // in the order of files and lines
}

// Failed reports whether there is an error.
func (r Report) Failed() bool {
	return slices.ContainsFunc(r.Problems, func(p Problem) bool { return p.Severity == "error" })
}

// CheckFiles checks policy files, and the *.toml files of directories. A missing path is an error. servers are the
// names of the MCP servers, nil if they are not known.
func CheckFiles(files []File, servers []string) Report {
	var r Report
	var rules []Rule
	for _, f := range files {
		info, err := os.Stat(f.Path)
		if err != nil || !info.IsDir() {
			rules = append(rules, r.check(f)...)
			continue
		}
		paths, err := tomlFiles(f.Path)
		if err != nil {
			r.fail(f.Path, err)
		}
		for _, path := range paths {
			rules = append(rules, r.check(File{path, f.from})...)
		}
	}
	r.Rules = len(rules)
	for i := range rules {
		r.Problems = append(r.Problems, rules[i].never(servers)...)
	}
	r.shadowed(rules)
	slices.SortStableFunc(r.Problems, func(a, b Problem) int {
		return cmp.Or(slices.Index(r.Files, a.File)-slices.Index(r.Files, b.File), a.Line-b.Line)
	})
	return r
}

func (r *Report) fail(path string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("no such file or directory")
	}
	r.Problems = append(r.Problems, Problem{File: path, Severity: "error", Message: durable.Cause(err).Error()})
}

// check checks one file and returns its rules.
func (r *Report) check(f File) []Rule {
	path := f.Path
	if slices.Contains(r.Files, path) {
		return nil
	}
	r.Files = append(r.Files, path)
	data, err := durable.ReadFile(path, maxFile)
	if err != nil {
		r.fail(path, err)
		return nil
	}
	f.from.isChecked = true
	p := parseFile(data, f.from, filepath.Base(path))
	for _, found := range p.problems {
		severity := "error"
		if found.warning {
			severity = "warning"
		}
		for _, at := range found.places {
			r.Problems = append(r.Problems, Problem{path, at.line, severity, found.message + ": " + at.text, found.suggestion})
		}
	}
	for i := range p.rules {
		p.rules[i].file = path
	}
	return p.rules
}

// shadowed warns about rules that never decide, because another one about the same calls comes
// first.
func (r *Report) shadowed(rules []Rule) {
	sortRules(rules)
	first := map[string]*Rule{}
	for i := range rules {
		rule := &rules[i]
		key := rule.calls()
		above, ok := first[key]
		if !ok {
			first[key] = rule
			continue
		}
		what := "the same calls"
		if above.Decision != rule.Decision {
			what = "the same calls, with another decision"
		}
		r.Problems = append(r.Problems, Problem{
			rule.file, rule.line, "warning", "Rule never decides: " + above.Place(filepath.Base) + " is about " + what,
			"remove one of them, or change its conditions",
		})
	}
}

// calls returns a text that is equal for rules about the same calls.
func (r *Rule) calls() string {
	j := r.JSON()
	j.Decision, j.Priority, j.Tier, j.Source, j.File, j.Line, j.Redirection, j.DenyMessage = "", 0, "", "", "", 0, false, ""
	return compact(j)
}
