package stats

import (
	"math"
	"strconv"
	"strings"
	"time"

	"pollux/llm"
	"pollux/tool"
)

// AppendJSON appends the "stats" object of the json output format, without white space. In
// addition to Gemini CLI's fields each model has a "cost" in US dollars, null if unknown.
func (s *Snapshot) AppendJSON(dst []byte) []byte {
	w := writer{b: append(dst, '{')}
	w.open("models")
	for i := range s.Models {
		m := &s.Models[i]
		w.open(m.Name)
		w.open("api")
		w.counts(&m.API)
		w.open("errorsByType")
		for _, e := range m.Errors {
			w.number(e.Type, e.Count)
		}
		w.close()
		w.close()
		w.tokens(&m.API.Tokens)
		w.open("roles")
		for j := range m.Roles {
			w.open(string(m.Roles[j].Use))
			w.counts(&m.Roles[j].API)
			w.tokens(&m.Roles[j].API.Tokens)
			w.close()
		}
		w.close()
		w.cost(m.Cost)
		w.close()
	}
	w.close()
	w.open("tools")
	w.number("totalCalls", s.Tools.Calls)
	w.number("totalSuccess", s.Tools.Success)
	w.number("totalFail", s.Tools.Fail)
	w.millis("totalDurationMs", s.Tools.Duration)
	w.decisions("totalDecisions", &s.Tools.Decisions)
	w.open("byName")
	for i := range s.ByName {
		t := &s.ByName[i]
		w.open(t.Name)
		w.number("count", t.Calls)
		w.number("success", t.Success)
		w.number("fail", t.Fail)
		w.millis("durationMs", t.Duration)
		w.decisions("decisions", &t.Decisions)
		w.close()
	}
	w.close()
	w.close()
	w.open("files")
	w.number("totalLinesAdded", s.Lines.Added)
	w.number("totalLinesRemoved", s.Lines.Removed)
	if s.Files != (FileCounts{}) { // only Pollux counts them
		w.number("totalCreated", s.Files.Created)
		w.number("totalChanged", s.Files.Changed)
		w.number("totalDeleted", s.Files.Deleted)
	}
	if len(s.Paths) > 0 {
		w.paths(s.Paths)
	}
	if s.MorePaths > 0 {
		w.number("morePaths", s.MorePaths)
	}
	w.close()
	w.close()
	return w.b
}

// AppendStreamJSON appends the shorter "stats" object of the stream-json output format. It
// includes the cost of each model and the total cost. took is the duration of the run.
func (s *Snapshot) AppendStreamJSON(dst []byte, took time.Duration) []byte {
	var sum llm.Usage
	input := 0
	for i := range s.Models {
		t := &s.Models[i].API.Tokens
		sum.Total += t.Total
		sum.Prompt += t.Prompt
		sum.Candidates += t.Candidates
		sum.CachedContent += t.CachedContent
		input += uncached(t)
	}
	w := writer{b: append(dst, '{')}
	w.number("total_tokens", sum.Total)
	w.number("input_tokens", sum.Prompt)
	w.number("output_tokens", sum.Candidates)
	w.number("cached", sum.CachedContent)
	w.number("input", input)
	w.millis("duration_ms", took)
	w.number("tool_calls", s.Tools.Calls)
	w.open("models")
	for i := range s.Models {
		t := &s.Models[i].API.Tokens
		w.open(s.Models[i].Name)
		w.number("total_tokens", t.Total)
		w.number("input_tokens", t.Prompt)
		w.number("output_tokens", t.Candidates)
		w.number("cached", t.CachedContent)
		w.number("input", uncached(t))
		w.cost(s.Models[i].Cost)
		w.close()
	}
	w.close()
	w.cost(s.Cost())
	w.close()
	return w.b
}

// uncached returns the number of prompt tokens that were not read from a cache.
func uncached(u *llm.Usage) int { return max(0, u.Prompt-u.CachedContent) }

// writer appends nested JSON objects of numbers.
type writer struct {
	b     []byte
	comma bool // needed before the next member
}

func (w *writer) key(k string) {
	if w.comma {
		w.b = append(w.b, ',')
	}
	w.comma = true
	w.b = append(llm.AppendString(w.b, strings.ToValidUTF8(k, "\uFFFD")), ':')
}

// open starts an object as a member of the current one.
func (w *writer) open(key string) {
	w.key(key)
	w.b, w.comma = append(w.b, '{'), false
}

func (w *writer) close() { w.b, w.comma = append(w.b, '}'), true }

func (w *writer) number(key string, n int) {
	w.key(key)
	w.b = strconv.AppendInt(w.b, int64(n), 10)
}

func (w *writer) millis(key string, d time.Duration) { w.number(key, int(d.Milliseconds())) }

// paths writes the changed files.
func (w *writer) paths(list []tool.FileChange) {
	w.key("paths")
	w.b = append(w.b, '[')
	for i, f := range list {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b, w.comma = append(w.b, '{'), false
		w.text("path", f.Path)
		w.text("change", string(f.Change))
		if f.Added > 0 {
			w.number("linesAdded", f.Added)
		}
		if f.Removed > 0 {
			w.number("linesRemoved", f.Removed)
		}
		w.close()
	}
	w.b, w.comma = append(w.b, ']'), true
}

func (w *writer) text(key, text string) {
	w.key(key)
	w.b = llm.AppendString(w.b, strings.ToValidUTF8(text, "\uFFFD"))
}

// cost writes an amount in US dollars, rounded to millionths, or null.
func (w *writer) cost(usd *float64) {
	w.key("cost")
	if usd == nil || math.IsNaN(*usd) || math.IsInf(*usd, 0) { // possible if the user configured the price
		w.b = append(w.b, "null"...)
		return
	}
	w.b = strconv.AppendFloat(w.b, math.Round(*usd*1e6)/1e6, 'f', -1, 64)
}

func (w *writer) counts(a *API) {
	w.number("totalRequests", a.Requests)
	w.number("totalErrors", a.Errors)
	w.millis("totalLatencyMs", a.Latency)
}

func (w *writer) tokens(u *llm.Usage) {
	w.open("tokens")
	w.number("input", uncached(u))
	w.number("prompt", u.Prompt)
	w.number("candidates", u.Candidates)
	w.number("total", u.Total)
	w.number("cached", u.CachedContent)
	w.number("thoughts", u.Thoughts)
	w.number("tool", u.ToolUsePrompt)
	w.close()
}

func (w *writer) decisions(key string, d *Decisions) {
	w.open(key)
	w.number("accept", d.Accept)
	w.number("reject", d.Reject)
	w.number("modify", d.Modify)
	w.number("auto_accept", d.AutoAccept)
	w.close()
}
