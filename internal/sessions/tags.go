package sessions

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/llm"
)

// Tags are conversations that a user has saved under a tag, in the files of Gemini CLI:
// checkpoint-<tag>.json.
type Tags struct {
	// Dir is the project's directory, tmp/<slug>; "" for a project that has none.
	Dir string
}

// Tag is a saved conversation.
type Tag struct {
	Name  string
	Saved time.Time
}

// Conversation is the content of a tag.
type Conversation struct {
	History []*llm.Content `json:"history"`
	// AuthType is the sign-in type of the model that wrote it, "" if it is unknown.
	AuthType string `json:"authType,omitempty"`
}

const (
	tagPrefix, tagSuffix = "checkpoint-", ".json"
	// maxTag is the maximum size of a saved conversation, in bytes.
	maxTag = 512 << 20
)

// ErrTagName is the error for a tag that no file can have as its name.
var ErrTagName = errors.New("the tag is too long")

func (t Tags) path(tag string) (string, error) {
	const longest = 255 // of a file name
	name := tagPrefix + encodeURIComponent(tag) + tagSuffix
	switch {
	case t.Dir == "":
		return "", fs.ErrNotExist
	case len(name) > longest:
		return "", ErrTagName
	}
	return filepath.Join(t.Dir, name), nil
}

// encodeURIComponent encodes a text as the function of JavaScript with this name does, so that it has no
// separator of paths.
func encodeURIComponent(s string) string {
	s = strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
	for _, c := range "!'()*" {
		s = strings.ReplaceAll(s, url.QueryEscape(string(c)), string(c))
	}
	return s
}

// Has reports whether there is a conversation with a tag.
func (t Tags) Has(tag string) bool {
	path, err := t.path(tag)
	if err != nil {
		return false
	}
	_, err = os.Lstat(path)
	return err == nil
}

// Save saves a conversation under a tag. It replaces an earlier one.
func (t Tags) Save(tag string, c Conversation) error {
	path, err := t.path(tag)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(c); err != nil {
		return err
	}
	if err := durable.MkdirAll(t.Dir, 0o700); err != nil {
		return durable.Cause(err)
	}
	return durable.WriteFile(path, b.Bytes(), 0o600)
}

// Load returns the conversation with a tag. The error is [fs.ErrNotExist] if there is none.
func (t Tags) Load(tag string) (Conversation, error) {
	var c Conversation
	path, err := t.path(tag)
	if err != nil {
		return c, err
	}
	data, err := durable.ReadFile(path, maxTag)
	if err != nil {
		return c, err
	}
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '[' { // of older versions
		err = json.Unmarshal(data, &c.History)
	} else {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return c, errors.New("the file is damaged")
	}
	c.History = cleaned(c.History)
	return c, nil
}

// cleaned returns the messages that have something in them, each of the user or the model.
func cleaned(history []*llm.Content) []*llm.Content {
	history = slices.DeleteFunc(history, func(m *llm.Content) bool { return m == nil || len(m.Parts) == 0 })
	for _, m := range history {
		if m.Role != llm.RoleModel {
			m.Role = llm.RoleUser
		}
	}
	return history
}

// Delete deletes the conversation with a tag. The error is [fs.ErrNotExist] if there is none.
func (t Tags) Delete(tag string) error {
	path, err := t.path(tag)
	if err != nil {
		return fs.ErrNotExist
	}
	return durable.Cause(os.Remove(path))
}

// List returns the tags, the oldest first.
func (t Tags) List() ([]Tag, error) {
	entries, err := os.ReadDir(t.Dir)
	if errors.Is(err, fs.ErrNotExist) || t.Dir == "" {
		return nil, nil
	}
	if err != nil {
		return nil, durable.Cause(err)
	}
	var list []Tag
	for _, e := range entries {
		name, isTag := strings.CutPrefix(e.Name(), tagPrefix)
		name, isFile := strings.CutSuffix(name, tagSuffix)
		info, err := e.Info()
		if !isTag || !isFile || err != nil || !info.Mode().IsRegular() {
			continue
		}
		if tag, err := url.PathUnescape(name); err == nil {
			list = append(list, Tag{Name: tag, Saved: info.ModTime()})
		}
	}
	slices.SortFunc(list, func(a, b Tag) int { return cmp.Or(a.Saved.Compare(b.Saved), strings.Compare(a.Name, b.Name)) })
	return list, nil
}
