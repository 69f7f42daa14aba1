package mention

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"pollux/internal/workspace"
	"pollux/tool"
)

// A prompt may be a whole file from a pipe. Of its mentions no more than
// maxMentions are looked at; of those that are no path, no more than
// maxSearched are searched for.
const (
	maxMentions = 1000
	maxSearched = 50
)

// target is what a mention is resolved to.
type target struct {
	include string // pattern for the files; "" if it is no mention
	text    string // what stands after the @ in the prompt
}

type resolver struct {
	w       *workspace.Workspace
	known   map[string]target // by mention
	include []string
	named   map[string]bool // absolute paths of files that were named
	skipped []tool.Skipped
}

// resolve finds out what the mentions are.
func (r *resolver) resolve(ctx context.Context, mentions []mention) error {
	r.named = map[string]bool{}
	var missing []string
	for _, m := range mentions {
		if _, ok := r.known[m.path]; ok {
			continue
		}
		if len(r.known) == maxMentions {
			r.skip(m.path, fmt.Sprintf("only the first %d mentions are looked at", maxMentions))
			break
		}
		r.known[m.path] = target{}
		if !r.path(m.path) && len(missing) < maxSearched && searchable(m.path) {
			missing = append(missing, m.path)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return r.search(ctx, missing)
}

func (r *resolver) skip(path, reason string) {
	r.skipped = append(r.skipped, tool.Skipped{Path: path, Reason: reason})
}

// path resolves the mention of a path that exists, and reports whether it does.
func (r *resolver) path(name string) bool {
	for _, dir := range r.w.Dirs() {
		abs := name
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(dir, name)
		}
		info, err := r.w.Disk().Stat(abs)
		if out := workspace.Refusal(""); errors.As(err, &out) {
			r.skip(name, err.Error())
			return true
		}
		if err != nil {
			continue
		}
		filter := r.w.DefaultFilter()
		switch err := r.w.CheckRead(abs); {
		case err != nil:
			r.skip(name, err.Error())
		case r.w.Ignored(abs, info.IsDir(), filter):
			r.skip(name, "ignored by the project's ignore files")
		case info.IsDir():
			all := strings.TrimSuffix(name, "/") + "/**"
			r.known[name] = target{escape(abs) + "/**", all}
			r.include = append(r.include, escape(abs)+"/**")
		default:
			r.named[abs] = true
			r.known[name] = target{abs, name}
			r.include = append(r.include, abs)
		}
		return true
	}
	return false
}

// escape makes a glob that only path itself matches.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`).Replace(filepath.ToSlash(path))
}

// searchable reports whether a name that is no path may be a part of one:
// names of nothing but signs would match anything.
func searchable(name string) bool {
	return len(name) <= 4096 && !filepath.IsAbs(name) && strings.ContainsFunc(name, func(r rune) bool {
		return r != '.' && r != '/' && r != '*' && r != '~'
	}) && !strings.HasPrefix(name, "../") && !strings.HasPrefix(name, "~/")
}

// search resolves names that are no paths: globs, and pieces of the end of a
// path. One walk serves them all.
func (r *resolver) search(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	var mu sync.Mutex
	best := map[string]hit{}
	for _, dir := range r.w.Dirs() {
		o := workspace.WalkOptions{Filter: r.w.DefaultFilter(), Prune: func(_, name string) bool {
			return name == "node_modules" || name == ".git"
		}}
		err := r.w.Walk(ctx, dir, o, func(e workspace.Entry) error {
			if !e.Type.IsRegular() {
				return nil
			}
			rel := e.Rel()
			for _, name := range names {
				if h := (hit{rel: rel, abs: e.Path(), rank: rank(name, rel)}); h.rank > 0 {
					mu.Lock()
					if old, ok := best[name]; !ok || h.before(old) {
						best[name] = h
					}
					mu.Unlock()
				}
			}
			return nil
		})
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		// Any other error is a directory that has gone: nothing is found there.
	}
	for _, name := range names {
		if h, ok := best[name]; ok && r.w.CheckRead(h.abs) == nil {
			r.named[h.abs] = true
			r.known[name] = target{h.abs, r.w.Rel(h.abs)}
			r.include = append(r.include, h.abs)
		}
	}
	return nil
}

// hit is a file that a name may mean.
type hit struct {
	rel, abs string
	rank     int
}

// before reports whether h is the better hit.
func (h hit) before(o hit) bool {
	return cmp.Or(cmp.Compare(h.rank, o.rank), cmp.Compare(strings.Count(h.rel, "/"), strings.Count(o.rel, "/")),
		cmp.Compare(len(h.rel), len(o.rel)), cmp.Compare(h.rel, o.rel)) < 0
}

// rank says how well a name means the file at rel: 1 is best, 0 not at all.
// Case matters only between files that else are the same to it.
func rank(name, rel string) int {
	if n := rankExact(name, rel); n > 0 {
		return n
	}
	if n := rankExact(strings.ToLower(name), strings.ToLower(rel)); n > 0 {
		return n + 3
	}
	return 0
}

func rankExact(name, rel string) int {
	if strings.ContainsAny(name, "*?[{") {
		for i, pattern := range []string{name, "**/" + name, "**/*" + name + "*"} {
			if ok, _ := doublestar.Match(pattern, rel); ok {
				return i + 1
			}
		}
		return 0
	}
	at := strings.LastIndex(rel, name)
	switch {
	case at < 0 || strings.Contains(rel[at+len(name):], "/"):
		return 0
	case at > 0 && rel[at-1] == '/' && at+len(name) == len(rel):
		return 1
	}
	return 2
}

// rewrite returns the prompt as the model gets it: mentions name what they
// were resolved to, and stand apart from what is before them.
func (r *resolver) rewrite(prompt string, mentions []mention) string {
	var b strings.Builder
	from := 0
	for _, m := range mentions {
		t := r.known[m.path]
		if t.include == "" {
			continue
		}
		b.WriteString(prompt[from:m.start])
		if m.start > 0 && !slices.Contains([]byte(" \t\n\r"), prompt[m.start-1]) {
			b.WriteByte(' ')
		}
		b.WriteString("@" + t.text)
		from = m.end
	}
	return b.String() + prompt[from:]
}
