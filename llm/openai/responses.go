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

// responsesBody returns the body of a request to the Responses interface, which
// is asked to keep nothing: thoughts come back encrypted and are sent again.
func (t *traits) responsesBody(req *llm.Request, stream bool) (*httpwire.Body, []string) {
	cfg := &req.Config
	b := httpwire.NewBody(16 + 6*len(req.Contents))
	b.Text(`{"model":`)
	b.Add(llm.AppendString(nil, req.Model))
	b.Text(`,"input":[`)
	w := &itemWriter{list{b: b, t: t}}
	said := t.instruction(cfg)
	if len(said) > 0 && t.SystemRole == "user" {
		w.next()
		b.Text(`{"role":"user","content":"`)
		chatwire.AddLines(b, said)
		b.Text(`"}`)
		said = nil
	}
	t.converse(req.Contents, w)
	b.Text(`]`)
	if len(said) > 0 {
		b.Text(`,"instructions":"`)
		chatwire.AddLines(b, said)
		b.Text(`"`)
	}
	o := options{Object: httpwire.Object{B: make([]byte, 0, 128), Open: true}, t: t}
	t.tools(b, &o, cfg)
	o.responses(cfg)
	if stream {
		o.Raw("stream", []byte(`true`))
	}
	b.Add(o.End())
	return b, o.sent
}

func (o *options) responses(cfg *llm.Config) {
	t := o.t
	if !isReasoner(t.model) || t.Sampling {
		o.float("temperature", cfg.Temperature)
		o.float("top_p", cfg.TopP)
	}
	if cfg.MaxOutputTokens > 0 {
		o.raw("max_output_tokens", strconv.AppendInt(nil, int64(max(cfg.MaxOutputTokens, 16)), 10)) // less is refused
	}
	switch {
	case !wantsJSON(cfg) || t.Schema == SchemaWords:
	case t.Schema == SchemaJSON && json.Valid(cfg.ResponseJSONSchema):
		f := append([]byte(`{"format":{"type":"json_schema","name":"answer","strict":false,"schema":`), cfg.ResponseJSONSchema...)
		o.raw("text", append(f, `}}`...))
	default:
		o.raw("text", []byte(`{"format":{"type":"json_object"}}`))
	}
	if mayThink(t.model) {
		r := httpwire.Object{}
		if k := cfg.Thinking; k != nil {
			if k.Level != "" || k.Budget != nil && *k.Budget >= 0 {
				r.String("effort", t.effort(k))
			}
			if k.IncludeThoughts && !t.noSummary {
				r.String("summary", "auto")
			}
		}
		if r.Open && t.Thinking != ThinkingNone {
			o.raw("reasoning", r.End())
		}
		if !t.noReasoningItems {
			o.raw("include", []byte(`["reasoning.encrypted_content"]`))
		}
	}
	o.raw("store", []byte(`false`))
	for name, value := range t.extras() {
		o.raw(name, value)
	}
}

// mayThink reports whether a model of this name may be one that thinks.
func mayThink(model string) bool {
	name := strings.ToLower(path.Base(model))
	return isReasoner(model) || !strings.HasPrefix(name, "gpt-") && !strings.HasPrefix(name, "chatgpt-")
}

// itemWriter writes items of the Responses interface.
type itemWriter struct{ list }

// Assistant implements [chatwire.Writer].
func (w *itemWriter) Assistant(pieces chatwire.Pieces) {
	for i := 0; i < len(pieces); i++ {
		w.next()
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
	w.next()
	w.b.Text(`{"type":"function_call_output","call_id":"`)
	w.b.Add(id)
	w.b.Text(`","output":"`)
	w.b.Add(text)
	w.b.Text(`"}`)
}

// User implements [chatwire.Writer].
func (w *itemWriter) User(pieces chatwire.Pieces, _ bool) {
	w.next()
	w.b.Text(`{"type":"message","role":"user","content":[`)
	addBlocks(w.b, pieces, `{"type":"input_text","text":"`)
	w.b.Text(`]}`)
}
