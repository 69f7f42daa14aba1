// Package companion connects a session with the editor in whose terminal Pollux runs, through the companion extension that
// Gemini CLI has for editors. The editor shares the names of open files and the selected text, and shows changes that the
// model proposes, which the person can accept or reject there.
//
//   - This file has the state of the connection.
//   - find.go finds the companion of the directory; address.go reads where it listens, editors.go names editors.
//   - news.go takes the notifications of the editor, diff.go shows a change in it.
//
// The companion is a program of the user. Its messages are taken as data: they are limited, and nothing in them gives a permission but the acceptance of
// a change that it shows. So no command in the sandbox may pass for it, see [address.check].
package companion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/ide"
	"pollux/internal/mcp"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/internal/workspace"
)

// Phase is the state of the connection with the editor.
type Phase int

// The phases.
const (
	Off Phase = iota // the user does not want a connection
	Connecting
	Connected
	Disconnected
)

const (
	// dialTime is how long an editor has to answer at one address.
	dialTime = 5 * time.Second
	// patience is how long a prompt waits for the first word of an editor, from the begin of the connection on.
	patience = time.Second
	// farewell is how long the end of a session waits for the end of the connection.
	farewell = time.Second
	// retryPause is the time between two attempts to reach an editor that has gone.
	retryPause = 3 * time.Second
)

// Companion is the connection of a session with an editor. Its methods may be called from any goroutine.
type Companion struct {
	project *project.Project
	given   func() (ide.State, bool) // that of Open

	mu      sync.Mutex
	phase   Phase
	why     error // why there is no connection
	editor  string
	peer    *mcp.Peer
	state   ide.State
	isTold  bool      // the editor has shared its open files
	tried   time.Time // when the last attempt began
	isFirst bool      // that is the first one since the user has asked for it
	settled chan struct{}
	stop    context.CancelFunc
	ended   chan struct{} // closed when the attempt and its connection have ended
	diff    *Diff         // that the editor shows, nil for none

	isDistrusted bool // the editor does not trust the folder
	hasDistrust  bool // that is new
	watch        func()
}

// Open connects to the editor in the background if the user wants that, and a person is there: scripts do not depend on the files that
// happen to be open. given returns the open files of an editor that runs
// Pollux itself, in place of a connection; nil for none.
func Open(p *project.Project, given func() (ide.State, bool)) *Companion {
	c := &Companion{project: p, given: given}
	if given == nil && p.Options.Interactive && config.IDEEnabled.In(p.Settings()) {
		c.Connect()
	}
	return c
}

// Connect connects to the editor in the background, again if there is a connection.
func (c *Companion) Connect() {
	c.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isFirst = true
	c.begin()
}

// begin begins an attempt to connect. The caller has c.mu.
func (c *Companion) begin() {
	ctx, stop := context.WithCancel(context.Background())
	settled, ended := make(chan struct{}), make(chan struct{})
	c.phase, c.editor, c.tried, c.stop, c.settled, c.ended = Connecting, anyEditor, time.Now(), stop, settled, ended
	go func() {
		defer crash.Recover()
		defer close(ended)
		defer stop()
		c.live(ctx, sync.OnceFunc(func() { close(settled) }))
	}()
}

// live finds the editor and stays connected until the editor leaves or ctx ends. settle is called when there is something to
// know about the editor.
func (c *Companion) live(ctx context.Context, settle func()) {
	defer settle()
	peer, err := c.dial(ctx, settle)
	c.mu.Lock()
	if ctx.Err() != nil {
		c.mu.Unlock()
		if peer != nil {
			peer.Close()
		}
		return
	}
	c.peer, c.why, c.phase = peer, err, Connected
	if err != nil {
		c.phase = Disconnected
	}
	if c.knows() {
		settle()
	}
	c.changed()
	c.mu.Unlock()
	if err != nil {
		c.project.Log.Debug("no connection with the editor", "error", err)
		return
	}
	select {
	case <-peer.Done():
		c.leave(peer)
	case <-ctx.Done():
		peer.Close()
	}
}

// dial connects to the first address that answers.
func (c *Companion) dial(ctx context.Context, settle func()) (*mcp.Peer, error) {
	env := c.project.Env().User() // a project must not choose an editor
	place, problem := find(place{
		dir: workspace.RealPath(c.project.Paths.Dir()), files: filepath.Join(tempDir(env), "gemini", "ide"), env: env,
	})
	editor := editorName(env, place)
	c.mu.Lock()
	c.editor = editor
	c.mu.Unlock()
	addresses, err := place.addresses(env)
	if problem != nil || err != nil {
		return nil, errors.Join(problem, err)
	}
	for _, a := range addresses {
		if err = a.check(); err != nil {
			continue
		}
		var peer *mcp.Peer
		if peer, err = c.try(ctx, a.Config, settle); err == nil {
			return peer, nil
		}
		c.mu.Lock()
		c.state, c.isTold = ide.State{}, false // it may have spoken before it failed
		c.mu.Unlock()
	}
	if err == nil {
		return nil, errNoEditor
	}
	return nil, fmt.Errorf("%s does not answer: %w", editor, err)
}

// try connects to one address.
func (c *Companion) try(ctx context.Context, a mcp.Config, settle func()) (*mcp.Peer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, dialTime, fmt.Errorf("no answer within %v", dialTime))
	defer cancel()
	p := c.project
	return mcp.Dial(ctx, a, mcp.Options{
		Launcher: p.Launcher, Dir: p.Paths.Dir(), Environ: environ(p), Path: p.Env().User().Get("PATH"),
		Transport: transport, Version: p.Options.Version, UserAgent: project.ServiceAgent(p), Log: p.Log,
	}, func(method string, params json.RawMessage) {
		if c.hear(method, params) {
			settle()
		}
	})
}

// leave notes that the editor has ended the connection.
func (c *Companion) leave(peer *mcp.Peer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.peer == peer {
		c.forget(Disconnected, errGone)
	}
}

// forget drops the knowledge of the editor. The caller has c.mu.
func (c *Companion) forget(now Phase, why error) {
	c.phase, c.why, c.peer, c.state, c.isTold = now, why, nil, ide.State{}, false
	if c.diff != nil {
		c.diff.settle(Choice{}, errGone)
	}
	c.changed()
}

// Close ends the connection. It waits a moment for the farewell to the editor.
func (c *Companion) Close() {
	c.mu.Lock()
	ended := c.ended
	if c.stop != nil {
		c.stop()
	}
	c.forget(Off, nil)
	c.mu.Unlock()
	if ended == nil {
		return
	}
	select {
	case <-ended:
	case <-time.After(farewell):
	}
}

// Watch makes f be called when the connection or the list of open files has changed. f does not wait.
func (c *Companion) Watch(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch = f
}

// changed calls the function of [Companion.Watch]. The caller has c.mu.
func (c *Companion) changed() {
	if c.watch != nil {
		c.watch()
	}
}

// State returns the open files of the editor, for a prompt: it waits for an editor that has just been asked, and looks for one
// that has gone. isConnected is false without an editor.
func (c *Companion) State() (_ ide.State, isConnected bool) {
	if c.given != nil {
		return c.given()
	}
	c.await()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.knows() {
		return ide.State{}, false
	}
	return c.state, true
}

// knows reports whether the editor has shared its open files. Its first word can come before the connection is complete, and
// counts only then. The caller has c.mu.
func (c *Companion) knows() bool { return c.phase == Connected && c.isTold }

// await waits a moment for an editor that has just been asked, and looks for one that has gone.
func (c *Companion) await() {
	c.mu.Lock()
	settled, wait := c.settled, time.Until(c.tried.Add(patience))
	switch {
	case c.phase == Disconnected && time.Since(c.tried) > retryPause:
		c.isFirst = false
		c.begin()
		settled = nil
	case !c.isFirst || c.phase == Off || c.knows():
		settled = nil
	}
	c.mu.Unlock()
	if settled != nil && wait > 0 {
		select {
		case <-settled:
		case <-time.After(wait):
		}
	}
}

// Watcher describes the open files of the editor to the model.
func (c *Companion) Watcher() *ide.Watcher { return ide.New(c.State) }

// Status is the state of the connection, for people.
type Status struct {
	Phase Phase
	// Editor is the name of the editor, such as "VS Code".
	Editor string
	// Why is the reason for no connection, nil for none.
	Why error
	// Files are the open files.
	Files []ide.File
}

// Status returns the state of the connection. It never waits.
func (c *Companion) Status() Status {
	if c.given != nil {
		state, isConnected := c.given()
		if !isConnected {
			return Status{}
		}
		return Status{Phase: Connected, Editor: anyEditor, Files: state.Files}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Status{Phase: c.phase, Editor: terminal.Line(c.editor), Why: c.why}
	if c.knows() {
		s.Files = c.state.Files
	}
	return s
}

// TakeDistrust reports, once for each change, that the editor does not trust the folder. It waits as [Companion.State] does.
func (c *Companion) TakeDistrust() bool {
	c.await()
	c.mu.Lock()
	defer c.mu.Unlock()
	has := c.hasDistrust
	c.hasDistrust = false
	return has
}
