package openai

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"

	"pollux/llm"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

// body returns the body of a request, and the names of the members that it could
// do without.
func (t *traits) body(req *llm.Request, stream bool) (*httpwire.Body, []string) {
	if t.Protocol == Responses {
		return t.responsesBody(req, stream)
	}
	cfg := &req.Config
	b := httpwire.NewBody(16 + 7*len(req.Contents))
	b.Text(`{"model":`)
	b.Add(llm.AppendString(nil, req.Model))
	b.Text(`,"messages":[`)
	w := &chatWriter{list: list{b: b, t: t}}
	w.system(t.instruction(cfg))
	t.converse(req.Contents, w)
	w.flushSystem()
	b.Text(`]`)
	o := options{Object: httpwire.Object{B: make([]byte, 0, 128), Open: true}, t: t}
	t.tools(b, &o, cfg)
	o.settings(cfg, stream)
	b.Add(o.End())
	return b, o.sent
}

// instruction returns what the model is told before all else, as the insides of
// JSON strings.
func (t *traits) instruction(cfg *llm.Config) [][]byte {
	var all [][]byte
	if said := chatwire.Instruction(cfg.SystemInstruction); len(said) > 0 {
		all = append(all, said)
	}
	if wantsJSON(cfg) && (t.Schema > SchemaJSON || len(cfg.ResponseJSONSchema) == 0) {
		all = append(all, chatwire.AskForJSON(cfg.ResponseJSONSchema))
	}
	if t.NoThink != "" && off(cfg.Thinking) {
		all = append(all, chatwire.AppendInner(nil, t.NoThink))
	}
	return all
}

func wantsJSON(cfg *llm.Config) bool {
	return cfg.ResponseMIMEType == "application/json" || len(cfg.ResponseJSONSchema) > 0
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
	if !isReasoner(o.t.model) || o.t.Sampling {
		o.float("temperature", cfg.Temperature)
		o.float("top_p", cfg.TopP)
		o.float("presence_penalty", cfg.PresencePenalty)
		o.float("frequency_penalty", cfg.FrequencyPenalty)
		if len(cfg.StopSequences) > 0 {
			stop, _ := json.Marshal(cfg.StopSequences) // strings can be marshalled
			o.raw("stop", stop)
		}
	}
	if o.t.TopK {
		o.float("top_k", cfg.TopK)
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
