package journal

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-faster/jx"

	"pollux/agent"
	"pollux/llm"
)

// record is a message of a session file.
type record struct {
	id, kind string // kind is user, gemini, info, error or warning
	time     time.Time
	parts    []llm.Part // the content
	shown    string     // displayContent
	isPrompt *bool      // nil if the record does not have it
	thoughts []agent.Thought
	usage    *llm.Usage
	model    string
	calls    []callJSON
}

// decodeRecord decodes a message.
func decodeRecord(data []byte) (*record, error) {
	r := &record{}
	err := decodeObject(data, func(d *jx.Decoder, key string) error { return r.member(d, key) })
	if err == nil && r.id == "" {
		err = fmt.Errorf("a message without an id")
	}
	return r, err
}

// decodeObject calls member for each member of an object that is not null.
func decodeObject(data []byte, member func(d *jx.Decoder, key string) error) error {
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(data)
	if err := eachMember(d, member); err != nil {
		return err
	}
	return noMore(d)
}

// noMore returns an error if something follows a value.
func noMore(d *jx.Decoder) error {
	if d.Next() != jx.Invalid {
		return fmt.Errorf("text after the end of the record")
	}
	return nil
}

func eachMember(d *jx.Decoder, member func(d *jx.Decoder, key string) error) error {
	return d.ObjBytes(func(d *jx.Decoder, key []byte) error {
		if d.Next() == jx.Null {
			return d.Skip()
		}
		return member(d, string(key))
	})
}

func (r *record) member(d *jx.Decoder, key string) (err error) {
	switch key {
	case "id":
		return text(d, &r.id)
	case "type":
		return text(d, &r.kind)
	case "timestamp":
		return instant(d, &r.time)
	case "model":
		return text(d, &r.model)
	case "content":
		r.parts, err = parts(d)
		return err
	case "displayContent":
		shown, err := parts(d)
		r.shown = llm.PartsText(shown)
		return err
	case "isPrompt":
		if d.Next() != jx.Bool {
			return d.Skip()
		}
		is, err := d.Bool()
		r.isPrompt = &is
		return err
	case "thoughts":
		return value(d, &r.thoughts, func(d *jx.Decoder, t *agent.Thought) error {
			return eachMember(d, func(d *jx.Decoder, key string) error {
				switch key {
				case "subject":
					return text(d, &t.Subject)
				case "description":
					return text(d, &t.Description)
				case "timestamp":
					return instant(d, &t.Time)
				}
				return d.Skip()
			})
		})
	case "tokens":
		return r.decodeUsage(d)
	case "toolCalls":
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		return json.Unmarshal(raw, &r.calls)
	}
	return d.Skip()
}

// value decodes an array of objects. It skips other values.
func value[T any](d *jx.Decoder, to *[]T, one func(d *jx.Decoder, v *T) error) error {
	if d.Next() != jx.Array {
		return d.Skip()
	}
	return d.Arr(func(d *jx.Decoder) error {
		if d.Next() != jx.Object {
			return d.Skip()
		}
		var v T
		err := one(d, &v)
		*to = append(*to, v)
		return err
	})
}

func (r *record) decodeUsage(d *jx.Decoder) error {
	if d.Next() != jx.Object {
		return d.Skip()
	}
	u := &llm.Usage{}
	r.usage = u
	return eachMember(d, func(d *jx.Decoder, key string) error {
		to := map[string]*int{
			"input": &u.Prompt, "output": &u.Candidates, "cached": &u.CachedContent, "thoughts": &u.Thoughts, "tool": &u.ToolUsePrompt,
			"total": &u.Total, "cacheWrite": &u.CacheWrite,
		}[key]
		if to == nil {
			return d.Skip()
		}
		return number(d, to)
	})
}

// number decodes a number that is not negative, and skips other values.
func number(d *jx.Decoder, to *int) error {
	if d.Next() != jx.Number {
		return d.Skip()
	}
	n, err := d.Float64()
	*to = int(min(max(n, 0), 1<<40))
	return err
}

func text(d *jx.Decoder, to *string) (err error) {
	if d.Next() != jx.String {
		return d.Skip()
	}
	*to, err = d.Str()
	return err
}

// instant decodes a time; other values are the zero time.
func instant(d *jx.Decoder, to *time.Time) error {
	var s string
	err := text(d, &s)
	*to, _ = time.Parse(time.RFC3339, s)
	return err
}

func parts(d *jx.Decoder) ([]llm.Part, error) {
	raw, err := d.Raw()
	if err != nil {
		return nil, err
	}
	return llm.ParseParts(raw)
}

// set is the content of a record with new values of the header.
type set struct {
	Header
	Start    string `json:"startTime"`
	Updated  string `json:"lastUpdated"`
	messages []*record
}

// applyTo sets the members that the record has.
func (s *set) applyTo(h *Header) {
	assign := func(to *string, v string) {
		if v != "" {
			*to = v
		}
	}
	assign(&h.SessionID, s.SessionID)
	assign(&h.ProjectHash, s.ProjectHash)
	assign(&h.Kind, s.Kind)
	assign(&h.Summary, s.Summary)
	assign(&h.ForkOf, s.ForkOf)
	if s.Directories != nil {
		h.Directories = s.Directories
	}
	if s.SkillFolders != nil {
		h.SkillFolders = s.SkillFolders
	}
	if s.Pollux > 0 {
		h.Pollux = s.Pollux
	}
	if s.Copied > 0 {
		h.Copied = s.Copied
	}
	if t, err := time.Parse(time.RFC3339, s.Start); err == nil {
		h.Start = t
	}
	if t, err := time.Parse(time.RFC3339, s.Updated); err == nil {
		h.Updated = t
	}
}

// decodeSet decodes {"$set": ...}.
func decodeSet(data []byte) (*set, error) {
	var s *set
	err := decodeObject(data, func(d *jx.Decoder, key string) error {
		if key != "$set" {
			return d.Skip()
		}
		raw, err := d.Raw()
		if err == nil {
			s, err = decodeMembers(raw)
		}
		return err
	})
	if err == nil && s == nil {
		err = fmt.Errorf("a record without $set")
	}
	return s, err
}

// decodeHeader decodes the first record of a file, or a whole file of an older version, with the
// messages in it.
func decodeHeader(data []byte) (*set, []*record, error) {
	s, err := decodeMembers(data)
	if err != nil {
		return nil, nil, err
	}
	return s, s.messages, nil
}

func decodeMembers(data []byte) (*set, error) {
	s := &set{}
	var messages jx.Raw
	err := decodeObject(data, func(d *jx.Decoder, key string) (err error) {
		if key == "messages" {
			messages, err = d.Raw()
			return err
		}
		return s.member(d, key)
	})
	if err != nil || messages == nil {
		return s, err
	}
	s.messages, err = decodeMessages(messages)
	return s, err
}

// member decodes a member other than the messages.
func (s *set) member(d *jx.Decoder, key string) (err error) {
	switch key {
	case "sessionId":
		return text(d, &s.SessionID)
	case "projectHash":
		return text(d, &s.ProjectHash)
	case "startTime":
		return text(d, &s.Start)
	case "lastUpdated":
		return text(d, &s.Updated)
	case "kind":
		return text(d, &s.Kind)
	case "summary":
		return text(d, &s.Summary)
	case "forkOf":
		return text(d, &s.ForkOf)
	case "pollux":
		return number(d, &s.Pollux)
	case "copied":
		return number(d, &s.Copied)
	case "directories":
		raw, err := d.Raw()
		if err == nil {
			_ = json.Unmarshal(raw, &s.Directories) // else none
		}
		return err
	case "skillFolders":
		raw, err := d.Raw()
		if err == nil {
			_ = json.Unmarshal(raw, &s.SkillFolders) // else none
		}
		return err
	}
	return d.Skip()
}

// decodeMessages decodes a list of messages. It leaves out those that cannot be read.
func decodeMessages(list []byte) ([]*record, error) {
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(list)
	if d.Next() != jx.Array {
		return nil, nil
	}
	var records []*record
	err := d.Arr(func(d *jx.Decoder) error {
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		if r, err := decodeRecord(raw); err == nil {
			records = append(records, r)
		}
		return nil
	})
	return records, err
}
