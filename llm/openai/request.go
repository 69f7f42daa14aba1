package openai

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"

	"pollux/llm"
	"pollux/llm/chatwire"
	"pollux/llm/httpwire"
)

// requestBody returns the body of a request, and the names of its optional
// members.
func (t *traits) requestBody(req *llm.Request, stream bool) (*httpwire.Body, []string) {
	if t.Protocol == Responses {
		return t.responsesBody(req, stream)
	}
	cfg := &req.Config
	b := httpwire.NewBody(16 + 7*len(req.Contents))
	b.Text(`{"model":`)
	b.Add(llm.AppendString(nil, req.Model))
	b.Text(`,"messages":[`)
	w := &chatWriter{listWriter: listWriter{b: b, t: t, usedIDs: make(idSet, len(req.Contents)/2)}}
	w.writeSystem(t.instructions(cfg))
	t.writeConversation(req.Contents, w)
	w.flushSystem()
	b.Text(`]`)
	o := memberWriter{Object: httpwire.Object{B: make([]byte, 0, 128), Open: true}, t: t}
	t.writeTools(b, &o, cfg)
	o.addSettings(cfg, stream)
	b.Add(o.End())
	return b, o.names
}

// instructions returns the system instruction as escaped JSON string contents,
// one per paragraph.
func (t *traits) instructions(cfg *llm.Config) [][]byte {
	var all [][]byte
	if system := chatwire.Instruction(cfg.SystemInstruction); len(system) > 0 {
		all = append(all, system)
	}
	if wantsJSON(cfg) && (t.Schema > SchemaJSON || len(cfg.ResponseJSONSchema) == 0) {
		all = append(all, chatwire.JSONInstruction(cfg.ResponseJSONSchema))
	}
	if t.NoThink != "" && isThinkingOff(cfg.Thinking) {
		all = append(all, chatwire.AppendInner(nil, t.NoThink))
	}
	return all
}

func wantsJSON(cfg *llm.Config) bool {
	return cfg.ResponseMIMEType == "application/json" || len(cfg.ResponseJSONSchema) > 0
}

// memberWriter writes the members of a body other than messages and tools.
type memberWriter struct {
	httpwire.Object
	t     *traits
	names []string // members written
}

// add writes a member unless the service does not accept it.
func (o *memberWriter) add(name string, value []byte) {
	if len(value) > 0 && !o.t.isDropped(name) {
		o.Raw(name, value)
		o.names = append(o.names, name)
	}
}

func (o *memberWriter) addFloat(name string, v *float64) {
	if v != nil {
		o.add(name, strconv.AppendFloat(nil, *v, 'g', -1, 64))
	}
}

func (o *memberWriter) addSettings(cfg *llm.Config, stream bool) {
	if !isReasoningModel(o.t.model) || o.t.Sampling {
		o.addFloat("temperature", cfg.Temperature)
		o.addFloat("top_p", cfg.TopP)
		o.addFloat("presence_penalty", cfg.PresencePenalty)
		o.addFloat("frequency_penalty", cfg.FrequencyPenalty)
		if len(cfg.StopSequences) > 0 {
			stop, _ := json.Marshal(cfg.StopSequences) // strings always marshal
			o.add("stop", stop)
		}
	}
	if o.t.TopK {
		o.addFloat("top_k", cfg.TopK)
	}
	if cfg.Seed != nil {
		o.add("seed", strconv.AppendInt(nil, int64(*cfg.Seed), 10))
	}
	if cfg.MaxOutputTokens > 0 {
		o.add(o.t.maxTokensMember(), strconv.AppendInt(nil, int64(cfg.MaxOutputTokens), 10))
	}
	o.addFormat(cfg)
	o.addThinking(cfg.Thinking, stream)
	for name, value := range o.t.extras() {
		o.add(name, value)
	}
	if stream {
		o.Raw("stream", []byte(`true`))
		o.add("stream_options", []byte(`{"include_usage":true}`))
	}
}

// extras yields the members of [Quirks.Extra] in sorted order.
func (t *traits) extras() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, name := range slices.Sorted(maps.Keys(t.Extra)) {
			if json.Valid(t.Extra[name]) && !yield(name, t.Extra[name]) {
				return
			}
		}
	}
}

func (t *traits) maxTokensMember() string {
	if t.MaxTokens == "" && isReasoningModel(t.model) {
		return "max_completion_tokens"
	}
	return cmp.Or(t.MaxTokens, "max_tokens")
}

// addFormat requests JSON output if cfg does.
func (o *memberWriter) addFormat(cfg *llm.Config) {
	switch {
	case !wantsJSON(cfg) || o.t.Schema == SchemaWords:
	case o.t.Schema == SchemaJSON && json.Valid(cfg.ResponseJSONSchema):
		f := append([]byte(`{"type":"json_schema","json_schema":{"name":"answer","strict":false,"schema":`), cfg.ResponseJSONSchema...)
		o.add("response_format", append(f, `}}`...))
	default:
		o.add("response_format", []byte(`{"type":"json_object"}`))
	}
}
