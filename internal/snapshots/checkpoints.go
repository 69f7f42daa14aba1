package snapshots

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/guard"
	"pollux/internal/project"
	"pollux/internal/secret"
	"pollux/internal/sessions"
	"pollux/internal/undo"
	"pollux/internal/undo/shadow"
	"pollux/internal/undo/store"
	"pollux/internal/wording"
	"pollux/llm"
)

// Checkpoints are files about edits and snapshots of the project in git, which Gemini CLI has made or can use. Undo needs
// none of them.
type Checkpoints struct {
	project   *project.Project
	snapshots *Snapshots // nil if nothing is to be undone
	messages  func() []agent.Message

	mu         sync.Mutex
	repository *shadow.Repository
	isWarned   bool
}

// OpenCheckpoints returns the checkpoints of a session. messages returns the conversation. It reads and writes nothing.
func OpenCheckpoints(p *project.Project, s *Snapshots, messages func() []agent.Message) *Checkpoints {
	return &Checkpoints{project: p, snapshots: s, messages: messages}
}

// Steps returns the steps of the gate around each call: one that makes a checkpoint before each edit, if the user wants that.
func (c *Checkpoints) Steps() []guard.Step {
	if !config.Checkpointing.In(c.project.Settings()) {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.open(); err != nil { // the person can change that before there is something to lose
		c.warn(err)
		return nil
	}
	return []guard.Step{{Before: c.before}}
}

// edits are the tools before whose calls Gemini CLI makes checkpoints.
var edits = []string{"replace", "write_file"}

// before makes a checkpoint before an edit. The edit runs also if it fails: undo does not need it.
func (c *Checkpoints) before(ctx context.Context, call *agent.PreparedCall) error {
	written := call.Call()
	if !slices.Contains(edits, call.Tool().Spec().Name) || written.FromClient {
		return nil
	}
	if err := c.make(ctx, call.Tool().Spec().Name, written.PromptID, call.Args()); err != nil && ctx.Err() == nil {
		c.project.Log.Warn("no checkpoint", "call", written.ID, "error", err)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.warn(err)
	}
	return nil
}

func (c *Checkpoints) make(ctx context.Context, tool, promptID string, args json.RawMessage) error {
	var a struct {
		FilePath string `json:"file_path"`
	}
	if err := json.Unmarshal(args, &a); err != nil || a.FilePath == "" {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.project.Paths.ProjectTemp(); err != nil { // makes it the project's
		return err
	}
	r, err := c.open()
	if err != nil {
		return err
	}
	commit, err := r.Snapshot(ctx, "Snapshot for "+tool)
	if err != nil {
		return err
	}
	var history []*llm.Content
	for _, m := range c.messages() {
		history = append(history, m.Content)
	}
	return c.Files().Save(sessions.NameCheckpoint(time.Now(), a.FilePath, tool), &sessions.Checkpoint{
		History: history, Tool: tool, Args: args, Commit: commit, MessageID: promptID,
	})
}

// warn says once why there are no checkpoints. The caller holds mu.
func (c *Checkpoints) warn(err error) {
	if c.isWarned {
		return
	}
	c.isWarned = true
	if errors.Is(err, shadow.ErrNoGit) {
		c.project.Warn("Checkpointing is enabled, but Git is not installed. Please install Git or disable checkpointing to continue.")
		return
	}
	c.project.Warn("Failed to initialize checkpointing: " + wording.Reason(err) + ". Please check that Git is working properly or disable checkpointing.")
}

// Files returns the files of the project.
func (c *Checkpoints) Files() sessions.Checkpoints {
	files, _ := c.project.Paths.Checkpoints()
	return sessions.Checkpoints{Dir: files}
}

// open opens the repository. The caller holds mu.
func (c *Checkpoints) open() (*shadow.Repository, error) {
	if c.repository != nil {
		return c.repository, nil
	}
	p := c.project
	_, dir := p.Paths.Checkpoints()
	r, err := shadow.Open(shadow.Options{
		Dir: dir, Tree: p.Paths.Dir(), Home: p.Paths.Home(), Launcher: p.Launcher, Environ: secret.Without(p.Env().User().List(), p.SecretVariables()),
	})
	if err == nil && dir != "" {
		c.repository = r
	}
	return r, err
}

// List returns the names of the checkpoints in files, the oldest first.
func (c *Checkpoints) List() ([]string, error) { return c.Files().List() }

// ChangesOf returns the paths that a return to a checkpoint in a file changes.
func (c *Checkpoints) ChangesOf(ctx context.Context, name string) ([]shadow.Change, error) {
	p, err := c.Files().Load(name)
	if err != nil || p.Commit == "" {
		return nil, err
	}
	return c.Changes(ctx, p.Commit)
}

// Changes returns the paths that a return to a snapshot changes.
func (c *Checkpoints) Changes(ctx context.Context, commit string) ([]shadow.Change, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, err := c.open()
	if err != nil {
		return nil, err
	}
	return r.Changes(ctx, commit)
}

// Restore returns the files to a snapshot, as a change that undo can take back. title describes it.
func (c *Checkpoints) Restore(ctx context.Context, commit, title string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, err := c.open()
	if err != nil {
		return err
	}
	return c.snapshots.keep(ctx, title, func() error { return r.Restore(ctx, commit) })
}

// keep calls a function, whose changes are recorded as those of a command of the person. It is not called if they could not be
// taken back.
func (s *Snapshots) keep(ctx context.Context, title string, change func() error) error {
	if s == nil {
		return change()
	}
	run, err := s.recorder.Begin(ctx, store.Header{Kind: store.Command, Session: s.parts.ID(), Tool: "restore", Title: title}, undo.Scope{Anywhere: true})
	if err != nil {
		return fmt.Errorf("its changes could not be taken back: %w", err)
	}
	err = change()
	_, endErr := run.End(context.WithoutCancel(ctx))
	return errors.Join(err, endErr)
}
