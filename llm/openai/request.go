package openai

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// body returns the body of a request, and the names of the members that it could
// do without.
func (t *traits) body(req *llm.Request, stream bool) (*httpwire.Body, []string) {
	if t.protocol == Responses {
		return t.responsesBody(req, stream)
	}
	cfg := &req.Config
	b := httpwire.NewBody(16 + 7*len(req.Contents))
	b.Text(`{"model":`)
	b.Add(llm.AppendString(nil, req.Model))
	b.Text(`,"messages":[`)
	w := &chatWriter{b: b, t: t}
	w.system(t.instruction(cfg))
	t.converse(req.Contents, w)
	w.flushSystem()
	b.Text(`]`)
	o := options{Object: httpwire.Object{Open: true}, t: t}
	t.tools(b, &o, cfg)
	o.settings(cfg, stream)
	b.Add(o.End())
	return b, o.sent
}

// instruction returns the inside of a JSON string: what the model is told before
// all else.
func (t *traits) instruction(cfg *llm.Config) [][]byte {
	var all [][]byte
	if s := cfg.SystemInstruction; s != nil {
		if said := s.Encoded("openai/system", appendInstruction); len(said) > 0 {
			all = append(all, said)
		}
	}
	if t.Schema > SchemaJSON && len(cfg.ResponseJSONSchema) > 0 {
		all = append(all, appendInner(nil, "Answer with one JSON value and nothing else. It has to fit this JSON schema: "+string(cfg.ResponseJSONSchema)))
	} else if wantsJSON(cfg) && (t.Schema > SchemaJSON || len(cfg.ResponseJSONSchema) == 0) {
		all = append(all, appendInner(nil, "Answer with one JSON value and nothing else."))
	}
	return all
}

func appendInstruction(dst []byte, c *llm.Content) []byte {
	begun := false
	for i := range c.Parts {
		if c.Parts[i].Text == "" || c.Parts[i].Thought {
			continue
		}
		if begun {
			dst = append(dst, '\\', 'n')
		}
		begun = true
		dst = appendInner(dst, c.Parts[i].Text)
	}
	return dst
}

func wantsJSON(cfg *llm.Config) bool {
	return cfg.ResponseMIMEType == "application/json" || len(cfg.ResponseJSONSchema) > 0
}

// chatWriter writes messages of Chat Completions.
type chatWriter struct {
	b       *httpwire.Body
	t       *traits
	begun   bool
	pending [][]byte // of the system instruction: it goes into the first message of the user
}

func (w *chatWriter) next() {
	if w.begun {
		w.b.Text(`,`)
	}
	w.begun = true
}

// system writes the system instruction.
func (w *chatWriter) system(said [][]byte) {
	role := w.t.SystemRole
	switch {
	case len(said) == 0:
		return
	case role == "user":
		w.pending = said
		return
	case role == "":
		role = "system"
	}
	w.next()
	w.b.Text(`{"role":"`)
	w.b.Text(role)
	w.b.Text(`","content":"`)
	w.lines(said)
	w.b.Text(`"}`)
}

// flushSystem writes the system instruction where no message of the user took it.
func (w *chatWriter) flushSystem() {
	if len(w.pending) > 0 {
		w.next()
		w.b.Text(`{"role":"user","content":"`)
		w.lines(w.pending)
		w.b.Text(`"}`)
		w.pending = nil
	}
}

// lines writes the insides of strings as lines of one.
func (w *chatWriter) lines(inner [][]byte) {
	for i, s := range inner {
		if i > 0 {
			w.b.Text(`\n`)
		}
		w.b.Add(s)
	}
}

func (w *chatWriter) assistant(pieces []piece) {
	w.next()
	texts, calls, thoughts := 0, 0, 0
	for i := range pieces {
		switch pieces[i].kind {
		case text:
			texts++
		case call:
			calls++
		case thought:
			thoughts++
		}
	}
	switch {
	case texts > 0:
		w.b.Text(`{"role":"assistant","content":"`)
		w.join(pieces, text, `\n`)
		w.b.Text(`"`)
	case w.t.EmptyContent:
		w.b.Text(`{"role":"assistant","content":""`)
	default:
		w.b.Text(`{"role":"assistant","content":null`)
	}
	if thoughts > 0 {
		w.b.Text(`,"`)
		w.b.Text(w.t.ReasoningOut)
		if w.t.ReasoningOut == "reasoning_details" {
			w.b.Text(`":[`)
			w.join(pieces, thought, `,`)
			w.b.Text(`]`)
		} else {
			w.b.Text(`":"`)
			w.join(pieces, thought, ``)
			w.b.Text(`"`)
		}
	}
	if calls > 0 {
		w.b.Text(`,"tool_calls":[{"id":"`)
		w.join(pieces, call, `,{"id":"`)
		w.b.Text(`]`)
	}
	w.b.Text(`}`)
}

// join writes the pieces of a kind.
func (w *chatWriter) join(pieces []piece, k kind, between string) {
	first := true
	for i := range pieces {
		if pieces[i].kind != k {
			continue
		}
		if !first {
			w.b.Text(between)
		}
		first = false
		w.b.Add(pieces[i].id)
		w.b.Add(pieces[i].data)
	}
}

func (w *chatWriter) result(id, text []byte) {
	w.next()
	w.b.Text(`{"role":"tool","tool_call_id":"`)
	w.b.Add(id)
	w.b.Text(`","content":"`)
	w.b.Add(text)
	w.b.Text(`"}`)
}

func (w *chatWriter) user(pieces []piece, afterResults bool) {
	if afterResults && w.t.AnswerAfterTool {
		w.next()
		w.b.Text(`{"role":"assistant","content":"I have the results."}`)
	}
	w.next()
	if !slices.ContainsFunc(pieces, func(p piece) bool { return p.kind == media }) {
		w.b.Text(`{"role":"user","content":"`)
		if len(w.pending) > 0 {
			w.lines(w.pending)
			w.b.Text(`\n\n`)
			w.pending = nil
		}
		w.join(pieces, text, `\n`)
		w.b.Text(`"}`)
		return
	}
	w.b.Text(`{"role":"user","content":[`)
	if len(w.pending) > 0 {
		w.b.Text(`{"type":"text","text":"`)
		w.lines(w.pending)
		w.b.Text(`"},`)
		w.pending = nil
	}
	for i := range pieces {
		if i > 0 {
			w.b.Text(`,`)
		}
		if pieces[i].kind == media {
			w.b.Add(pieces[i].data)
			continue
		}
		w.b.Text(`{"type":"text","text":"`)
		w.b.Add(pieces[i].data)
		w.b.Text(`"}`)
	}
	w.b.Text(`]}`)
}

// tools writes the tools, those alone that may be called where only some may,
// and what is said about their use.
func (t *traits) tools(b *httpwire.Body, o *options, cfg *llm.Config) {
	var allowed []string
	mode := ""
	if c := cfg.ToolConfig; c != nil {
		mode = strings.ToUpper(c.Mode)
		if mode == "ANY" {
			allowed = c.Allowed
		}
	}
	choose := !t.drops("tool_choice")
	if t.NoTools || t.drops("tools") || mode == "NONE" && !choose {
		return
	}
	open := false
	key, encode := "openai/tools", appendTools
	if t.protocol == Responses {
		key, encode = "openai/responses/tools", appendResponsesTools
	}
	for _, set := range cfg.Tools {
		record := set.Encoded(key, encode)
		for i := 0; len(record) > 0; i++ {
			var p piece
			p, record = nextPiece(record)
			if len(allowed) > 0 && !slices.Contains(allowed, set.Functions[i].Name) {
				continue
			}
			if open {
				b.Text(`,`)
			} else {
				b.Text(`,"tools":[`)
				open = true
			}
			b.Add(p.data)
		}
	}
	if !open {
		return
	}
	b.Text(`]`)
	o.sent = append(o.sent, "tools")
	if choice := t.toolChoice(mode, allowed); choice != "" && choose {
		o.raw("tool_choice", []byte(choice))
	}
}

func (t *traits) toolChoice(mode string, allowed []string) string {
	switch {
	case mode == "AUTO":
		return `"auto"`
	case mode == "NONE":
		return `"none"`
	case mode != "ANY":
		return ""
	case len(allowed) != 1:
		return `"required"`
	case t.protocol == Responses:
		return `{"type":"function","name":"` + wireName(allowed[0]) + `"}`
	}
	return `{"type":"function","function":{"name":"` + wireName(allowed[0]) + `"}}`
}

// appendTools appends a record with a piece for each function.
func appendTools(dst []byte, set *llm.ToolSet) []byte {
	for i := range set.Functions {
		start := len(dst)
		dst = beginPiece(dst, call, "")
		dst = append(appendFunction(append(dst, `{"type":"function","function":`...), &set.Functions[i], ""), '}')
		dst = endPiece(dst, start)
	}
	return dst
}

func appendFunction(dst []byte, f *llm.FunctionDeclaration, kind string) []byte {
	o := httpwire.Object{B: dst}
	o.String("type", kind)
	o.String("name", wireName(f.Name))
	o.String("description", f.Description)
	o.Raw("parameters", plainSchema(f.Parameters))
	return o.End()
}

// options writes the members of a body that are not messages or tools.
type options struct {
	httpwire.Object
	t    *traits
	sent []string // the names of those
}

// raw writes a member unless the service does not take it.
func (o *options) raw(name string, value []byte) {
	if len(value) > 0 && !o.t.drops(name) {
		o.Raw(name, value)
		o.sent = append(o.sent, name)
	}
}

func (o *options) float(name string, v *float64) {
	if v != nil {
		o.raw(name, strconv.AppendFloat(nil, *v, 'g', -1, 64))
	}
}

func (o *options) settings(cfg *llm.Config, stream bool) {
	reasons := isReasoner(o.t.model)
	if !reasons || o.t.Sampling {
		o.float("temperature", cfg.Temperature)
		o.float("top_p", cfg.TopP)
	}
	if o.t.TopK {
		o.float("top_k", cfg.TopK)
	}
	o.float("presence_penalty", cfg.PresencePenalty)
	o.float("frequency_penalty", cfg.FrequencyPenalty)
	if len(cfg.StopSequences) > 0 {
		stop, _ := json.Marshal(cfg.StopSequences) // strings can be marshalled
		o.raw("stop", stop)
	}
	if cfg.Seed != nil {
		o.raw("seed", strconv.AppendInt(nil, int64(*cfg.Seed), 10))
	}
	if cfg.MaxOutputTokens > 0 {
		o.raw(o.t.maxTokens(), strconv.AppendInt(nil, int64(cfg.MaxOutputTokens), 10))
	}
	o.format(cfg)
	o.thinking(cfg.Thinking, stream)
	for name, value := range o.t.extras() {
		o.raw(name, value)
	}
	if stream {
		o.Raw("stream", []byte(`true`))
		o.raw("stream_options", []byte(`{"include_usage":true}`))
	}
}

// extras yields the members that are always sent.
func (t *traits) extras() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, name := range slices.Sorted(maps.Keys(t.Extra)) {
			if json.Valid(t.Extra[name]) && !yield(name, t.Extra[name]) {
				return
			}
		}
	}
}

func (t *traits) maxTokens() string {
	switch {
	case t.MaxTokens != "":
		return t.MaxTokens
	case isReasoner(t.model):
		return "max_completion_tokens"
	}
	return "max_tokens"
}

// format asks for an answer in JSON.
func (o *options) format(cfg *llm.Config) {
	switch {
	case !wantsJSON(cfg) || o.t.Schema == SchemaWords:
	case o.t.Schema == SchemaJSON && json.Valid(cfg.ResponseJSONSchema):
		f := append([]byte(`{"type":"json_schema","json_schema":{"name":"answer","strict":false,"schema":`), cfg.ResponseJSONSchema...)
		o.raw("response_format", append(f, `}}`...))
	default:
		o.raw("response_format", []byte(`{"type":"json_object"}`))
	}
}

// plainSchema returns a tool's schema with the flaws mended that some services
// refuse: none at all, types in capitals, numbers as strings.
func plainSchema(schema json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, schema) != nil || b.Len() == 0 || b.Bytes()[0] != '{' {
		return []byte(`{"type":"object","properties":{}}`)
	}
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var value map[string]any
	if d.Decode(&value) != nil {
		return []byte(`{"type":"object","properties":{}}`)
	}
	flawed := false
	if value["type"] == nil {
		value["type"], flawed = "object", true
	}
	if value["type"] == "object" && value["properties"] == nil {
		value["properties"], flawed = map[string]any{}, true
	}
	if mend(value) || flawed {
		if mended, err := json.Marshal(value); err == nil {
			return mended
		}
	}
	return b.Bytes() // as its author ordered it
}

// mend mends a schema in place and reports whether it had to.
func mend(schema map[string]any) (mended bool) {
	for key, v := range schema {
		switch key {
		case "type":
			if s, ok := v.(string); ok && s != strings.ToLower(s) {
				schema[key], mended = strings.ToLower(s), true
			}
		case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems",
			"minProperties", "maxProperties":
			if s, ok := v.(string); ok && json.Valid([]byte(s)) {
				if _, err := strconv.ParseFloat(s, 64); err == nil {
					schema[key], mended = json.Number(s), true
				}
			}
		case "properties", "patternProperties", "$defs", "definitions":
			if members, ok := v.(map[string]any); ok {
				for _, m := range members {
					if m, ok := m.(map[string]any); ok && mend(m) {
						mended = true
					}
				}
			}
		case "items", "additionalProperties", "not":
			if m, ok := v.(map[string]any); ok && mend(m) {
				mended = true
			}
		case "anyOf", "oneOf", "allOf", "prefixItems":
			if list, ok := v.([]any); ok {
				for _, m := range list {
					if m, ok := m.(map[string]any); ok && mend(m) {
						mended = true
					}
				}
			}
		}
	}
	return mended
}
