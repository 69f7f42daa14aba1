package toolsearch

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/go-faster/jx"

	"pollux/tool"
)

// match is a tool that fits a query.
type match struct {
	tool.Tool
	score   float64
	isExact bool // the query has its name
}

// The weights of the places in which a word may be found.
const (
	ofName        = 4.0
	ofServer      = 2.0
	ofParameter   = 2.0
	ofDescription = 1.0
)

// search returns the tools that fit a query, at most maxFound of them: those that it names, in its order, then those that
// have its words, the best first. Rare words count more than common ones.
func search(tools []tool.Tool, query string) []match {
	var found []match
	for _, word := range strings.FieldsFunc(query, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;\"'`()", r) }) {
		i := slices.IndexFunc(tools, func(t tool.Tool) bool { return isNameOf(t, word) })
		if i >= 0 && !has(found, tools[i]) {
			found = append(found, match{Tool: tools[i], isExact: true})
		}
	}
	words := slices.DeleteFunc(wordsOf(query), isFiller)
	texts := make([]places, len(tools))
	frequency := make([]int, len(words))
	for i, t := range tools {
		texts[i] = placesOf(t)
		for j, word := range words {
			if texts[i].weight(word) > 0 {
				frequency[j]++
			}
		}
	}
	var ranked []match
	for i, t := range tools {
		score := 0.0
		for j, word := range words {
			score += texts[i].weight(word) * math.Log(1+float64(len(tools))/float64(max(1, frequency[j])))
		}
		if score > 0 && !has(found, t) {
			ranked = append(ranked, match{Tool: t, score: score})
		}
	}
	slices.SortStableFunc(ranked, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	found = append(found, ranked...)
	return found[:min(len(found), maxFound)]
}

func has(found []match, t tool.Tool) bool {
	return slices.ContainsFunc(found, func(m match) bool { return m.Spec() == t.Spec() })
}

// isNameOf reports whether a word of a query is the name of a tool, or its name on its server where that has
// several words.
func isNameOf(t tool.Tool, word string) bool {
	r, _ := tool.As[tool.Remote](t)
	return word == t.Spec().Name || word == r.RemoteName() && len(wordsOf(word)) > 1
}

// places are the words of a tool, by where they stand.
type places struct{ name, server, parameters, description []string }

func placesOf(t tool.Tool) places {
	s := t.Spec()
	r, _ := tool.As[tool.Remote](t)
	return places{wordsOf(r.RemoteName()), wordsOf(r.Server()), wordsOf(strings.Join(parameters(s.Schema), " ")), wordsOf(s.Description)}
}

// weight returns the weight of a word of a query: that of the best place that has it.
func (p *places) weight(word string) float64 {
	best := 0.0
	for _, place := range [...]struct {
		words  []string
		weight float64
	}{{p.name, ofName}, {p.server, ofServer}, {p.parameters, ofParameter}, {p.description, ofDescription}} {
		for _, other := range place.words {
			best = max(best, place.weight*likeness(word, other))
		}
	}
	return best
}

// likeness returns 1 for equal words, less if one begins with the other, such as "file" and "files", or if words of a
// language without spaces are in another, and else 0.
func likeness(a, b string) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	isForeign := strings.ContainsFunc(a, func(r rune) bool { return r >= 0x2E80 })
	switch {
	case a == b:
		return 1
	case isForeign && strings.Contains(b, a):
		return 0.7
	case len(a) >= 3 && len(b)-len(a) <= 3 && strings.HasPrefix(b, a):
		return 0.7
	}
	return 0
}

// wordsOf returns the words of a text in lower case: those of readFile and read_file are "read" and "file".
func wordsOf(text string) []string {
	var words []string
	begin, runes := 0, []rune(text)
	add := func(end int) {
		if end > begin {
			words = append(words, strings.ToLower(string(runes[begin:end])))
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			add(i)
			begin = i + 1
		case i > begin && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]):
			add(i)
			begin = i
		}
	}
	add(len(runes))
	return words
}

// isFiller reports whether a word of a query says nothing about a tool.
func isFiller(word string) bool {
	switch word {
	case "a", "an", "the", "to", "of", "in", "on", "for", "with", "and", "or", "that", "which", "can", "from", "by", "mcp", "tool", "tools", "server":
		return true
	}
	return false
}

// parameters returns the names of the parameters in a schema, in their order.
func parameters(schema json.RawMessage) (names []string) {
	var s struct{ Properties json.RawMessage }
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	_ = jx.DecodeBytes(s.Properties).Obj(func(d *jx.Decoder, name string) error {
		names = append(names, name)
		return d.Skip()
	})
	return names
}

// signature describes the parameters in a schema: "(path, head?)". The request that follows declares the schema.
func signature(schema json.RawMessage) string {
	var s struct{ Required []string }
	_ = json.Unmarshal(schema, &s) // an unreadable schema requires none
	names := parameters(schema)
	for i, name := range names {
		if !slices.Contains(s.Required, name) {
			names[i] += "?"
		}
	}
	return "(" + strings.Join(names, ", ") + ")"
}
