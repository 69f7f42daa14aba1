package acp

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/acp/wire"
	"pollux/internal/face/kit"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
)

// The ids of the ways to sign in, which clients of Gemini CLI have stored.
const (
	googleLogin = string(auth.GoogleLogin)
	geminiKey   = string(auth.GeminiAPIKey)
	vertexAI    = string(auth.VertexAI)
	gateway     = string(auth.Gateway)
	terminalID  = "pollux-login"
	ownPrefix   = "pollux-" // and the id of a provider
)

// authMethods returns the ways to sign in. It reads no file.
func (s *server) authMethods() []schema.AuthMethod {
	list := []schema.AuthMethod{
		{ID: geminiKey, Name: "Gemini API key", Description: "Use an API key of Google AI Studio", Meta: schema.Meta{"api-key": map[string]string{"provider": "google"}}},
		{ID: ownPrefix + "openai", Name: "OpenAI API key", Description: "Use an API key of OpenAI", Meta: schema.Meta{"api-key": map[string]string{"provider": "openai"}}},
		{ID: ownPrefix + "anthropic", Name: "Anthropic API key", Description: "Use an API key of Anthropic", Meta: schema.Meta{"api-key": map[string]string{"provider": "anthropic"}}},
		{ID: vertexAI, Name: "Vertex AI", Description: "Use Gemini on Google Cloud, with the variables or credentials of this machine"},
		{ID: gateway, Name: "AI API gateway", Description: "Use Gemini by a gateway", Meta: schema.Meta{"gateway": map[string]string{"protocol": "google", "restartRequired": "false"}}},
		{ID: googleLogin, Name: "Log in with Google", Description: "Not available in Pollux. It uses the key that is set up, if there is one"},
	}
	if c := s.clientInfo(); c != nil && c.Capabilities.Auth.Terminal {
		list = append(list, schema.AuthMethod{
			ID: terminalID, Name: "Set up a provider", Description: "Store the API key of any provider, in a terminal", Type: "terminal", Args: []string{"auth", "set"},
		})
	}
	return list
}

// signIn is a sign-in of the client. It is only in memory.
type signIn struct {
	env      []string // variables, as name=value
	selected string   // the type of the account
}

// authenticate takes the credentials of a client, or checks those of the user.
func (s *server) authenticate(p schema.AuthenticateRequest) wire.Answer {
	given, err := s.newSignIn(p)
	if err != nil {
		return wire.Fail(err)
	}
	return func(ctx context.Context) (any, func(), error) {
		if err := s.checkSignIn(ctx, p.MethodID, given); err != nil {
			return nil, nil, err
		}
		s.mu.Lock()
		s.signIn = given
		s.mu.Unlock()
		return schema.Empty{}, nil, nil
	}
}

// newSignIn returns the sign-in of a request.
func (s *server) newSignIn(p schema.AuthenticateRequest) (*signIn, *wire.Error) {
	key := ""
	if p.Meta.Key != nil {
		key = strings.TrimSpace(*p.Meta.Key)
	}
	keyOf := func(t string, variables ...string) *signIn {
		g := &signIn{selected: t}
		if key != "" {
			for _, name := range variables {
				g.env = append(g.env, name+"="+key)
			}
		}
		return g
	}
	switch id := p.MethodID; id {
	case geminiKey:
		return keyOf(geminiKey, "GEMINI_API_KEY"), nil
	case ownPrefix + "openai":
		return keyOf("openai", "OPENAI_API_KEY"), nil
	case ownPrefix + "anthropic":
		return keyOf("anthropic", "ANTHROPIC_API_KEY"), nil
	case vertexAI:
		return keyOf(vertexAI, "GOOGLE_API_KEY"), nil
	case googleLogin:
		return nil, nil
	case gateway:
		return newGateway(p.Meta.Gateway)
	case terminalID:
		return nil, invalid("methodId", "This method runs 'pollux auth set' in a terminal. Start a session afterwards.")
	default:
		return nil, invalid("methodId", "There is no such method. initialize lists them.")
	}
}

// newGateway returns the sign-in to a gateway.
func newGateway(g *schema.Gateway) (*signIn, *wire.Error) {
	if g == nil {
		return &signIn{selected: gateway}, nil
	}
	address, err := url.Parse(g.BaseURL)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" {
		return nil, invalid("_meta.gateway.baseUrl", "It is not the address of a server, such as https://gateway.example.")
	}
	var headers []string
	for _, name := range slices.Sorted(maps.Keys(g.Headers)) {
		if strings.ContainsAny(name+g.Headers[name], "\r\n,") {
			return nil, invalid("_meta.gateway.headers", "The header "+name+" has a comma or a line break.")
		}
		headers = append(headers, name+": "+g.Headers[name])
	}
	given := &signIn{selected: gateway, env: []string{"GOOGLE_GEMINI_BASE_URL=" + g.BaseURL}}
	if len(headers) > 0 {
		given.env = append(given.env, "GEMINI_CLI_CUSTOM_HEADERS="+strings.Join(headers, ", "))
	}
	return given, nil
}

// checkSignIn returns an error if a model cannot be reached with a sign-in, by the settings of the user.
func (s *server) checkSignIn(ctx context.Context, method string, given *signIn) error {
	o := s.Session.Project
	o.Dir, o.Folder = config.NewPaths(o.Env, "/").Home(), trust.Untrusted
	o.Flags = cloned(o.Flags)
	given.use(&o)
	if _, err := kit.Adapt(ctx, &o, false); err != nil {
		return s.failure(err, noPlace)
	}
	p := project.New(o)
	defer p.Close()
	if err := p.Load(ctx); err != nil {
		return s.failure(err, noPlace)
	}
	p.ReadEnv()
	accounts, err := auth.Open(p.AuthInputs(ctx))
	if err == nil {
		_, err = accounts.Default()
	}
	if err == nil {
		return nil
	}
	f := s.failure(err, noPlace)
	if method == googleLogin {
		f.Message = "Pollux cannot sign in with a Google account. Use the method gemini-api-key, or set GEMINI_API_KEY. " + f.Message
	}
	return f
}

// use makes a project, whose flags are its own, use a sign-in. nil changes nothing.
func (g *signIn) use(o *project.Options) {
	if g == nil {
		return
	}
	o.Flags[string(config.AuthOwnType)] = g.selected
	o.Env = o.Env.With(g.env...)
}

// cloned returns a copy of flags, which sessions share, to change.
func cloned(flags map[string]any) map[string]any {
	own := map[string]any{}
	maps.Copy(own, flags)
	return own
}

// signedIn returns the sign-in of the client, nil for none.
func (s *server) signedIn() *signIn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.signIn
}

// logout forgets the sign-in of the client. The credentials of the user stay.
func (s *server) logout() wire.Answer {
	s.mu.Lock()
	s.signIn = nil
	s.mu.Unlock()
	return wire.Result(schema.Empty{})
}
