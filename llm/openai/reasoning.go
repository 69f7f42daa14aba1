package openai

import (
	"bytes"
	"encoding/json"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// reasoning gathers what a model wants back of its thoughts besides their words.
type reasoning struct {
	details []*detail
	size    int // of all details that came
}

// detail is an element of reasoning_details; what words it has by now are apart.
type detail struct {
	members map[string]json.RawMessage
	words   map[string][]byte
}

// addDetails takes in a piece of reasoning_details. Pieces of one detail have its
// type and index, and may come between those of another; they stay in the order
// in which they began.
func (k *reasoning) addDetails(raw []byte) {
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
			d = &detail{members: make(map[string]json.RawMessage, len(members)), words: make(map[string][]byte, 1)}
			k.details = append(k.details, d)
		}
		for name, v := range members {
			switch {
			case (name == "text" || name == "summary") && len(v) > 0 && v[0] == '"':
				d.words[name] = append(d.words[name], str(v)...)
			case d.members[name] == nil || string(v) != "null":
				d.members[name] = v
			}
		}
	}
}

// find returns the detail that a piece belongs to, nil for a new one. Only the
// last few can still go on.
func (k *reasoning) find(piece map[string]json.RawMessage) *detail {
	if piece["type"] == nil || piece["data"] != nil { // what is encrypted comes whole
		return nil
	}
	const few = 32
	for i := len(k.details) - 1; i >= max(0, len(k.details)-few); i-- {
		d := k.details[i].members
		if bytes.Equal(d["type"], piece["type"]) && bytes.Equal(d["index"], piece["index"]) && d["data"] == nil {
			return k.details[i]
		}
		if piece["index"] == nil { // only the last
			return nil
		}
	}
	return nil
}

// list returns the details as JSON.
func (k *reasoning) list() ([]byte, error) {
	list := make([]map[string]json.RawMessage, len(k.details))
	for i, d := range k.details {
		for name, words := range d.words {
			d.members[name] = llm.AppendString(nil, string(words))
		}
		list[i] = d.members
	}
	return json.Marshal(list)
}

// signature is what is kept of the thoughts, "" for nothing. Without details that
// is their words.
func (k *reasoning) signature(t *traits, words string) string {
	o := httpwire.Object{}
	switch {
	case t.Protocol != Chat:
	case t.ReasoningOut == "reasoning_details" && len(k.details) > 0:
		if raw, err := k.list(); err == nil {
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
