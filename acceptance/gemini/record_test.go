//go:build unix

package gemini

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pollux/internal/scriptmodel"
)

// record returns the effects of a program in a scene, as JSON values: its output,
// files and requests. It removes values that differ from run to run, and the wording
// of texts.
//
//	runs[I].exit, .stdout, .stderr   standard output is a text, an object, or a
//	                                 list of events
//	files, home                      the contents of the project and of ~/.gemini at the end
//	requests[I]                      method, path, headers, body
func (g *stage) record(t *testing.T, outcomes []outcome) map[string]any {
	t.Helper()
	runs := []any{}
	for _, o := range outcomes {
		runs = append(runs, map[string]any{
			"exit": float64(o.exit), "stdout": g.output(o.out), "stderr": g.errors(o.stderr),
		})
	}
	requests, before, last := []any{}, []any(nil), map[string]string{}
	for _, r := range g.server.Requests() {
		request := g.request(t, r)
		body, _ := request["body"].(map[string]any)
		contents, _ := body["contents"].([]any)
		body["contents"] = newer(contents, before)
		requests, before = append(requests, request), contents
		for _, k := range []string{"tools", "systemInstruction", "generationConfig"} {
			if v := encoded(body[k]); last[k] == string(v) {
				body[k] = "as before"
			} else {
				last[k] = string(v)
			}
		}
	}
	return map[string]any{
		"runs": runs, "requests": requests,
		"files": g.files(tree(t, g.work)),
		"home":  g.state(tree(t, g.home)),
	}
}

// output is a value, the values of lines, or a text.
func (g *stage) output(text string) any {
	var list []any
	d := json.NewDecoder(strings.NewReader(text))
	for d.More() {
		var v map[string]any
		if d.Decode(&v) != nil {
			return g.text(text)
		}
		list = append(list, g.clean(v, nil))
	}
	switch len(list) {
	case 0:
		return ""
	case 1:
		if !strings.Contains(text, `"type":"init"`) {
			return list[0]
		}
	}
	return list
}

// errors returns the contents of standard error: a set of lines, and the JSON objects
// in it, without help behind a message and stack traces.
func (g *stage) errors(text string) any {
	lines, objects, traced := map[string]any{}, []any{}, false
	if before, _, ok := strings.Cut(text, "Usage: "); ok {
		text = before
	}
	for text != "" {
		if at := strings.TrimPrefix(text, "[ERROR] "); strings.HasPrefix(at, "{\n") {
			var v map[string]any
			d := json.NewDecoder(strings.NewReader(at))
			if d.Decode(&v) == nil {
				objects = append(objects, g.clean(v, nil))
				text = at[d.InputOffset():]
				continue
			}
		}
		var line string
		line, text, _ = strings.Cut(text, "\n")
		switch line = strings.TrimSpace(g.text(line)); {
		case strings.HasPrefix(line, "at ") && strings.Contains(line, ":"):
			traced = true
		case line == "", traced && regexp.MustCompile(`^[\]}{]+$|^\w+: .*[,\d{\[]$`).MatchString(line):
		default:
			lines[line] = true
			traced = false
		}
	}
	out := map[string]any{"lines": lines}
	if len(objects) > 0 {
		out["objects"] = objects
	}
	return out
}

func (g *stage) files(files map[string]string) any {
	all := map[string]any{}
	for name, text := range files {
		all[g.text(name)] = g.text(text)
	}
	return all
}

// state returns the files in the home directory: the names of the programs' own
// files, and the contents of the user's files.
func (g *stage) state(files map[string]string) any {
	all := map[string]any{}
	for name, text := range files {
		if strings.HasPrefix(name, ".gemini/history/project/undo/") {
			continue // Gemini CLI keeps no changes
		}
		switch {
		case strings.HasPrefix(name, ".gemini/tmp/"), strings.HasPrefix(name, ".gemini/history/"), name == ".gemini/installation_id":
			text = "…"
			name = regexp.MustCompile(`session-[0-9T-]+-[0-9a-f]{8}`).ReplaceAllString(name, "session-…")
			name = regexp.MustCompile(`_\d{13}_\d+`).ReplaceAllString(name, "_…")
		}
		all[g.text(name)] = g.text(text)
	}
	return all
}

// unheard are headers that every client's HTTP library sets as it likes.
var unheard = []string{"Accept", "Accept-Encoding", "Accept-Language", "Connection", "Content-Length", "Host", "Sec-Fetch-Mode"}

// newer are the contents of a request, after those that it has in common with the
// one before, which are only counted.
func newer(contents, before []any) any {
	n := 0
	for n < min(len(contents), len(before)) && bytes.Equal(encoded(contents[n]), encoded(before[n])) {
		n++
	}
	return map[string]any{"old": float64(n), "new": contents[n:]}
}

func (g *stage) request(t *testing.T, r scriptmodel.Request) map[string]any {
	t.Helper()
	headers := map[string]any{}
	for name := range r.Header {
		if !slices.Contains(unheard, name) {
			headers[name] = g.text(strings.Join(r.Header[http.CanonicalHeaderKey(name)], ", "))
		}
	}
	var body map[string]any
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Errorf("a request has no JSON object: %v", err)
	}
	if r.Problem != "" {
		headers["refused"] = r.Problem
	}
	body, _ = g.clean(body, nil).(map[string]any)
	if system, ok := body["systemInstruction"].(map[string]any); ok {
		body["systemInstruction"] = g.system(system)
	}
	if tools, ok := body["tools"].([]any); ok {
		body["tools"] = declared(tools)
	}
	return map[string]any{"path": r.Path, "headers": headers, "body": body}
}

// system keeps the user's part of a system instruction: the text of memory files.
func (g *stage) system(content map[string]any) any {
	var texts []string
	parts, _ := content["parts"].([]any)
	for _, p := range parts {
		text, _ := p.(map[string]any)["text"].(string)
		texts = append(texts, text)
	}
	text := strings.Join(texts, "")
	out := map[string]any{"role": content["role"], "parts": float64(len(parts))}
	if strings.Contains(text, "own system prompt") {
		out["text"] = text
	}
	if _, memory, ok := strings.Cut(text, "\n<loaded_context>\n"); ok {
		out["memory"], _, _ = strings.Cut(memory, "</loaded_context>")
	}
	for _, k := range listed.FindAllStringSubmatch(text, -1) {
		if name := k[1]; !slices.Contains(builtins, name) {
			skills, _ := out["skills"].(map[string]any)
			if skills == nil {
				skills = map[string]any{}
				out["skills"] = skills
			}
			skills[name] = map[string]any{"description": k[2], "location": k[3]}
		}
	}
	return out
}

// builtins are skills that are part of the programs.
var builtins = []string{"skill-creator", "antigravity-support"}

// listed matches a skill in a system instruction.
var listed = regexp.MustCompile(`<skill>\s*<name>(.*?)</name>\s*<description>(.*?)</description>\s*<location>(.*?)</location>\s*</skill>`)

// declared are the tools by name, without the words that describe them.
func declared(tools []any) any {
	out, order := map[string]any{}, []any{}
	for _, t := range tools {
		for kind, v := range t.(map[string]any) {
			functions, ok := v.([]any)
			if !ok {
				out[kind] = v
			}
			for _, f := range functions {
				f := f.(map[string]any)
				name, _ := f["name"].(string)
				f = undescribed(f).(map[string]any)
				delete(f, "name")
				out[name] = f
				order = append(order, name)
			}
		}
	}
	return map[string]any{"functions": out, "order": order, "lists": float64(len(tools))}
}

func undescribed(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if _, ok := e.(string); ok && k == "description" {
				continue
			}
			out[k] = undescribed(e)
		}
		return out
	case []any:
		for i, e := range v {
			v[i] = undescribed(e)
		}
	}
	return v
}

// clean removes the parts of a value that differ from run to run.
func (g *stage) clean(v any, at []string) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			out[k] = g.clean(e, append(at, k))
		}
		return out
	case []any:
		for i, e := range v {
			v[i] = g.clean(e, at)
		}
	case string:
		return g.text(v)
	case float64:
		switch name := at[len(at)-1]; {
		case strings.HasSuffix(name, "Ms"), name == "duration_ms":
			return "…ms"
		}
	}
	return v
}

var changing = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "…uuid"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`), "…time"},
	{regexp.MustCompile(`_\d{13}_\d+`), "_…ms"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "…model"},
	{regexp.MustCompile(`\b\d{13}\b`), "…ms"},
	{regexp.MustCompile(`(Process Group PGID|Background PIDs): [\d, ]+`), "$1: …"},
	{regexp.MustCompile(`x{1000,}`), "x…"},
	{regexp.MustCompile(`,\d{3} characters omitted`), ",… characters omitted"},
}

// text removes the parts of a text that differ from run to run, and between twins.
func (g *stage) text(s string) string {
	s = strings.NewReplacer(g.work, "$WORK", g.other, "$OTHER", g.home, "$HOME", g.tmp, "$TMP", g.root, "$ROOT").Replace(s)
	if at := strings.Index(s, "<session_context>"); at >= 0 {
		s = s[:at] + session(s[at:])
	}
	for _, c := range changing {
		s = c.what.ReplaceAllString(s, c.by)
	}
	return s
}

// session keeps the lists of the first message, and not the wording around them. Trees are
// drawn with spaces alone.
func session(s string) string {
	if strings.Contains(s, "───") {
		s = strings.NewReplacer("├───", "  ", "└───", "  ", "│   ", "  ", "    ", "  ").Replace(s)
	}
	var b strings.Builder
	rest := s
	for line := range strings.Lines(s) {
		rest = rest[len(line):]
		switch line := strings.TrimRight(line, "\n"); {
		case line == "<session_context>", strings.HasPrefix(line, "- **"), strings.HasPrefix(line, "  - "),
			strings.HasPrefix(line, " "), strings.HasPrefix(line, "$"):
			fmt.Fprintln(&b, line)
		case strings.HasPrefix(line, "<"):
			return b.String() + line + rest
		}
	}
	return b.String()
}

// difference is a place where the two are not the same.
type difference struct {
	path           string
	gemini, pollux any
}

// absent stands for a missing value.
type absent struct{}

func (absent) MarshalJSON() ([]byte, error) { return []byte(`"(absent)"`), nil }

// differences compares two values. Keys that are no words are quoted.
func differences(path string, a, b any) []difference {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			keys := slices.Sorted(maps.Keys(a))
			for k := range b {
				if _, both := a[k]; !both {
					keys = append(keys, k)
				}
			}
			slices.Sort(keys)
			var all []difference
			for _, k := range keys {
				x, y := or(a, k), or(b, k)
				if k == "order" && strings.HasSuffix(path, ".tools") {
					x, y = inBoth(x, y), inBoth(y, x)
				}
				all = append(all, differences(path+"."+key(k), x, y)...)
			}
			return all
		}
	case []any:
		if b, ok := b.([]any); ok {
			var all []difference
			for i := range max(len(a), len(b)) {
				var x, y any = absent{}, absent{}
				if i < len(a) {
					x = a[i]
				}
				if i < len(b) {
					y = b[i]
				}
				all = append(all, differences(fmt.Sprintf("%s[%d]", path, i), x, y)...)
			}
			return all
		}
	}
	x, y := encoded(a), encoded(b)
	if bytes.Equal(x, y) {
		return nil
	}
	return []difference{{strings.TrimPrefix(path, "."), a, b}}
}

// inBoth returns the items of a list that another list has, too: what only one has is a difference elsewhere.
func inBoth(list, other any) any {
	a, isList := list.([]any)
	b, isOther := other.([]any)
	if !isList || !isOther {
		return list
	}
	return slices.DeleteFunc(slices.Clone(a), func(item any) bool { return !slices.Contains(b, item) })
}

func or(m map[string]any, k string) any {
	if v, ok := m[k]; ok {
		return v
	}
	return absent{}
}

func key(k string) string {
	if regexp.MustCompile(`^[\w-]+$`).MatchString(k) {
		return k
	}
	return fmt.Sprintf("%q", k)
}

func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // decoded JSON can be encoded
	return bytes.TrimSpace(b.Bytes())
}
