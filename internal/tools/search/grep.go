package search

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"pollux/internal/crash"
	"pollux/internal/process"
	"pollux/internal/workspace"
	"pollux/tool"
)

// GrepOptions configure the text search. The zero value uses only the engine in this process.
type GrepOptions struct {
	// Ripgrep returns the path of ripgrep, or "" to use the engine in this process. It is
	// called for each search. It may be nil.
	Ripgrep func() string
	// Launcher starts ripgrep.
	Launcher process.Launcher
	// Timeout limits the duration of a search. The minimum is 10 seconds.
	Timeout time.Duration
}

// minTimeout is the minimum of GrepOptions.Timeout.
const minTimeout = 10 * time.Second

// NewGrep returns the tool grep_search, which finds text in the files of w.
func NewGrep(w *workspace.Workspace, o GrepOptions) tool.Tool {
	o.Timeout = max(o.Timeout, minTimeout)
	if o.Ripgrep == nil {
		o.Ripgrep = func() string { return "" }
	}
	return &grepTool{w, o}
}

type grepTool struct {
	w *workspace.Workspace
	o GrepOptions
}

var grepSpec = tool.Spec{
	Name:        "grep_search",
	DisplayName: "SearchText",
	Aliases:     []string{"search_file_content", "RipGrepTool", "GrepTool"},
	Description: "Searches the content of files for a regular expression, line by line, and returns the matching lines with file and line number. " +
		"Fast in trees of any size: prefer it to running grep in a shell. Narrow a search with dir_path and include_pattern; " +
		"one to three matches come with the lines around them, so that a file often need not be read. Binary and ignored files are skipped, and so are *.log, *.tmp and build output unless include_pattern names them.",
	Brief: "Searches file contents by regular expression, line by line; returns matching lines with file and line number, and up to three matches with the lines around " +
		"them. Binary and ignored files, *.log and build output are skipped, unless dir_path, include_pattern or no_ignore says otherwise.",
	Compact: compactGrep,
	Schema: json.RawMessage(`{
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "description": "Regular expression, or literal text with fixed_strings. Matches lie within one line."},
    "dir_path": {"type": "string", "description": "Directory or file to search. Left out: the project's root."},
    "include_pattern": {"type": "string", "description": "Glob of the files to search: '*.go' or '*.{ts,tsx}' by name, 'src/**' by path below dir_path, '!*.min.js' for all others."},
    "exclude_pattern": {"type": "string", "description": "Regular expression; lines that it matches are dropped from the result."},
    "names_only": {"type": "boolean", "description": "Return the names of the files with matches, no lines. Default false."},
    "case_sensitive": {"type": "boolean", "description": "Tell upper from lower case. Default false."},
    "fixed_strings": {"type": "boolean", "description": "Take pattern as literal text, with no special characters. Default false."},
    "context": {"type": "integer", "minimum": 0, "description": "Lines to show before and after each match."},
    "after": {"type": "integer", "minimum": 0, "description": "Lines to show after each match."},
    "before": {"type": "integer", "minimum": 0, "description": "Lines to show before each match."},
    "no_ignore": {"type": "boolean", "description": "Search ignored files and build output too. Default false."},
    "max_matches_per_file": {"type": "integer", "minimum": 1, "description": "Matches to return of one file at most."},
    "total_max_matches": {"type": "integer", "minimum": 1, "description": "Matches to return at most, or files with names_only. Default 100."}
  },
  "required": ["pattern"]
}`),
	Kind: tool.KindSearch,
}

func (*grepTool) Spec() *tool.Spec { return &grepSpec }

type grepArgs struct {
	Pattern           string   `json:"pattern"`
	DirPath           string   `json:"dir_path"`
	IncludePattern    string   `json:"include_pattern"`
	ExcludePattern    string   `json:"exclude_pattern"`
	NamesOnly         bool     `json:"names_only"`
	CaseSensitive     bool     `json:"case_sensitive"`
	FixedStrings      bool     `json:"fixed_strings"`
	Context           *float64 `json:"context"` // JSON Schema's integers include 2.0
	After             *float64 `json:"after"`
	Before            *float64 `json:"before"`
	NoIgnore          bool     `json:"no_ignore"`
	MaxMatchesPerFile *float64 `json:"max_matches_per_file"`
	TotalMaxMatches   *float64 `json:"total_max_matches"`
}

const (
	defaultMatches = 100
	// maxMatches and maxContext limit the numbers in a call.
	maxMatches = 20_000
	maxContext = 10_000
)

func (t *grepTool) Build(raw json.RawMessage) (tool.Invocation, error) {
	c := &grepCall{tool: t}
	if err := json.Unmarshal(raw, &c.args); err != nil {
		return nil, fmt.Errorf("params: %w", err)
	}
	a := &c.args
	var err error
	if c.query.pattern, err = compile(a.Pattern, a.FixedStrings, a.CaseSensitive); err != nil && c.takeLiterally() {
		c.literal = fmt.Sprintf("taken as literal text, as it is no regular expression: %q", complaint(err))
	} else if err != nil {
		return nil, tool.Message(fmt.Sprintf("Invalid regular expression pattern provided: %s. Error: %v", a.Pattern, err))
	}
	if a.ExcludePattern != "" {
		if c.query.exclude, err = compile(a.ExcludePattern, false, a.CaseSensitive); err != nil {
			return nil, tool.Message(fmt.Sprintf("Invalid exclude regular expression pattern provided: %s. Error: %v", a.ExcludePattern, err))
		}
	}
	if n := a.MaxMatchesPerFile; n != nil && *n < 1 {
		return nil, tool.Message("max_matches_per_file must be at least 1.")
	}
	path := t.w.Resolve(a.DirPath)
	if err := t.w.CheckRead(path); err != nil {
		return nil, err
	}
	fi, err := t.w.Disk().Stat(path)
	switch {
	case err != nil:
		return nil, tool.Message("Path does not exist: " + path + cmp.Or(t.w.DidYouMean(context.Background(), path, true), t.w.DidYouMean(context.Background(), path, false)))
	case fi.IsDir():
		c.query.dir = path
	case fi.Mode().IsRegular():
		c.query.dir, c.query.file = filepath.Split(path)
		c.query.dir = filepath.Clean(c.query.dir)
	default:
		return nil, tool.Message("Path is not a valid directory or file: " + path)
	}
	c.query.include, err = compileInclude(below(c.query.dir, a.IncludePattern))
	if err != nil {
		return nil, err
	}
	c.query.w = t.w
	c.query.noIgnore = a.NoIgnore
	c.query.maxTotal = number(a.TotalMaxMatches, defaultMatches, maxMatches)
	c.query.maxPerFile = number(a.MaxMatchesPerFile, 0, maxMatches)
	c.query.namesOnly = a.NamesOnly
	around := number(a.Context, 0, maxContext)
	c.before = number(a.Before, around, maxContext)
	c.after = number(a.After, around, maxContext)
	c.Described = tool.Described{Title: "Confirm: " + grepSpec.DisplayName, Text: "'" + a.Pattern + "'"}
	if a.IncludePattern != "" {
		c.Text += " in " + a.IncludePattern
	}
	if a.DirPath != "" {
		c.Text += " within " + t.w.Rel(path)
	}
	return c, nil
}

// below returns a glob relative to the directory that is searched, if it is an absolute path below it; else as it is.
func below(dir, glob string) string {
	rest, isNegated := strings.CutPrefix(glob, "!")
	rest, found := workspace.CutDir(filepath.ToSlash(rest), dir)
	switch {
	case !found:
		return glob
	case isNegated:
		return "!/" + rest
	}
	return "/" + rest
}

// number returns a numeric argument, limited to 0 to limit, or defaultValue if it is missing.
func number(arg *float64, defaultValue, limit int) int {
	if arg == nil {
		return defaultValue
	}
	return int(math.Max(0, math.Min(*arg, float64(limit))))
}

type grepCall struct {
	tool.Described
	tool          *grepTool
	args          grepArgs
	query         query
	before, after int
	literal       string // note that the pattern is searched as literal text, with the reason; or ""
}

// takeLiterally makes the pattern literal text, if it can be searched as such, and the call has
// not asked for that.
func (c *grepCall) takeLiterally() bool {
	if c.args.FixedStrings || regexp.QuoteMeta(c.args.Pattern) == c.args.Pattern {
		return false
	}
	p, err := compile(c.args.Pattern, true, c.args.CaseSensitive)
	if err != nil {
		return false
	}
	c.query.pattern = p
	return true
}

// takeBrackets makes the brackets of the include pattern literal. It returns false if there are none.
func (c *grepCall) takeBrackets() bool {
	escaped, ok := literalBrackets(c.args.IncludePattern)
	in, err := compileInclude(below(c.query.dir, escaped))
	if !ok || err != nil {
		return false
	}
	c.args.IncludePattern, c.query.include = escaped, in
	return true
}

// complaint returns the error in a regular expression, in a few words.
func complaint(err error) string {
	text, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "error parsing regexp: "), " in `")
	return text
}

func (c *grepCall) Run(ctx context.Context, host tool.Host) *tool.Result {
	q := &c.query
	if err := q.w.CheckRead(filepath.Join(q.dir, q.file)); err != nil {
		return outsideWorkspaceResult(err)
	}
	timeout := c.tool.o.Timeout
	limited, cancel := context.WithTimeoutCause(ctx, timeout, tool.Message(fmt.Sprintf(
		"Operation timed out after %dms. Search a smaller part of the tree (dir_path) or fewer files (include_pattern).", timeout.Milliseconds())))
	defer cancel()
	found, err := c.search(limited)
	if err == nil && found.matches == 0 && c.literal == "" {
		if second := *c; second.takeLiterally() {
			if text, err := second.search(limited); err == nil && text.matches > 0 {
				second.literal = "taken as literal text"
				return second.result(ctx, text, host.Limit)
			}
		}
	}
	if second := *c; err == nil && found.matches == 0 && second.takeBrackets() {
		if more, err := second.search(limited); err == nil && (more.matches > 0 || second.query.leftOut(limited).noFile == "") {
			return second.result(ctx, more, host.Limit)
		}
	}
	if found != nil && len(found.files) > 0 && limited.Err() != nil && ctx.Err() == nil {
		found.stopped, err = true, nil // out of time: partial results are better than none
	}
	if skipped := (*skippedError)(nil); errors.As(err, &skipped) && (errors.Is(err, errBinary) || errors.Is(err, errIgnored)) {
		return c.noMatches(fmt.Sprintf(" Nothing was searched: %v.", skipped.err))
	}
	if out := workspace.Refusal(""); errors.As(err, &out) {
		return outsideWorkspaceResult(out)
	}
	if err != nil {
		return tool.Fail(tool.ErrGrep, "Error during grep search operation: "+err.Error())
	}
	return c.result(ctx, found, host.Limit)
}

// search runs the search on ripgrep, or on the engine in this process if ripgrep is missing,
// fails, or cannot apply the rules of the search.
func (c *grepCall) search(ctx context.Context) (*found, error) {
	q := &c.query
	if q.file != "" && !q.noIgnore && q.w.Ignored(filepath.Join(q.dir, q.file), false, q.w.DefaultFilter()) {
		return nil, &skippedError{errIgnored}
	}
	// Ripgrep sees only the real disk, and only the bytes of a text. It cannot apply a .geminiignore that shows files which git ignores, nor the rules for
	// private files that the include pattern names, and it opens ignore files of any kind.
	if q.w.IsReal() && q.file == "" && q.pattern.isASCII && !q.include.namesHidden() && (q.noIgnore || q.w.GitOnly(q.w.DefaultFilter())) {
		if program := c.tool.o.Ripgrep(); program != "" && !q.hasIrregularIgnoreFile(ctx) {
			found, err := q.searchRipgrep(ctx, c.tool.o.Launcher, program)
			var patternErr *patternError
			var skipped *skippedError
			if err == nil || ctx.Err() != nil || errors.As(err, &patternErr) || errors.As(err, &skipped) {
				return found, err
			}
			// Ripgrep may be too old for the flags, or reject the pattern as too large.
		}
	}
	if q.pattern.backtracking == nil && (q.exclude == nil || q.exclude.backtracking == nil) {
		return q.searchInProcess(ctx)
	}
	// The backtracking engine stops at its own time limit, not when ctx is cancelled, so
	// search returns without waiting for it.
	type outcome struct {
		found *found
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		defer crash.Recover()
		found, err := q.searchInProcess(ctx)
		done <- outcome{found, err}
	}()
	select {
	case o := <-done:
		return o.found, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
