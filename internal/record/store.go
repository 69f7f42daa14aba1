package record

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"pollux/agent"
	"pollux/internal/durable"
	"pollux/internal/guard"
	"pollux/internal/journal"
	"pollux/internal/project"
	"pollux/internal/sessions"
	"pollux/internal/usage"
	"pollux/llm"
	"pollux/tool"
)

// chats returns the directory of the project's session files, and makes its parent the project's.
func (r *Record) chats() (string, error) {
	temp, err := r.project.Paths.ProjectTemp()
	return filepath.Join(temp, "chats"), err
}

// Store returns the project's sessions. It creates nothing.
func (r *Record) Store() *sessions.Store {
	dir := r.project.Paths.ExistingProjectTemp()
	if dir == "" {
		return &sessions.Store{}
	}
	return &sessions.Store{Dir: filepath.Join(dir, "chats")}
}

// UsageSources returns the sessions of this project, or of all projects, for statistics. They include the
// records of this session so far.
func (r *Record) UsageSources(all bool) []usage.Source {
	if !all {
		return []usage.Source{{Project: r.project.Options.Dir, Store: r.Store()}}
	}
	return usage.All(r.project.Paths)
}

// Tags returns the conversations that the user has saved in this project.
func (r *Record) Tags() sessions.Tags {
	return sessions.Tags{Dir: r.project.Paths.ExistingProjectTemp()}
}

// List returns the recorded sessions of the project, also the current one, by the time of their start. It may be
// called during a run.
func (r *Record) List(ctx context.Context) ([]sessions.Info, error) { return r.Store().List(ctx) }

// SaveTag saves a conversation under a tag, for [Record.LoadTag] and for Gemini CLI. authType is how the provider
// of the conversation is reached.
func (r *Record) SaveTag(tag, authType string, history []agent.Message) error {
	dir, err := r.project.Paths.ProjectTemp() // the first call makes it the project's
	if err != nil {
		return err
	}
	c := sessions.Conversation{AuthType: authType}
	for _, m := range history {
		c.History = append(c.History, m.Content)
	}
	return sessions.Tags{Dir: dir}.Save(tag, c)
}

// LoadTag returns the conversation with a tag, without the message that opened it. Signatures of thoughts go only
// to the provider that they are from, which authType is compared with.
func (r *Record) LoadTag(tag, authType string) ([]agent.Message, error) {
	c, err := r.Tags().Load(tag)
	if err != nil {
		return nil, err
	}
	if c.AuthType != "" && c.AuthType != authType {
		for i, content := range c.History {
			c.History[i] = withoutSignatures(content)
		}
	}
	return Foreign(c.History), nil
}

// Foreign returns a conversation of Gemini CLI, without the message that opened it. Each call has a result.
func Foreign(contents []*llm.Content) []agent.Message {
	var history []agent.Message
	for _, content := range contents {
		m := agent.Message{Content: content, IsPrompt: content.Role == llm.RoleUser && !content.HasFunctionResponse()}
		if !journal.IsContext(m) {
			history = append(history, m)
		}
	}
	return journal.Valid(history)
}

func withoutSignatures(c *llm.Content) *llm.Content {
	parts := slices.Clone(c.Parts)
	for i := range parts {
		parts[i].ThoughtSignature = ""
	}
	return &llm.Content{Role: c.Role, Parts: slices.DeleteFunc(parts, func(p llm.Part) bool { return p.IsEmpty() })}
}

// SyncStep returns the step that writes to the disk all that led to a call which may change something, before the
// call runs.
func SyncStep(j *journal.Journal) guard.Step {
	return guard.Step{Before: func(_ context.Context, call *agent.PreparedCall) error {
		switch call.Tool().Spec().Kind {
		case tool.KindRead, tool.KindSearch, tool.KindThink, tool.KindFetch:
			return nil
		}
		_ = j.Sync() // the journal warns, and the call may run without a record
		return nil
	}}
}

// Outputs keeps tool output that is too large for the model in files of the conversation.
type Outputs struct {
	Project *project.Project
	// ID returns the id of the conversation.
	ID func() string

	files durable.Numbered
}

// Dir returns the directory of the files, and makes it a project's.
func (o *Outputs) Dir() (string, error) {
	temp, err := o.Project.Paths.ProjectTemp()
	if err != nil {
		return "", err
	}
	return filepath.Join(temp, "tool-outputs", "session-"+o.ID()), nil
}

// Create creates a file that the model can read, and opens it for writing. It has the given name, which may be any
// string, and the next free number.
func (o *Outputs) Create(name string) (*os.File, error) {
	dir, err := o.Dir()
	if err != nil {
		return nil, err
	}
	f, err := o.files.Create(dir, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return o.files.Create(dir, name)
}

// Save writes tool output to a file of [Outputs.Create], and returns its path. The session has the output, too: the
// file need not outlive the loss of power.
func (o *Outputs) Save(name, text string) (string, error) {
	f, err := o.Create(name)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = cmp.Or(err, f.Close()); err != nil {
		_ = os.Remove(f.Name()) // the first error counts
		return "", err
	}
	return f.Name(), nil
}
