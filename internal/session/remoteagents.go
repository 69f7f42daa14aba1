package session

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
	"pollux/internal/subagent"
	"pollux/internal/terminal"
)

// remoteAgents are the clients of a session's remote subagents.
type remoteAgents struct {
	conversations a2a.Conversations
	// isChanged reports whether cards were loaded that the system instruction does not have.
	isChanged atomic.Bool

	mu sync.Mutex
	of map[string]*remoteAgent // by name
}

// remoteAgent is the client of one remote subagent.
type remoteAgent struct {
	*a2a.Agent
	definition *subagent.Definition
	cancel     context.CancelFunc // ends the loading of the card; nil before it begins
	loaded     chan struct{}      // closed when the card is loaded, or cannot be

	about   string // what the model gets about the agent
	failure error  // why the card cannot be loaded
}

// remoteAgent returns the client of a remote subagent.
func (s *Session) remoteAgent(d *subagent.Definition) (subagent.Remote, error) {
	r, err := s.openRemoteAgent(d)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (s *Session) openRemoteAgent(d *subagent.Definition) (*remoteAgent, error) {
	remotes := &s.subagents.remotes
	remotes.mu.Lock()
	defer remotes.mu.Unlock()
	if r := remotes.of[d.Name]; r != nil && r.definition == d {
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
		Conversations: &remotes.conversations,
		Transport:     s.Project.ServerTransport,
		OAuth:         s.agentSignIn(),
		Env:           func(name string) (string, error) { return s.agentVariable(d, name) },
		RunCommand:    func(ctx context.Context, command string) (string, error) { return s.agentCommand(ctx, d, command) },
		Warn:          func(text string) { s.Project.Warn("Warning: " + terminal.Line(text)) },
	}
	if s.Project.Options.Interactive && s.Project.Options.Asker != nil {
		o.Person = oauth.Person{Ask: s.Project.Options.Asker.Ask, Notify: func(text string) { s.Project.Warn(terminal.Line(text)) }}
	}
	if remotes.of == nil {
		remotes.of = map[string]*remoteAgent{}
	}
	r := &remoteAgent{Agent: a2a.New(o), definition: d, loaded: make(chan struct{})}
	remotes.of[d.Name] = r
	return r, nil
}

// agentSignIn returns how a person signs in to remote subagents.
func (s *Session) agentSignIn() *oauth.Options {
	o := s.Project.SignInOptions()
	o.Noun, o.ClientIDKey = "A2A agent", "auth.client_id in the definition of the agent"
	o.Store.File, o.Store.Service = filepath.Join(s.Project.Paths.GeminiDir(), "a2a-oauth-tokens.json"), "gemini-cli-a2a"
	return o
}

// agentVariable returns a variable for the credentials of a remote subagent. A project could send secrets anywhere.
func (s *Session) agentVariable(d *subagent.Definition, name string) (string, error) {
	value := s.Project.Env.Get(name)
	if d.Origin == subagent.Project && s.Project.Env.Withholds(name) {
		return "", fmt.Errorf("an agent of a project does not get $%s, which holds a secret. Move its definition to ~/.gemini/agents", terminal.Line(name))
	}
	return value, nil
}

// agentCommand runs a shell command that prints a credential of a remote subagent.
func (s *Session) agentCommand(ctx context.Context, d *subagent.Definition, command string) (string, error) {
	if d.Origin == subagent.Project {
		return "", errors.New("an agent of a project runs no commands for its credentials. Move its definition to ~/.gemini/agents")
	}
	origin := process.OriginUser
	if d.Origin == subagent.FromExtension {
		origin = process.OriginExtension
	}
	environ := s.Project.HookEnviron(false, nil)
	names, args := []string{"bash"}, []string{"-c", command}
	if runtime.GOOS == "windows" {
		names, args = []string{"pwsh.exe", "powershell.exe"}, []string{"-NoProfile", "-NonInteractive", "-Command", command}
	}
	for _, name := range names {
		if path, err := process.LookPath(process.Getenv(environ, "PATH"), name); err == nil {
			return s.Project.Launcher.Ask(ctx, &process.Command{
				For:  process.Purpose{Kind: process.KindCredential, Origin: origin, Name: d.Name},
				Name: "the command", Path: path, Args: args, Env: environ, Dir: s.Project.Paths.Home(),
			})
		}
	}
	return "", fmt.Errorf("%s is not in PATH", names[0])
}

// loadCards begins to load the cards of the remote subagents that the model may call.
func (s *Session) loadCards() {
	s.loadCardsOf(func(d *subagent.Definition) bool { return s.mayCallAgent(d.Name) })
}

// loadCardsOf begins to load the cards of some remote subagents. Each is loaded once.
func (s *Session) loadCardsOf(wanted func(*subagent.Definition) bool) {
	for _, d := range s.Agents().Enabled() {
		if d.Kind != subagent.RemoteKind || !wanted(d) {
			continue
		}
		r, err := s.openRemoteAgent(d)
		if err != nil {
			s.Project.Warn(terminal.Line(fmt.Sprintf("Warning: [%s] Failed to load remote agent: %v", d.Name, err)))
			continue
		}
		s.subagents.remotes.mu.Lock()
		if r.cancel == nil {
			var ctx context.Context
			ctx, r.cancel = context.WithCancel(context.Background())
			go s.loadCard(ctx, r)
		}
		s.subagents.remotes.mu.Unlock()
	}
}

// loadCard loads the card of a remote subagent.
func (s *Session) loadCard(ctx context.Context, r *remoteAgent) {
	defer crash.Recover()
	defer close(r.loaded)
	r.about, r.failure = r.Describe(ctx)
	switch {
	case ctx.Err() != nil:
		return
	case errors.Is(r.failure, a2a.ErrSignIn): // the first call asks for it
		r.about, r.failure = r.definition.Description, nil
	case r.failure != nil:
		s.Project.Warn(terminal.Line("Warning: " + r.failure.Error()))
	}
	s.subagents.remotes.isChanged.Store(true)
}

// The time for which a prompt waits for cards that are being loaded. A script has one prompt only.
const (
	cardWait       = time.Second
	scriptCardWait = 10 * time.Second
)

// awaitCards makes the model know what the remote subagents say about themselves: it waits for their cards a
// little. Those that come later join with a later prompt.
func (s *Session) awaitCards(ctx context.Context) {
	s.waitForCards(ctx)
	if s.subagents.remotes.isChanged.Swap(false) {
		s.refresh()
	}
}

// CheckAgents makes [Session.AboutAgent] know which remote subagents cannot be reached: it loads the cards of
// all that are enabled, and waits for them as a prompt does.
func (s *Session) CheckAgents(ctx context.Context) {
	s.loadCardsOf(func(*subagent.Definition) bool { return true })
	s.waitForCards(ctx)
}

// waitForCards waits a little for the cards that are being loaded.
func (s *Session) waitForCards(ctx context.Context) {
	remotes := &s.subagents.remotes
	remotes.mu.Lock()
	var pending []*remoteAgent
	for _, r := range remotes.of {
		if r.cancel != nil {
			pending = append(pending, r)
		}
	}
	remotes.mu.Unlock()
	if len(pending) == 0 {
		return
	}
	limit := scriptCardWait
	if s.Project.Options.Interactive {
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

// closeRemoteAgents ends the loading of cards, and forgets the clients. Their conversations stay.
func (s *Session) closeRemoteAgents() {
	remotes := &s.subagents.remotes
	remotes.mu.Lock()
	defer remotes.mu.Unlock()
	for _, r := range remotes.of {
		if r.cancel != nil {
			r.cancel()
			<-r.loaded
		}
	}
	remotes.of = nil
}

// AboutAgent returns the description of a subagent: of a remote one with what its card says, if that is known.
// The error is why the card cannot be loaded.
func (s *Session) AboutAgent(d *subagent.Definition) (string, error) {
	remotes := &s.subagents.remotes
	remotes.mu.Lock()
	r := remotes.of[d.Name]
	remotes.mu.Unlock()
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
