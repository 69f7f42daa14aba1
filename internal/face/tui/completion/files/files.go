// Package files completes mentions: @ and the name of a subagent, a file or directory of the workspace, or a resource
// of an MCP server.
//
// A [Source] walks the workspace in the background and keeps the list of paths for half a minute. The text that it
// inserts is the one that internal/mention reads as the same path.
package files

import (
	"cmp"
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pollux/internal/face/tui/completion"
	"pollux/internal/face/tui/completion/fuzzy"
	"pollux/internal/terminal"
	"pollux/internal/workspace"
)

// Defaults of the options: context.fileFiltering.maxFileCount and searchTimeout of Gemini CLI.
const (
	DefaultMaxFiles = 20_000
	DefaultTimeout  = 5 * time.Second
)

// maxOthers is the number of subagents, and of resources, that are suggested.
const maxOthers = 24

// Options are the places in which a [Source] looks. Functions are called on the goroutine of the engine.
type Options struct {
	Workspace *workspace.Workspace
	// Agents and Resources return the subagents and the resources of MCP servers at the moment, nil for none.
	Agents    func() []Agent
	Resources func() []Resource
	// Recent returns the absolute paths of files for an empty query, the best first: those that were read or edited
	// lately, then those that differ from the commit. Nil for none.
	Recent func() []string
	// IsLiteral turns fuzzy matching off (context.fileFiltering.enableFuzzySearch), and IsFlat searches only the
	// directory that the query names (enableRecursiveFileSearch).
	IsLiteral, IsFlat bool
	MaxFiles          int           // of the workspace that are searched, 0 for the default
	Timeout           time.Duration // of a walk, 0 for the default
	Now               func() time.Time
}

// Agent is a subagent.
type Agent struct{ Name, Description string }

// Resource is a resource of an MCP server. Its ID is the text behind the @.
type Resource struct{ ID, Name, Description string }

// Source completes mentions.
type Source struct {
	o        Options
	cache    *cache
	detached *completion.Detached
}

// New returns a source, which works until [Source.Close].
func New(o Options) *Source {
	o.MaxFiles, o.Timeout = cmp.Or(o.MaxFiles, DefaultMaxFiles), cmp.Or(o.Timeout, DefaultTimeout)
	return &Source{o: o, cache: newCache(o), detached: completion.NewDetached(4)}
}

// Warm begins to walk the workspace, so that the first request need not wait.
func (s *Source) Warm() { s.cache.refresh() }

// Forget makes the next request walk the workspace again: files have changed.
func (s *Source) Forget() { s.cache.forget() }

// Close ends the work in the background.
func (s *Source) Close() { s.cache.close() }

// Complete implements [completion.Source].
func (s *Source) Complete(ctx context.Context, r completion.Request) (completion.Result, bool) {
	if r.IsShell {
		return completion.Result{}, false
	}
	t, ok := tokenAt(r.Text, r.Cursor)
	if !ok {
		return completion.Result{}, false
	}
	result := completion.Result{Range: t.Range}
	files := s.files(ctx, strings.TrimPrefix(t.query, "./"), &result)
	result.Suggestions = append(append(s.agents(t.query), files...), s.resources(t.query)...)
	if after, n := utf8.DecodeRuneInString(r.Text[t.End:]); n == 0 || !isEnd(after) {
		for i := range result.Suggestions {
			if in := &result.Suggestions[i].Insert; !strings.HasSuffix(*in, "/") && !strings.HasSuffix(*in, `/"`) {
				*in += " "
			}
		}
	}
	return result, true
}

// files returns the files and directories that match a query.
func (s *Source) files(ctx context.Context, query string, result *completion.Result) []completion.Suggestion {
	x := s.cache.get(ctx)
	if x == nil {
		return nil
	}
	if x.isCut && !s.o.IsFlat {
		result.Note = "Only " + strconv.Itoa(len(x.texts)) + " files are searched. To see those of a directory, type its path."
	}
	if query == "" {
		return s.first(x)
	}
	dir, isNamed := s.dirOf(query)
	switch {
	case isNamed && s.o.IsFlat:
		return search(ctx, query, !s.o.IsLiteral, s.list(ctx, dir))
	case isNamed && (x.isCut || !x.hasBelow(query[:strings.LastIndexByte(query, '/')+1])):
		return search(ctx, query, !s.o.IsLiteral, x, s.list(ctx, dir))
	}
	return search(ctx, query, !s.o.IsLiteral, x)
}

// list returns the paths in a directory, none if it does not belong to the workspace.
func (s *Source) list(ctx context.Context, dir string) *index {
	result := make(chan *index, 1)
	s.detached.Run(ctx, func() { result <- walkOne(ctx, s.o.Workspace, dir, s.o.MaxFiles) })
	select {
	case x := <-result:
		return x
	default:
		return &index{}
	}
}

// first returns the files for an empty query: the recent ones, then those near the top.
func (s *Source) first(x *index) (list []completion.Suggestion) {
	seen := map[string]bool{}
	add := func(p string) {
		if !seen[p] && len(list) < maxFiles {
			seen[p] = true
			list = appendPath(list, p, nil)
		}
	}
	if s.o.Recent != nil {
		for _, abs := range s.o.Recent() {
			if p := filepath.ToSlash(s.o.Workspace.Display(abs)); x.has(p) || x.isCut && !filepath.IsAbs(p) {
				add(p)
			}
		}
	}
	for _, p := range x.first {
		add(p)
	}
	return list
}

// agents returns the subagents whose names match a query.
func (s *Source) agents(query string) (list []completion.Suggestion) {
	if s.o.Agents == nil {
		return nil
	}
	var all []other
	for _, a := range s.o.Agents() {
		all = append(all, other{completion.Suggestion{Label: a.Name, Detail: a.Description, Suffix: "Agent"}, a.Name, a.Name})
	}
	return matching(all, query)
}

// resources returns the resources whose id or name matches a query.
func (s *Source) resources(query string) (list []completion.Suggestion) {
	if s.o.Resources == nil {
		return nil
	}
	var all []other
	for _, r := range s.o.Resources() {
		all = append(all, other{completion.Suggestion{Label: r.ID, Detail: cmp.Or(r.Description, r.Name), Suffix: "MCP"}, r.ID, r.Name})
	}
	return matching(all, query)
}

// other is a suggestion that is no file: its id, which is inserted, and its name for people.
type other struct {
	completion.Suggestion
	id, name string
}

// matching returns the suggestions that match a query and that can be mentioned, the best first.
func matching(all []other, query string) (list []completion.Suggestion) {
	q := fuzzy.New(query)
	top := fuzzy.Top[ranked]{Limit: maxOthers, Compare: func(a, b ranked) int { return cmp.Compare(b.rank, a.rank) }}
	for _, o := range all {
		text, ok := Mention(o.id)
		if !ok || terminal.Line(o.id) != o.id {
			continue
		}
		o.Insert = text
		id, name := fuzzy.NewText(o.id), fuzzy.NewText(o.name)
		if query == "" {
			top.Add(ranked{o.Suggestion, 0})
		} else if m, ok := q.Match(&id); ok {
			o.MatchAt = q.Positions(&id)
			top.Add(ranked{o.Suggestion, m.Rank(&id)})
		} else if m, ok := q.Match(&name); ok {
			top.Add(ranked{o.Suggestion, m.Rank(&name)})
		}
	}
	for _, r := range top.Items {
		list = append(list, r.suggestion)
	}
	return list
}

// ranked is a suggestion with its rank; see [fuzzy.Match.Rank].
type ranked struct {
	suggestion completion.Suggestion
	rank       uint64
}
