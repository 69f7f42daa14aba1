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

// chatRequest is a request to /api/chat, and which optional parts it contains.
type chatRequest struct {
	body            *httpwire.Body
	minPromptTokens int // lower bound, see minTokens
	hasTools        bool
	hasImages       bool
	last            *llm.Content
	hasSchema       bool   // the response must match a schema
	think           string // the JSON value sent, "" for none
}

func (m *model) newRequest(req *llm.Request, stream bool) chatRequest {
	cfg := &req.Config
	q := chatRequest{body: httpwire.NewBody(24 + 10*len(req.Contents))}
	if n := len(req.Contents); n > 0 {
		q.last = req.Contents[n-1]
	}
	b := q.body
	b.Text(`{"model":`)
	b.Add(llm.AppendString(nil, req.Model))
	b.Text(`,"messages":[`)
	w := &messageWriter{b: b}
	w.writeSystem(m.instructions(cfg))
	m.writeConversation(req.Contents, w)
	b.Text(`]`)
	q.hasImages = w.imageCount > 0
	q.hasTools = writeTools(b, cfg)
	q.minPromptTokens = minTokens(b.Size()-int64(w.imageBytes), w.imageCount)

	o := httpwire.Object{B: make([]byte, 0, 128), Open: true}
	o.Raw("format", m.format(cfg, &q))
	q.think = m.thinkValue(cfg)
	o.Raw("think", []byte(q.think))
	// With these, current servers report a full window instead of dropping the
	// beginning of the conversation.
	o.Raw("truncate", []byte(`false`))
	o.Raw("shift", []byte(`false`))
	o.Raw("options", m.options(cfg))
	o.Raw("stream", strconv.AppendBool(nil, stream))
	b.Add(o.End())
	return q
}

// minTokens returns a lower bound for the tokens of a prompt with the given
// bytes of text and number of images. A token of text is three to four and a
// half bytes in English and Chinese; an image is hundreds to thousands of
// tokens.
func minTokens(text int64, images int) int { return int(text/5) + 256*images }

// instructions returns the system instruction as escaped JSON string contents,
// one per paragraph.
func (m *model) instructions(cfg *llm.Config) [][]byte {
	var all [][]byte
	if system := chatwire.Instruction(cfg.SystemInstruction); len(system) > 0 {
		all = append(all, system)
	}
	if m.schemaInText && len(cfg.ResponseJSONSchema) > 0 {
		all = append(all, chatwire.JSONInstruction(cfg.ResponseJSONSchema))
	}
	return all
}

// writeTools writes the tools that may be called, and reports whether there are
// any. The protocol has no way to require a call.
func writeTools(b *httpwire.Body, cfg *llm.Config) bool {
	if cfg.CallMode() == "NONE" {
		return false
	}
	return chatwire.AddTools(b, cfg.OfferedTools(), "ollama/tools", appendTool)
}

// format returns the JSON value that requests JSON output, or nil.
func (m *model) format(cfg *llm.Config, q *chatRequest) []byte {
	schema := bytes.TrimSpace(cfg.ResponseJSONSchema)
	switch {
	case len(schema) > 0 && schema[0] == '{' && json.Valid(schema) && !m.schemaInText:
		q.hasSchema = true
		return schema
	case len(schema) > 0 || cfg.ResponseMIMEType == "application/json":
		return []byte(`"json"`)
	}
	return nil
}

// thinkValue returns the JSON value for how much to think, or "" to leave it to
// the server.
func (m *model) thinkValue(cfg *llm.Config) string {
	k := cfg.Thinking
	isSet := k != nil && (k.Level != "" || k.Budget != nil && *k.Budget >= 0)
	switch {
	case m.thinkingSupport == catalog.No:
		return ""
	case !isSet:
		// Such a model always thinks; with true, the server separates the
		// thoughts from the text. They cannot appear in a fixed output format.
		isFormatForced := len(cfg.ResponseJSONSchema) > 0 || cfg.ResponseMIMEType != ""
		if m.thinkingSupport == catalog.Yes && !m.hasLevels && !isFormatForced {
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
	if !m.hasLevels {
		return strconv.FormatBool(level != "none")
	}
	switch level {
	case "none", "minimal", "low": // these models cannot turn thinking off
		return `"low"`
	case "medium":
		return `"medium"`
	}
	return `"high"`
}

func (m *model) options(cfg *llm.Config) []byte {
	o := httpwire.Object{}
	if !m.isRemote {
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
