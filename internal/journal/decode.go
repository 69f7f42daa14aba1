package journal

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
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
	// isTracked is set of a response with calls of which those that may change something have a record when they begin.
	isTracked bool
	begun     int // index of a call that begins, of a begunRecord
}

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
	return decodeRaw(data, func(d *jx.Decoder) error { return eachMember(d, member) })
}

// decodeRaw calls read for the only value in data.
func decodeRaw(data []byte, read func(d *jx.Decoder) error) error {
	d := jx.GetDecoder()
	defer jx.PutDecoder(d)
	d.ResetBytes(data)
	if err := read(d); err != nil {
		return err
	}
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
		r.isPrompt = new(bool)
		return truth(d, r.isPrompt)
	case "tracked":
		return truth(d, &r.isTracked)
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
		if d.Next() != jx.Object {
			return d.Skip()
		}
		u := &llm.Usage{}
		r.usage = u
		return numbers(d, map[string]*int{
			"input": &u.Prompt, "output": &u.Candidates, "cached": &u.CachedContent, "thoughts": &u.Thoughts, "tool": &u.ToolUsePrompt,
			"total": &u.Total, "cacheWrite": &u.CacheWrite,
		})
	case "toolCalls":
		return value(d, &r.calls, func(d *jx.Decoder, c *callJSON) error {
			return eachMember(d, func(d *jx.Decoder, key string) error { return c.member(d, key) })
		})
	}
	return d.Skip()
}

// member decodes a member of a call. Values of other types than theirs are left out.
func (c *callJSON) member(d *jx.Decoder, key string) (err error) {
	switch key {
	case "id":
		return text(d, &c.ID)
	case "name":
		return text(d, &c.Name)
	case "status":
		return text(d, &c.Status)
	case "timestamp":
		return instant(d, &c.Timestamp)
	case "agentId":
		return text(d, &c.AgentID)
	case "description":
		return text(d, &c.Description)
	case "renderOutputAsMarkdown":
		is := true
		c.IsMarkdown = &is
		return truth(d, &is)
	case "durationMs":
		n := 0
		err = number(d, &n)
		c.Millis = int64(n)
		return err
	case "hasRun":
		return truth(d, &c.HasRun)
	case "interrupted":
		return truth(d, &c.IsInterrupted)
	}
	raw, err := d.Raw()
	if err != nil {
		return err
	}
	switch key {
	case "args":
		c.Args = slices.Clone([]byte(raw))
	case "result":
		c.Result = slices.Clone([]byte(raw))
	case "resultDisplay":
		_ = json.Unmarshal(raw, &c.Display) // else none
	case "executions":
		_ = json.Unmarshal(raw, &c.Executions) // those that it can read
	}
	return nil
}

// truth decodes a boolean. It skips other values.
func truth(d *jx.Decoder, to *bool) (err error) {
	if d.Next() != jx.Bool {
		return d.Skip()
	}
	*to, err = d.Bool()
	return err
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

// numbers decodes the members of an object that are in to.
func numbers(d *jx.Decoder, to map[string]*int) error {
	return eachMember(d, func(d *jx.Decoder, key string) error {
		if to[key] == nil {
			return d.Skip()
		}
		return number(d, to[key])
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
	messages []*record
	begun    *int // index of a call of the last response that begins, nil for none
}

// applyTo sets the members that the record has.
func (s *set) applyTo(h *Header) {
	h.SessionID = cmp.Or(s.SessionID, h.SessionID)
	h.ProjectHash = cmp.Or(s.ProjectHash, h.ProjectHash)
	h.Kind = cmp.Or(s.Kind, h.Kind)
	h.Summary = cmp.Or(s.Summary, h.Summary)
	h.ForkOf = cmp.Or(s.ForkOf, h.ForkOf)
	h.Pollux = cmp.Or(s.Pollux, h.Pollux)
	h.Copied = cmp.Or(s.Copied, h.Copied)
	h.Start = cmp.Or(s.Start, h.Start)
	h.Updated = cmp.Or(s.Updated, h.Updated)
	if s.Directories != nil {
		h.Directories = s.Directories
	}
	if s.SkillFolders != nil {
		h.SkillFolders = s.SkillFolders
	}
}

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

// decodeMembers decodes the first record of a file, or a whole file of an older version, with the
// messages in it.
func decodeMembers(data []byte) (*set, error) {
	s := &set{}
	err := decodeObject(data, func(d *jx.Decoder, key string) (err error) {
		if key == "messages" {
			s.messages = nil
			return eachMessage(d, func(r *record) { s.messages = append(s.messages, r) })
		}
		return s.member(d, key)
	})
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
		return instant(d, &s.Start)
	case "lastUpdated":
		return instant(d, &s.Updated)
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
	case "begun":
		s.begun = new(int)
		return number(d, s.begun)
	case "directories", "skillFolders":
		to := map[string]*[]string{"directories": &s.Directories, "skillFolders": &s.SkillFolders}[key]
		raw, err := d.Raw()
		if err == nil {
			_ = json.Unmarshal(raw, to) // else none
		}
		return err
	}
	return d.Skip()
}

// eachMessage calls add for each message of a list. It leaves out those that cannot be read.
func eachMessage(d *jx.Decoder, add func(*record)) error {
	if d.Next() != jx.Array {
		return d.Skip()
	}
	return d.Arr(func(d *jx.Decoder) error {
		raw, err := d.Raw()
		if err != nil {
			return err
		}
		if r, err := decodeRecord(raw); err == nil {
			add(r)
		}
		return nil
	})
}
