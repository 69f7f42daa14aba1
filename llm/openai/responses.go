package openai

import (
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"pollux/llm"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

// responsesBody returns the body of a Responses request and the names of its
// optional members. The service is asked not to store anything: it returns
// thoughts encrypted, and later requests include them.
func (t *traits) responsesBody(req *llm.Request, stream bool) (*httpwire.Body, []string) {
	cfg := &req.Config
	b := httpwire.NewBody(16 + 6*len(req.Contents))
	b.Text(`{"model":`)
	b.Add(llm.AppendString(nil, req.Model))
	b.Text(`,"input":[`)
	w := &itemWriter{listWriter{b: b, t: t, usedIDs: make(idSet, len(req.Contents)/2)}}
	instructions := t.instructions(cfg)
	if len(instructions) > 0 && t.SystemRole == "user" {
		w.beginElement()
		b.Text(`{"role":"user","content":"`)
		chatwire.AddLines(b, instructions)
		b.Text(`"}`)
		instructions = nil
	}
	t.writeConversation(req.Contents, w)
	b.Text(`]`)
	if len(instructions) > 0 {
		b.Text(`,"instructions":"`)
		chatwire.AddLines(b, instructions)
		b.Text(`"`)
	}
	o := memberWriter{Object: httpwire.Object{B: make([]byte, 0, 128), Open: true}, t: t}
	t.writeTools(b, &o, cfg)
	o.addResponsesSettings(cfg)
	if stream {
		o.Raw("stream", []byte(`true`))
	}
	b.Add(o.End())
	return b, o.names
}

func (o *memberWriter) addResponsesSettings(cfg *llm.Config) {
	t := o.t
	if !isReasoningModel(t.model) || t.Sampling {
		o.addFloat("temperature", cfg.Temperature)
		o.addFloat("top_p", cfg.TopP)
	}
	if cfg.MaxOutputTokens > 0 {
		o.add("max_output_tokens", strconv.AppendInt(nil, int64(max(cfg.MaxOutputTokens, 16)), 10)) // the service rejects less
	}
	switch {
	case !wantsJSON(cfg) || t.Schema == SchemaWords:
	case t.Schema == SchemaJSON && json.Valid(cfg.ResponseJSONSchema):
		f := append([]byte(`{"format":{"type":"json_schema","name":"answer","strict":false,"schema":`), cfg.ResponseJSONSchema...)
		o.add("text", append(f, `}}`...))
	default:
		o.add("text", []byte(`{"format":{"type":"json_object"}}`))
	}
	if mayReason(t.model) {
		r := httpwire.Object{}
		if k := cfg.Thinking; k != nil {
			if k.Level != "" || k.Budget != nil && *k.Budget >= 0 {
				r.String("effort", t.effort(k))
			}
			if k.IncludeThoughts && !t.refusesSummary {
				r.String("summary", "auto")
			}
		}
		if r.Open && t.Thinking != ThinkingNone {
			o.add("reasoning", r.End())
		}
		if !t.refusesReasoningItems {
			o.add("include", []byte(`["reasoning.encrypted_content"]`))
		}
	}
	o.add("store", []byte(`false`))
	for name, value := range t.extras() {
		o.add(name, value)
	}
}

// mayReason reports whether model may be a reasoning model, judged by its name.
func mayReason(model string) bool {
	name := strings.ToLower(path.Base(model))
	return isReasoningModel(model) || !strings.HasPrefix(name, "gpt-") && !strings.HasPrefix(name, "chatgpt-")
}

// itemWriter writes the items of a Responses request.
type itemWriter struct{ listWriter }

// Assistant implements [chatwire.Writer].
func (w *itemWriter) Assistant(pieces chatwire.Pieces) {
	for i := 0; i < len(pieces); i++ {
		w.beginElement()
		switch p := pieces[i]; p.Kind {
		case chatwire.Thought:
			w.b.Add(p.Data)
		case chatwire.Call:
			w.b.Text(`{"type":"function_call","call_id":"`)
			w.b.Add(p.ID)
			w.b.Add(p.Data)
		default:
			w.b.Text(`{"type":"message","role":"assistant","content":"`)
			w.b.Add(p.Data)
			for i+1 < len(pieces) && pieces[i+1].Kind == chatwire.Text {
				i++
				w.b.Text(`\n`)
				w.b.Add(pieces[i].Data)
			}
			w.b.Text(`"}`)
		}
	}
}

// Result implements [chatwire.Writer].
func (w *itemWriter) Result(id, _, text []byte) {
	w.beginElement()
	w.b.Text(`{"type":"function_call_output","call_id":"`)
	w.b.Add(id)
	w.b.Text(`","output":"`)
	w.b.Add(text)
	w.b.Text(`"}`)
}

// User implements [chatwire.Writer].
func (w *itemWriter) User(pieces chatwire.Pieces, _ bool) {
	w.beginElement()
	w.b.Text(`{"type":"message","role":"user","content":[`)
	addBlocks(w.b, pieces, `{"type":"input_text","text":"`)
	w.b.Text(`]}`)
}
