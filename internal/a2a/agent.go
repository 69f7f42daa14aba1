package a2a

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"pollux/internal/oauth"
	"pollux/internal/terminal"
)

const (
	// cardTimeout limits the loading of a card.
	cardTimeout = 30 * time.Second
	// maxCard is the maximum size of a card, in bytes.
	maxCard = 1 << 20
)

// Options describes an agent.
type Options struct {
	// Name is that of the definition. Tokens and conversations go by it.
	Name string
	// Description is the user's description of the agent, or "".
	Description string
	// CardURL is where the card is. CardJSON is the card itself, if CardURL is empty.
	CardURL, CardJSON string
	// Auth is how to authenticate; nil sends no credentials.
	Auth *Auth
	// IsOwn reports whether the definition is the user's own, and not that of a project or an extension.
	IsOwn bool

	// Conversations keeps the conversations that calls continue; if nil, the agent has its own.
	Conversations *Conversations
	// Env returns a variable of the environment, "" if it is not set; nil has none. It fails for variables
	// that the definition must not get.
	Env func(name string) (string, error)
	// RunCommand runs a shell command and returns its output; nil runs none.
	RunCommand func(ctx context.Context, command string) (string, error)
	// Transport makes requests; nil is [http.DefaultTransport].
	Transport func() (http.RoundTripper, error)
	// OAuth is how people sign in; nil offers no sign-in.
	OAuth *oauth.Options
	// Person can sign in while a call runs. The zero value is no person.
	Person oauth.Person
	// Warn receives messages for the user; nil drops it.
	Warn func(text string)
}

// Agent is a remote agent. Its methods may be called from several goroutines at once.
type Agent struct {
	o    Options
	turn chan struct{} // holds a value while the card is loaded
	link *link         // nil until the card is loaded

	maxStream  int64 // in bytes
	firstPause time.Duration
}

// link is the part of a card about calling the agent.
type link struct {
	card     *card
	endpoint *endpoint
	wire     wire // without a person
}

// New returns an agent. It sends nothing yet.
func New(o Options) *Agent {
	if o.Transport == nil {
		o.Transport = func() (http.RoundTripper, error) { return http.DefaultTransport, nil }
	}
	o.Transport = sync.OnceValues(o.Transport)
	if o.Conversations == nil {
		o.Conversations = &Conversations{}
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return &Agent{o: o, turn: make(chan struct{}, 1), maxStream: maxStream, firstPause: firstPause}
}

// Describe returns the agent's description for the model: the user's text, the card's, and the agent's skills.
// It loads the card, and asks no person to sign in. An error is a sentence for the user that begins with the
// name of the agent.
func (a *Agent) Describe(ctx context.Context) (string, error) {
	l, err := a.connect(ctx, oauth.Person{})
	if _, ok := errors.AsType[*loadError](err); err != nil && !ok {
		err = &loadError{"Failed to load remote agent: " + err.Error(), err} // as Gemini CLI words it
	}
	if err != nil {
		return "", fmt.Errorf("[%s] %w", a.o.Name, err)
	}
	return l.card.describe(a.o.Description), nil
}

// Address returns the scheme and the host to which [Agent.Send] sends. It loads the card, which may name
// another server than its own, and asks no person to sign in. Without the card, it is the card's own address,
// "" if there is none.
func (a *Agent) Address(ctx context.Context) string {
	if l, err := a.connect(ctx, oauth.Person{}); err == nil {
		return terminal.Line(oauth.Origin(l.endpoint.url))
	}
	if u, err := parseAddress(a.o.CardURL); err == nil {
		return terminal.Line(oauth.Origin(u))
	}
	return ""
}

// connect loads the card, unless it is loaded.
func (a *Agent) connect(ctx context.Context, p oauth.Person) (*link, error) {
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if a.link != nil {
		return a.link, nil
	}
	l, err := a.load(ctx, p)
	if err != nil {
		return nil, err
	}
	if missing := l.card.missingAuth(a.o.Auth); missing != "" {
		a.o.Warn(fmt.Sprintf("[%s] Agent requires authentication: %s", a.o.Name, missing))
	}
	a.link = l
	return l, nil
}

// load reads the card and chooses how to call the agent.
func (a *Agent) load(ctx context.Context, p oauth.Person) (*link, error) {
	var from *url.URL
	text := []byte(a.o.CardJSON)
	if a.o.CardURL != "" {
		var err error
		if from, err = parseAddress(a.o.CardURL); err != nil {
			return nil, fmt.Errorf("agent_card_url: %w", err)
		}
		if text, err = a.fetch(ctx, from, p); err != nil {
			return nil, err
		}
	}
	c, err := parseCard(text)
	if err != nil {
		return nil, err
	}
	way, err := c.choose()
	if err != nil {
		return nil, err
	}
	u, err := way.address(from)
	if err != nil {
		return nil, err
	}
	home := from // only the address that the definition names gets credentials
	if home == nil {
		home = u
	}
	its := oauth.Origin(home)
	if there := oauth.Origin(u); a.o.Auth != nil && its != there {
		return nil, fmt.Errorf("the card of %s leads to %s, which gets no credentials. "+
			"If it may have them, put the card into agent_card_json", its, there)
	}
	credential, err := a.o.newCredential(home, c)
	if err != nil {
		return nil, err
	}
	return &link{c, newEndpoint(c, way, u), wire{transport: a.o.Transport, home: its, credential: credential}}, nil
}

// fetch gets the card, without credentials unless the server refuses that: some refuse a card to those that
// authenticate.
func (a *Agent) fetch(ctx context.Context, u *url.URL, p oauth.Person) ([]byte, error) {
	w := wire{transport: a.o.Transport, home: oauth.Origin(u), person: p}
	text, err := w.read(ctx, u)
	if e, ok := errors.AsType[*statusError](err); ok && isRefusal(e.status) && a.o.Auth != nil {
		if w.credential, err = a.o.newCredential(u, nil); err != nil {
			return nil, err
		}
		text, err = w.read(ctx, u)
	}
	if err != nil {
		return nil, newLoadError(u, err)
	}
	return text, nil
}

// read returns the card at an address.
func (w *wire) read(ctx context.Context, u *url.URL) ([]byte, error) {
	if w.credential == nil || w.person.Ask == nil { // a person may take longer to sign in
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, cardTimeout, fmt.Errorf("it did not answer within %v", cardTimeout))
		defer cancel()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := w.get(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(&bounded{resp.Body, maxCard, fmt.Errorf("the agent card has more than %d MiB", maxCard>>20)})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return text, err
}
