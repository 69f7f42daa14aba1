package openai

import (
	"bytes"
	"encoding/json"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// reasoningDetails assembles the reasoning_details of a response, which
// OpenRouter requires back in later requests.
type reasoningDetails struct {
	details []*detail
	size    int // bytes received
}

// detail is an element of reasoning_details. Its text members are kept apart
// while pieces arrive.
type detail struct {
	members map[string]json.RawMessage
	texts   map[string][]byte
}

// add adds a reasoning_details array of a chunk. Pieces of one detail have the
// same type and index, and may be interleaved with pieces of others. Details
// keep the order in which they began.
func (k *reasoningDetails) add(raw []byte) {
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return
	}
	k.size += len(raw)
	for _, members := range list {
		if len(members) == 0 {
			continue
		}
		d := k.find(members)
		if d == nil {
			d = &detail{members: make(map[string]json.RawMessage, len(members)), texts: make(map[string][]byte, 1)}
			k.details = append(k.details, d)
		}
		for name, v := range members {
			switch {
			case (name == "text" || name == "summary") && len(v) > 0 && v[0] == '"':
				d.texts[name] = append(d.texts[name], jsonText(v)...)
			case d.members[name] == nil || string(v) != "null":
				d.members[name] = v
			}
		}
	}
}

// find returns the detail that piece continues, or nil if it begins a new one.
// It searches only the last few details.
func (k *reasoningDetails) find(piece map[string]json.RawMessage) *detail {
	if piece["type"] == nil || piece["data"] != nil { // encrypted details arrive complete
		return nil
	}
	const maxOpenDetails = 32
	for i := len(k.details) - 1; i >= max(0, len(k.details)-maxOpenDetails); i-- {
		d := k.details[i].members
		if bytes.Equal(d["type"], piece["type"]) && bytes.Equal(d["index"], piece["index"]) && d["data"] == nil {
			return k.details[i]
		}
		if piece["index"] == nil { // only the last detail can continue
			return nil
		}
	}
	return nil
}

func (k *reasoningDetails) marshal() ([]byte, error) {
	list := make([]map[string]json.RawMessage, len(k.details))
	for i, d := range k.details {
		for name, words := range d.texts {
			d.members[name] = llm.AppendString(nil, string(words))
		}
		list[i] = d.members
	}
	return json.Marshal(list)
}

// signature returns the thought signature to store with the response, or "" if
// there is none. It holds the details, or the text of the thoughts if the model
// has no details.
func (k *reasoningDetails) signature(t *traits, words string) string {
	o := httpwire.Object{}
	switch {
	case t.Protocol != Chat:
	case t.ReasoningOut == "reasoning_details" && len(k.details) > 0:
		if raw, err := k.marshal(); err == nil {
			o.Raw("reasoning_details", raw)
		}
	case t.ReasoningOut != "reasoning_details":
		o.String("text", words)
	}
	if !o.Open {
		return ""
	}
	return llm.Signed(t.vendor, string(o.End()))
}
