// Package shell completes the words of a shell command: programs, subcommands of git and npm, and files. It runs no
// program.
package shell

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/face/tui/completion"
	"pollux/internal/face/tui/completion/paths"
)

// maxSuggestions is the number of suggestions in a result.
const maxSuggestions = 200

// maxPackage is the size of the largest package.json that is read, in bytes.
const maxPackage = 1 << 20

// Options are the places in which a [Source] looks.
type Options struct {
	Dir  string // where commands run
	Home string // the user's home directory, "" for none
	Path string // the value of PATH
	// Branches returns the branches of the repository, without running git.
	Branches func() []string
	Now      func() time.Time
}

// Source completes shell commands.
type Source struct {
	o        Options
	programs *programs
	files    *paths.Lister
	detached *completion.Detached
}

// New returns a source.
func New(o Options) *Source {
	return &Source{o: o, programs: newPrograms(o.Path), files: paths.New(o.Dir, o.Home), detached: completion.NewDetached(2)}
}

// Complete implements [completion.Source].
func (s *Source) Complete(ctx context.Context, r completion.Request) (completion.Result, bool) {
	if !r.IsShell {
		return completion.Result{}, false
	}
	w := wordAt(r.Text, r.Cursor)
	result := completion.Result{Range: w.Range}
	if !w.isOpaque && paths.IsTypable(w.typed) {
		result.Suggestions = s.suggest(ctx, w)
	}
	result.Suggestions = result.Suggestions[:min(len(result.Suggestions), maxSuggestions)]
	if rest := r.Text[w.End:]; rest != "" && strings.IndexByte(" \t\n", rest[0]) >= 0 {
		for i := range result.Suggestions {
			result.Suggestions[i].Insert = strings.TrimSuffix(result.Suggestions[i].Insert, " ")
		}
	}
	return result, true
}

// suggest returns the suggestions for a word.
func (s *Source) suggest(ctx context.Context, w word) []completion.Suggestion {
	hasDir := strings.Contains(w.typed, "/")
	switch {
	case w.isFile || hasDir && len(w.before) == 0:
		return s.paths(ctx, w.typed, false)
	case len(w.before) == 0:
		return s.commands(ctx, w.typed)
	case hasDir:
		return s.paths(ctx, w.typed, takesDirs(w.before[0]))
	}
	switch words := withoutFlags(w.before); words[0] {
	case "git":
		return s.git(ctx, words, w.typed)
	case "npm", "pnpm", "yarn":
		return s.npm(ctx, words, w.typed)
	}
	return s.paths(ctx, w.typed, takesDirs(w.before[0]))
}

// takesDirs reports whether the arguments of a program are directories.
func takesDirs(program string) bool {
	return program == "cd" || program == "pushd" || program == "rmdir"
}

// withoutFlags returns the words without the flags.
func withoutFlags(words []string) (rest []string) {
	for i, word := range words {
		if i == 0 || !strings.HasPrefix(word, "-") {
			rest = append(rest, word)
		}
	}
	return rest
}

// commands returns the builtins and programs that begin with a text.
func (s *Source) commands(ctx context.Context, typed string) []completion.Suggestion {
	names := append(s.programs.names(ctx, typed, s.o.Now()), withPrefix(builtins, typed)...)
	slices.Sort(names)
	return suggestions(slices.Compact(names), typed)
}

// git completes an argument of git.
func (s *Source) git(ctx context.Context, words []string, typed string) (list []completion.Suggestion) {
	if len(words) == 1 {
		return suggestions(withPrefix(gitWords, typed), typed)
	}
	if slices.Contains(branchWords, words[1]) {
		list = suggestions(withPrefix(s.o.Branches(), typed), typed)
	}
	return append(list, s.paths(ctx, typed, false)...)
}

// npm completes an argument of npm, or of a program like it.
func (s *Source) npm(ctx context.Context, words []string, typed string) (list []completion.Suggestion) {
	switch {
	case len(words) == 1:
		return suggestions(withPrefix(npmWords, typed), typed)
	case len(words) == 2 && (words[1] == "run" || words[1] == "run-script"):
		scripts := s.scripts(ctx)
		list = suggestions(withPrefix(slices.Sorted(maps.Keys(scripts)), typed), typed)
		for i := range list {
			list[i].Detail = scripts[list[i].Label]
		}
		return list
	}
	return s.paths(ctx, typed, false)
}

// scripts returns the scripts of package.json by their names.
func (s *Source) scripts(ctx context.Context) map[string]string {
	result := make(chan map[string]string, 1)
	s.detached.Run(ctx, func() {
		var content struct{ Scripts map[string]string }
		data, err := durable.ReadFile(filepath.Join(s.o.Dir, "package.json"), maxPackage)
		if err == nil {
			_ = json.Unmarshal(data, &content) // invalid JSON has no scripts
		}
		result <- content.Scripts
	})
	select {
	case scripts := <-result:
		return scripts
	default:
		return nil
	}
}

// paths completes the name of a file.
func (s *Source) paths(ctx context.Context, typed string, onlyDirs bool) (list []completion.Suggestion) {
	for _, e := range s.files.List(ctx, typed) {
		if onlyDirs && !e.IsDir {
			continue
		}
		insert := escape(e.Text)
		switch {
		case strings.HasPrefix(e.Text, "~/"):
			insert = "~" + escape(e.Text[1:])
		case strings.HasPrefix(e.Text, "-"):
			insert = "./" + insert // no flag
		}
		if !e.IsDir {
			insert += " "
		}
		list = append(list, completion.Suggestion{Label: e.Name, Insert: insert, MatchAt: first(len(typed) - strings.LastIndexByte(typed, '/') - 1)})
	}
	return list
}

// suggestions returns suggestions for names that begin with a text.
func suggestions(names []string, typed string) (list []completion.Suggestion) {
	for _, name := range names[:min(len(names), maxSuggestions)] {
		if paths.IsTypable(name) {
			list = append(list, completion.Suggestion{Label: name, Insert: escape(name) + " ", MatchAt: first(len(typed))})
		}
	}
	return list
}

// first returns the first n positions.
func first(n int) (positions []int) {
	for i := range n {
		positions = append(positions, i)
	}
	return positions
}

func withPrefix(words []string, prefix string) (found []string) {
	for _, word := range words {
		if strings.HasPrefix(word, prefix) {
			found = append(found, word)
		}
	}
	return found
}
