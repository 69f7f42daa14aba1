package commands

import (
	"cmp"
	"slices"
	"strings"

	"pollux/internal/face/tui/completion"
	"pollux/internal/face/tui/completion/fuzzy"
)

// Ranks of matches. Of fuzzy matches, those with the higher score come first.
const (
	exactName = iota
	exactAlias
	nameBegins
	aliasBegins
	matches
)

// candidate is a command or value that matches the typed word.
type candidate struct {
	suggestion completion.Suggestion
	rank       int
	score      int32
}

// rank returns suggestions for the commands that match a word, the best first. For an empty word, these are all
// commands, in their order and with their groups.
func rank(list []Command, typed string) []completion.Suggestion {
	q := fuzzy.New(typed)
	var found []candidate
	for i := range list {
		c := &list[i]
		if !isTypable(c.Name) {
			continue
		}
		if best, ok := match(c, q, typed); ok {
			found = append(found, best)
		}
	}
	return sorted(found)
}

// match returns the best match of the name and the aliases of a command.
func match(c *Command, q *fuzzy.Query, typed string) (best candidate, ok bool) {
	for i, name := range append([]string{c.Name}, c.Aliases...) {
		next := candidate{suggestion: completion.Suggestion{
			Label: c.Name, Detail: c.Summary, Suffix: c.Suffix, Insert: c.Name, Runs: c.runs(),
		}}
		before := 0
		if i > 0 {
			before = len(c.Name) + len(" (")
			next.suggestion.Label += " (" + name + ")"
		}
		if typed == "" {
			next.suggestion.Group = c.Group
			return next, true
		}
		text := fuzzy.NewText(name)
		m, isMatch := q.Match(&text)
		if !isMatch {
			continue
		}
		next.rank, next.score = rankOf(name, typed, i > 0), m.Score
		if !ok || compare(next, best) < 0 {
			next.suggestion.MatchAt = shifted(q.Positions(&text), before)
			best, ok = next, true
		}
	}
	return best, ok
}

func shifted(positions []int, by int) []int {
	for i := range positions {
		positions[i] += by
	}
	return positions
}

// rankOf returns the rank of a match.
func rankOf(name, typed string, isAlias bool) int {
	rank := matches
	switch {
	case name == typed:
		rank = exactName
	case len(name) >= len(typed) && strings.EqualFold(name[:len(typed)], typed):
		rank = nameBegins
	}
	if isAlias && rank < matches {
		rank++
	}
	return rank
}

func compare(a, b candidate) int {
	if a.rank == matches && b.rank == matches {
		return cmp.Compare(b.score, a.score)
	}
	return cmp.Compare(a.rank, b.rank)
}

// sorted returns the suggestions of candidates, the best first. Equal ones stay in their order.
func sorted(found []candidate) (list []completion.Suggestion) {
	slices.SortStableFunc(found, compare)
	for _, c := range found[:min(len(found), maxSuggestions)] {
		list = append(list, c.suggestion)
	}
	return list
}

// rankValues returns suggestions for the values that match a word, the best first.
func rankValues(values []Value, typed string) []completion.Suggestion {
	q := fuzzy.New(typed)
	var found []candidate
	for _, v := range values {
		text := fuzzy.NewText(v.Text)
		m, ok := q.Match(&text)
		if !ok || !isTypable(v.Text) {
			continue
		}
		found = append(found, candidate{rank: rankOf(v.Text, typed, false), score: m.Score, suggestion: completion.Suggestion{
			Label: v.Text, Detail: v.Detail, Insert: v.Text, MatchAt: q.Positions(&text),
		}})
	}
	return sorted(found)
}
