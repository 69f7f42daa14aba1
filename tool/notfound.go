package tool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pollux/llm/foreign"
	"pollux/tool/spelling"
)

// NotFound returns the message that a model gets when it calls a tool that does not exist. It
// suggests the equivalents of a tool of other programs or of former releases, and the tools whose
// names have its words; else the three with the most similar names.
func (s *Snapshot) NotFound(name string) string {
	text := fmt.Sprintf("Tool %q not found.", name)
	words := foreign.Words(name)
	if slices.Contains(endings, strings.Join(words, "_")) {
		return text + " To end, answer in text, without a call."
	}
	own := strings.Join(words, "_")
	if names := s.equivalents(words); len(names) > 0 {
		return text + suggestion(names) + notes[own]
	}
	if names := foreign.Successors(own); len(names) > 0 {
		return text + fmt.Sprintf(" Here it is %q, which is not available now.", names[0])
	}
	return text + suggestion(s.similar(own))
}

// Meant returns the names that a call of a tool that does not exist may mean: its name in the
// form of tool names, and the tools that do the same. It returns nil if a tool of the snapshot
// may be meant.
func (s *Snapshot) Meant(name string) []string {
	words := foreign.Words(name)
	if len(s.equivalents(words)) > 0 {
		return nil
	}
	own := strings.Join(words, "_")
	return append([]string{own}, foreign.Successors(own)...)
}

// equivalents returns the tools that a name of these words may mean: those that do the same as a
// tool of another program, and those with all of the words. If the name is one of another
// program, the words must end theirs: write is not write_todos.
func (s *Snapshot) equivalents(words []string) []string {
	found := s.namesWith(words)
	successors := foreign.Successors(strings.Join(words, "_"))
	if len(successors) == 0 {
		return found
	}
	var names []string
	for _, n := range successors {
		if _, isThere := s.index()[n]; isThere {
			names = append(names, n)
		}
	}
	for _, n := range found {
		all := foreign.Words(n)
		if !slices.Contains(names, n) && slices.Equal(all[max(0, len(all)-len(words)):], words) {
			names = append(names, n)
		}
	}
	return names
}

// suggestion asks whether one of names was meant.
func suggestion(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(" Did you mean %q?", names[0])
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = `"` + n + `"`
	}
	return " Did you mean one of: " + strings.Join(quoted, ", ") + "?"
}

// most is the number of names that are suggested.
const most = 3

// namesWith returns names that have all of words, or beginnings of words that are theirs: first
// those that have no others.
func (s *Snapshot) namesWith(words []string) []string {
	var found []string
	for _, t := range s.tools {
		if name := t.Spec().Name; hasWords(foreign.Words(name), words) {
			found = append(found, name)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(len(foreign.Words(a)), len(foreign.Words(b))) })
	return found[:min(most, len(found))]
}

// hasWords reports whether each of words begins another word of a name. A single one must be
// that word.
func hasWords(name, words []string) bool {
	left := slices.Clone(name)
	for _, w := range words {
		i := slices.IndexFunc(left, func(of string) bool { return of == w || len(words) > 1 && strings.HasPrefix(of, w) })
		if i < 0 {
			return false
		}
		left = slices.Delete(left, i, i+1)
	}
	return len(words) > 0
}

// similar returns the names that differ from name in the fewest letters.
func (s *Snapshot) similar(name string) []string {
	var names []string
	for _, t := range s.tools {
		names = append(names, t.Spec().Name)
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Compare(spelling.Distance(name, a), spelling.Distance(name, b))
	})
	return names[:min(most, len(names))]
}

// endings are tools of other programs that end a task.
var endings = []string{"attempt_completion", "complete_task", "task_complete", "final_answer", "finish", "done", "respond", "answer", "submit"}

// notes follow the suggestions for some names.
var notes = map[string]string{
	"save_memory": " What is to be remembered stands in GEMINI.md.",
	"memory":      " What is to be remembered stands in GEMINI.md.",
}
