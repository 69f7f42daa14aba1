package sessions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/llm"
)

// Checkpoints are the files of Gemini CLI about calls that change a file: each has the conversation before the call, and the
// commit of a snapshot of the project.
type Checkpoints struct {
	// Dir is tmp/<slug>/checkpoints; "" for a project that has none.
	Dir string
}

// Checkpoint is the content of such a file.
type Checkpoint struct {
	History   []*llm.Content // to the response with the call
	Tool      string
	Args      json.RawMessage
	Commit    string // "" for no snapshot
	MessageID string // of the prompt
}

// checkpointFile is the form of a file.
type checkpointFile struct {
	Items    []shownItem    `json:"history"` // as Gemini CLI shows them
	History  []*llm.Content `json:"clientHistory"`
	ToolCall struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"toolCall"`
	Commit    string `json:"commitHash,omitempty"`
	MessageID string `json:"messageId,omitempty"`
}

// shownItem is an entry of the conversation on Gemini CLI's screen.
type shownItem struct {
	ID   int    `json:"id"`
	Type string `json:"type"`
	Text string `json:"text"`
}

const checkpointSuffix = ".json"

// ErrCheckpoint is the error for a file that is no checkpoint. Its text goes on with the reason.
var ErrCheckpoint = errors.New("checkpoint file is invalid")

// NameCheckpoint returns the name of the checkpoint of a call that changes a file.
func NameCheckpoint(at time.Time, file, tool string) string {
	const most = 100 // bytes
	stamp := strings.NewReplacer(":", "-", ".", "_").Replace(at.UTC().Format("2006-01-02T15:04:05.000Z"))
	base := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, path.Base(filepath.ToSlash(file)))
	return stamp + "-" + strings.ToValidUTF8(base[:min(len(base), most)], "") + "-" + tool
}

// List returns the names of the checkpoints, the oldest first. It reads none of them.
func (c Checkpoints) List() (names []string, err error) {
	if c.Dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(c.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries { // sorted, and each begins with its time
		if name, ok := strings.CutSuffix(e.Name(), checkpointSuffix); ok && e.Type().IsRegular() {
			names = append(names, name)
		}
	}
	return names, durable.Cause(err)
}

// Load reads a checkpoint. The error is [fs.ErrNotExist] if there is none, and [ErrCheckpoint] for a damaged one.
func (c Checkpoints) Load(name string) (*Checkpoint, error) {
	names, err := c.List()
	switch {
	case err != nil:
		return nil, err
	case !slices.Contains(names, name): // so that a name is no path
		return nil, fs.ErrNotExist
	}
	data, err := durable.ReadFile(filepath.Join(c.Dir, name+checkpointSuffix), maxTag)
	if err != nil {
		return nil, err
	}
	return parseCheckpoint(data)
}

func parseCheckpoint(data []byte) (*Checkpoint, error) {
	var f struct {
		checkpointFile
		Items json.RawMessage `json:"history"` // of which Pollux has no use
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%w: it is no JSON of this form", ErrCheckpoint)
	}
	isHex := func(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'f' }
	args := bytes.TrimSpace(f.ToolCall.Args)
	switch {
	case f.ToolCall.Name == "":
		return nil, fmt.Errorf("%w: toolCall has no name", ErrCheckpoint)
	case len(args) > 0 && args[0] != '{':
		return nil, fmt.Errorf("%w: the args of toolCall are no object", ErrCheckpoint)
	case f.Commit != "" && (len(f.Commit) < 7 || strings.ContainsFunc(f.Commit, func(r rune) bool { return !isHex(r) })):
		return nil, fmt.Errorf("%w: commitHash is no commit", ErrCheckpoint)
	}
	return &Checkpoint{History: cleaned(f.History), Tool: f.ToolCall.Name, Args: f.ToolCall.Args, Commit: f.Commit, MessageID: f.MessageID}, nil
}

// Save writes a checkpoint.
func (c Checkpoints) Save(name string, p *Checkpoint) error {
	f := checkpointFile{Items: shownItems(p.History), History: p.History, Commit: p.Commit, MessageID: p.MessageID}
	f.ToolCall.Name, f.ToolCall.Args = p.Tool, p.Args
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(f); err != nil {
		return err
	}
	if err := durable.MkdirAll(c.Dir, 0o700); err != nil {
		return durable.Cause(err)
	}
	return durable.WriteFile(filepath.Join(c.Dir, name+checkpointSuffix), b.Bytes(), 0o600)
}

// shownItems returns the texts of a conversation.
func shownItems(history []*llm.Content) []shownItem {
	items := []shownItem{}
	for _, m := range history {
		text := llm.PartsText(m.Parts)
		if text == "" || m.Role == llm.RoleUser && strings.HasPrefix(text, "<session_context>") { // which no one has typed
			continue
		}
		kind := "user"
		if m.Role == llm.RoleModel {
			kind = "gemini"
		}
		items = append(items, shownItem{len(items) + 1, kind, text})
	}
	return items
}
