package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"pollux/llm"
)

// grounding contains the sources of a response.
type grounding struct {
	Chunks []struct {
		Web struct{ URI, Title string } `json:"web"`
	} `json:"groundingChunks"`
	Supports []struct {
		Segment struct {
			PartIndex int `json:"partIndex"`
			EndIndex  int `json:"endIndex"` // bytes of UTF-8 from the start of the part
		} `json:"segment"`
		Indices []int `json:"groundingChunkIndices"`
	} `json:"groundingSupports"`
}

// answer returns the text of a response with references such as [1], followed by the list of
// sources. noTitle and noURI replace missing titles and addresses. found reports whether there
// is any text or source.
func answer(r *llm.Response, noTitle, noURI string) (text string, found bool) {
	if r == nil || len(r.Candidates) == 0 {
		return "", false
	}
	var g grounding
	if err := json.Unmarshal(r.Candidates[0].GroundingMetadata, &g); err != nil {
		g = grounding{} // continue without sources
	}
	text = strings.TrimSpace(cite(r.Text(), g.marks(r.Parts())))
	if text == "" && len(g.Chunks) == 0 {
		return "", false
	}
	if len(g.Chunks) == 0 {
		return text, true
	}
	var b strings.Builder
	b.WriteString(text)
	b.WriteString("\n\nSources:")
	for i, c := range g.Chunks {
		fmt.Fprintf(&b, "\n[%d] %s (%s)", i+1, cmp.Or(oneLine(c.Web.Title), noTitle), cmp.Or(oneLine(c.Web.URI), noURI))
	}
	return b.String(), true
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// mark is an offset in a text, in bytes, with the numbers of the sources (from 1) of the text
// before it.
type mark struct {
	at      int
	sources []int
}

// marks returns the offsets of the supports in the parts' visible text.
func (g *grounding) marks(parts []llm.Part) []mark {
	starts := make([]int, len(parts))
	size := 0
	for i := range parts {
		starts[i] = size
		if !parts[i].Thought {
			size += len(parts[i].Text)
		}
	}
	var marks []mark
	for _, s := range g.Supports {
		if s.Segment.EndIndex <= 0 || s.Segment.PartIndex < 0 {
			continue
		}
		m := mark{at: min(s.Segment.EndIndex, size)}
		if i := s.Segment.PartIndex; i < len(parts) {
			if parts[i].Thought {
				continue
			}
			m.at = min(m.at+starts[i], size)
		}
		for _, i := range s.Indices {
			if i >= 0 && i < len(g.Chunks) {
				m.sources = append(m.sources, i+1)
			}
		}
		marks = append(marks, m)
	}
	return marks
}

// cite inserts the marks into a text. A mark inside a character is moved behind it; a mark
// beyond the text is moved to its end.
func cite(text string, marks []mark) string {
	marks = slices.Clone(marks)
	for i := range marks {
		at := min(max(marks[i].at, 0), len(text))
		for at < len(text) && !utf8.RuneStart(text[at]) {
			at++
		}
		marks[i].at = at
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	done := 0
	var here []int // sources that are already listed at this offset
	for _, m := range marks {
		if m.at > done {
			b.WriteString(text[done:m.at])
			done, here = m.at, nil
		}
		for _, s := range m.sources {
			if !slices.Contains(here, s) {
				here = append(here, s)
				fmt.Fprintf(&b, "[%d]", s)
			}
		}
	}
	b.WriteString(text[done:])
	return b.String()
}
