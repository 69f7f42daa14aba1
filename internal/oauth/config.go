package oauth

import (
	"context"
	"io"
	"net/http"
	"time"

	"pollux/llm/adc"
	"pollux/tool"
)

// Config is how to sign in to one server, such as the member oauth of an MCP server's entry. Everything is
// optional.
type Config struct {
	// Enabled signs in as soon as the server asks for it.
	Enabled bool `json:"enabled"`
	// ClientID and ClientSecret are those of a client that is registered already.
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret"`
	// AuthorizationURL, TokenURL and RegistrationURL replace those that the authorization server
	// announces. If both of the first are set, Pollux looks for no metadata.
	AuthorizationURL string `json:"authorizationUrl"`
	TokenURL         string `json:"tokenUrl"`
	RegistrationURL  string `json:"registrationUrl"`
	// Issuer is the only authorization server to accept.
	Issuer string `json:"issuer"`
	// RedirectURI is the address to which the browser returns.
	RedirectURI string   `json:"redirectUri"`
	Scopes      []string `json:"scopes"`
	Audiences   []string `json:"audiences"`
	// NoResource requests tokens without naming their resource, for authorization servers that do not
	// support RFC 8707.
	NoResource bool `json:"-"`
	// IsOwn accepts a stored sign-in without the address for which it was issued, as Gemini CLI writes those
	// to agents. The server must be one that the user has set up, and not a project.
	IsOwn bool `json:"-"`
}

// Options are the same for all servers of a kind.
type Options struct {
	// Noun is the kind of server in messages; "" is MCP server.
	Noun string
	// ClientIDKey is where people set the ID of a client, as the end of a sentence; "" is the place for MCP
	// servers.
	ClientIDKey string
	// Store has the tokens.
	Store Store
	// Transport makes requests; nil is [http.DefaultTransport].
	Transport func() (http.RoundTripper, error)
	// UserAgent is the header User-Agent of requests; "" is Go's.
	UserAgent string
	// Open opens a page in the browser; nil opens none.
	Open func(ctx context.Context, url string) error
	// CallbackHost and CallbackPort are where to wait for the browser's return: by default 127.0.0.1 and a
	// port that the system chooses.
	CallbackHost, CallbackPort string
	// Mark keeps commands in the sandbox away from the port; nil does not. They see the address of the sign-in page in the list of processes, and could
	// end the sign-in with an account of their own.
	Mark func(port int) (io.Closer, error)
	// Google is where the default credentials of Google Cloud are.
	Google adc.Source
	// Warn receives messages for the user, such as that a new token cannot be stored. It must be set.
	Warn func(text string)
	// Now returns the time; nil is [time.Now].
	Now func() time.Time
}

// Person shows messages to a person for a sign-in.
type Person struct {
	// Ask asks for consent; nil if no person is there.
	Ask tool.Ask
	// Notify shows the person the next step. It must be set.
	Notify func(text string)
}

// State is the state of the sign-in to a server.
type State string

// The states of a sign-in. Servers that have not asked for one have none.
const (
	None      State = ""
	SignedIn  State = "OAuth"
	Expired   State = "OAuth expired"
	SignedOut State = "OAuth not authenticated"
)
