package ollama

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

// question is a request for an answer, and what is in it that may be refused.
type question struct {
	body   *httpwire.Body
	load   int // tokens that the prompt has at the least, see load
	tools  bool
	images bool
	schema bool   // the answer is to fit one
	think  string // as it is sent; "" for not at all
}

// question returns a request as it is sent to m.
func (m *model) question(req *llm.Request, stream bool) question {
	cfg := &req.Config
	q := question{body: httpwire.NewBody(24 + 10*len(req.Contents))}
	b := q.body
	b.Text(`{"model":`)
	b.Add(llm.AppendString(nil, req.Model))
	b.Text(`,"messages":[`)
	w := &messages{b: b}
	w.system(m.instruction(cfg))
	m.converse(req.Contents, w)
	b.Text(`]`)
	q.images = w.images > 0
	q.tools = writeTools(b, cfg)
	q.load = load(b.Size()-int64(w.pixels), w.images)

	o := httpwire.Object{B: make([]byte, 0, 128), Open: true}
	o.Raw("format", m.format(cfg, &q))
	q.think = m.think(cfg)
	o.Raw("think", []byte(q.think))
	// Both make a server that knows them say that its window is full, where it
	// would forget the beginning of the conversation.
	o.Raw("truncate", []byte(`false`))
	o.Raw("shift", []byte(`false`))
	o.Raw("options", m.settings(cfg))
	o.Raw("stream", strconv.AppendBool(nil, stream))
	b.Add(o.End())
	return q
}

// load is how many tokens a prompt has at the very least: one that is larger than
// a window certainly does not fit. Of text a token is three to four and a half
// bytes, in English and in Chinese; an image is some hundreds to thousands.
func load(text int64, images int) int { return int(text/5) + 256*images }

// instruction returns what the model is told before all else, as the insides of
// JSON strings.
func (m *model) instruction(cfg *llm.Config) [][]byte {
	var all [][]byte
	if said := chatwire.Instruction(cfg.SystemInstruction); len(said) > 0 {
		all = append(all, said)
	}
	if m.plain && len(cfg.ResponseJSONSchema) > 0 {
		all = append(all, chatwire.AskForJSON(cfg.ResponseJSONSchema))
	}
	return all
}

// writeTools writes the tools, those alone that may be called where only some
// may, and reports whether there are any. That one has to be called cannot be said.
func writeTools(b *httpwire.Body, cfg *llm.Config) bool {
	var allowed []string
	if c := cfg.ToolConfig; c != nil {
		switch strings.ToUpper(c.Mode) {
		case "NONE":
			return false
		case "ANY":
			allowed = c.Allowed
		}
	}
	return chatwire.AddTools(b, cfg.Tools, allowed, "ollama/tools", appendTool)
}

// format asks for an answer in JSON.
func (m *model) format(cfg *llm.Config, q *question) []byte {
	schema := bytes.TrimSpace(cfg.ResponseJSONSchema)
	switch {
	case len(schema) > 0 && schema[0] == '{' && json.Valid(schema) && !m.plain:
		q.schema = true
		return schema
	case len(schema) > 0 || cfg.ResponseMIMEType == "application/json":
		return []byte(`"json"`)
	}
	return nil
}

// think says whether, or how much, to think; "" leaves it to the server.
func (m *model) think(cfg *llm.Config) string {
	k := cfg.Thinking
	asked := k != nil && (k.Level != "" || k.Budget != nil && *k.Budget >= 0)
	switch {
	case m.thinks == catalog.No:
		return ""
	case !asked:
		// A model that thinks does so by itself; told to, its server keeps the
		// thoughts out of the text. A forced form leaves no room for them.
		forced := len(cfg.ResponseJSONSchema) > 0 || cfg.ResponseMIMEType != ""
		if m.thinks == catalog.Yes && !m.levels && !forced {
			return "true"
		}
		return ""
	}
	level := strings.ToLower(k.Level)
	if level == "" {
		switch {
		case *k.Budget == 0:
			level = "none"
		case *k.Budget <= 1024:
			level = "low"
		case *k.Budget <= 8192:
			level = "medium"
		}
	}
	if !m.levels {
		return strconv.FormatBool(level != "none")
	}
	switch level {
	case "none", "minimal", "low": // it cannot be told not to
		return `"low"`
	case "medium":
		return `"medium"`
	}
	return `"high"`
}

// settings are the options of a request.
func (m *model) settings(cfg *llm.Config) []byte {
	o := httpwire.Object{}
	if !m.remote {
		o.Int("num_ctx", m.window)
	}
	o.Int("num_predict", cfg.MaxOutputTokens)
	o.Float("temperature", cfg.Temperature)
	o.Float("top_p", cfg.TopP)
	if cfg.TopK != nil {
		o.Int("top_k", int(*cfg.TopK))
	}
	o.Float("presence_penalty", cfg.PresencePenalty)
	o.Float("frequency_penalty", cfg.FrequencyPenalty)
	o.Strings("stop", cfg.StopSequences)
	if cfg.Seed != nil {
		o.Raw("seed", strconv.AppendInt(nil, int64(*cfg.Seed), 10))
	}
	return o.End()
}
