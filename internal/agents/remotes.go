package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"pollux/internal/a2a"
	"pollux/internal/crash"
	"pollux/internal/oauth"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
)

// remotes are the clients of remote subagents.
type remotes struct {
	project       *project.Project
	conversations a2a.Conversations
	// isChanged reports whether cards were loaded that the system instruction does not have.
	isChanged atomic.Bool

	mu sync.Mutex
	of map[string]*remote // by name
}

// remote is the client of one remote subagent.
type remote struct {
	*a2a.Agent
	definition *subagent.Definition
	cancel     context.CancelFunc // ends the loading of the card; nil before it begins
	loaded     chan struct{}      // closed when the card is loaded, or cannot be

	about   string // the description for the model
	failure error  // why the card cannot be loaded
}

func (s *remotes) client(d *subagent.Definition) (subagent.Remote, error) {
	r, err := s.open(d)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (s *remotes) open(d *subagent.Definition) (*remote, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.of[d.Name]; r != nil && r.definition == d {
		return r, nil
	}
	var auth *a2a.Auth
	if d.Auth != nil {
		raw, err := json.Marshal(d.Auth)
		if err == nil {
			err = json.Unmarshal(raw, &auth)
		}
		if err != nil {
			return nil, errors.New("its auth is not valid") // the error may contain a secret
		}
	}
	o := a2a.Options{
		Name: d.Name, Description: d.Description, CardURL: d.CardURL, CardJSON: d.CardJSON, Auth: auth, IsOwn: d.Origin == subagent.User,
		Conversations: &s.conversations,
		Transport:     s.project.ServerTransport,
		OAuth:         s.signIn(),
		Env:           func(name string) (string, error) { return s.variable(d, name) },
		RunCommand:    func(ctx context.Context, command string) (string, error) { return s.command(ctx, d, command) },
		Warn:          func(text string) { s.project.Warn("Warning: " + terminal.Line(text)) },
	}
	if s.project.Options.Interactive && s.project.Options.Asker != nil {
		o.Person = oauth.Person{Ask: s.project.Options.Asker.Ask, Notify: func(text string) { s.project.Warn(terminal.Line(text)) }}
	}
	if s.of == nil {
		s.of = map[string]*remote{}
	}
	r := &remote{Agent: a2a.New(o), definition: d, loaded: make(chan struct{})}
	s.of[d.Name] = r
	return r, nil
}

// signIn returns how a person signs in to remote subagents.
func (s *remotes) signIn() *oauth.Options {
	o := s.project.SignInOptions()
	o.Noun, o.ClientIDKey = "A2A agent", "auth.client_id in the definition of the agent"
	o.Store.File, o.Store.Service = filepath.Join(s.project.Paths.GeminiDir(), "a2a-oauth-tokens.json"), "gemini-cli-a2a"
	return o
}

// variable returns a variable for the credentials of a remote subagent. A project could send secrets anywhere.
func (s *remotes) variable(d *subagent.Definition, name string) (string, error) {
	value := s.project.Env().Get(name)
	if d.Origin == subagent.Project && s.project.Env().Withholds(name) {
		return "", fmt.Errorf("an agent of a project does not get $%s, which holds a secret. Move its definition to ~/.gemini/agents", terminal.Line(name))
	}
	return value, nil
}

// command runs a shell command that prints a credential of a remote subagent.
func (s *remotes) command(ctx context.Context, d *subagent.Definition, command string) (string, error) {
	if d.Origin == subagent.Project {
		return "", errors.New("an agent of a project runs no commands for its credentials. Move its definition to ~/.gemini/agents")
	}
	origin := process.OriginUser
	if d.Origin == subagent.FromExtension {
		origin = process.OriginExtension
	}
	environ := s.project.HookEnviron(false, nil)
	names, args := []string{"bash"}, []string{"-c", command}
	if runtime.GOOS == "windows" {
		names, args = []string{"pwsh.exe", "powershell.exe"}, []string{"-NoProfile", "-NonInteractive", "-Command", command}
	}
	for _, name := range names {
		if path, err := process.LookPath(process.Getenv(environ, "PATH"), name); err == nil {
			return s.project.Launcher.Ask(ctx, &process.Command{
				For:  process.Purpose{Kind: process.KindCredential, Origin: origin, Name: d.Name},
				Name: "the command", Path: path, Args: args, Env: environ, Dir: s.project.Paths.Home(),
			})
		}
	}
	return "", fmt.Errorf("%s is not in PATH", names[0])
}

// load begins to load the cards of some remote subagents. Each is loaded once.
func (s *remotes) load(set *subagent.Set, wanted func(*subagent.Definition) bool) {
	for _, d := range set.Enabled() {
		if d.Kind != subagent.RemoteKind || !wanted(d) {
			continue
		}
		r, err := s.open(d)
		if err != nil {
			s.project.Warn(terminal.Line(fmt.Sprintf("Warning: [%s] Failed to load remote agent: %v", d.Name, err)))
			continue
		}
		s.mu.Lock()
		if r.cancel == nil {
			var ctx context.Context
			ctx, r.cancel = context.WithCancel(context.Background())
			go s.loadCard(ctx, r)
		}
		s.mu.Unlock()
	}
}

func (s *remotes) loadCard(ctx context.Context, r *remote) {
	defer crash.Recover()
	defer close(r.loaded)
	r.about, r.failure = r.Describe(ctx)
	switch {
	case ctx.Err() != nil:
		return
	case errors.Is(r.failure, a2a.ErrSignIn): // the first call asks for it
		r.about, r.failure = r.definition.Description, nil
	case r.failure != nil:
		s.project.Warn(terminal.Line("Warning: " + r.failure.Error()))
	}
	s.isChanged.Store(true)
}

// The time for which a prompt waits for cards that are being loaded. A script has one prompt only.
const (
	cardWait       = time.Second
	scriptCardWait = 10 * time.Second
)

// wait waits a little for the cards that are being loaded.
func (s *remotes) wait(ctx context.Context) {
	s.mu.Lock()
	var pending []*remote
	for _, r := range s.of {
		if r.cancel != nil {
			pending = append(pending, r)
		}
	}
	s.mu.Unlock()
	if len(pending) == 0 {
		return
	}
	limit := scriptCardWait
	if s.project.Options.Interactive {
		limit = cardWait
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for _, r := range pending {
		select {
		case <-r.loaded:
		case <-ctx.Done():
		}
	}
}

// close ends the loading of cards, and forgets the clients. Their conversations stay.
func (s *remotes) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.of {
		if r.cancel != nil {
			r.cancel()
			<-r.loaded
		}
	}
	s.of = nil
}

// about returns the description of a subagent: of a remote one with the text of its card, if that is known.
// The error is why the card cannot be loaded.
func (s *remotes) about(d *subagent.Definition) (string, error) {
	s.mu.Lock()
	r := s.of[d.Name]
	s.mu.Unlock()
	if r == nil || r.definition != d {
		return d.Description, nil
	}
	select {
	case <-r.loaded:
		if r.failure != nil {
			return d.Description, r.failure
		}
		return r.about, nil
	default:
		return d.Description, nil
	}
}
