// Package auth chooses how Pollux proves itself to a model's vendor, and where
// requests go (spec/cli.md §5, spec/agent.md §2). It only looks at settings and
// the environment: nothing is dialled and no secret store is opened.
package auth

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
)

// Type is a way to authenticate, by its name in settings.
type Type string

// The types. Those of the second group are known but cannot work here.
const (
	GeminiAPIKey Type = "gemini-api-key"
	VertexAI     Type = "vertex-ai"
	Gateway      Type = "gateway"
	OpenAI       Type = "openai"
	Anthropic    Type = "anthropic"

	GoogleLogin Type = "oauth-personal"
	ComputeADC  Type = "compute-default-credentials"
	CloudShell  Type = "cloud-shell"
)

// Inputs are what the choice depends on.
type Inputs struct {
	Settings *config.Settings
	Env      *config.Env
}

// Choice is how to reach a model.
type Choice struct {
	Type Type
	// APIKey is the key to send; "" for Vertex AI with Google's default
	// credentials, and for a gateway that has keys of its own.
	APIKey string
	// AuthToken is sent as a bearer token, where a vendor takes one in place of
	// a key.
	AuthToken string
	// Model is the vendor's model to ask where the user has named none of this
	// vendor; "" for Google, whose aliases say it.
	Model string
	// Bearer says that the key goes into an Authorization header, not into
	// x-goog-api-key.
	Bearer bool
	// BaseURL is where requests go; "" for the vendor's own address.
	BaseURL string
	// APIVersion is the version in the path; "" for the usual one.
	APIVersion string
	// Vertex is set for Vertex AI without a key.
	Vertex Vertex
	// Headers are added to every request, and win over what is there.
	Headers http.Header
	// Proxy is the address of the proxy, "" for none; NoProxy lists hosts that
	// are reached without it, as the variable of that name does.
	Proxy, NoProxy string
	// CAFiles are bundles of certificates to trust beside the system's.
	CAFiles []string
}

// Vertex is a Google Cloud project and one of its locations.
type Vertex struct {
	Project, Location string
}

const (
	retry = "Update your environment and try again (no reload needed if using .env)!"

	nothingSet = "Please set an Auth method in your %s or specify one of the following environment variables before running: " +
		"GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_GCA"
	noGeminiKey = "When using Gemini API, you must specify the GEMINI_API_KEY environment variable.\n" + retry
	noVertex    = "When using Vertex AI, you must specify either:\n" +
		"• GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION environment variables.\n" +
		"• GOOGLE_API_KEY environment variable (if using express mode).\n" + retry
	noOpenAIKey    = "When using OpenAI, you must specify the OPENAI_API_KEY environment variable, or OPENAI_BASE_URL for a server that needs no key.\n" + retry
	noAnthropicKey = "When using Anthropic, you must specify the ANTHROPIC_API_KEY or the ANTHROPIC_AUTH_TOKEN environment variable.\n" + retry
	noGatewayURL   = "When using a gateway, you must specify the GOOGLE_GEMINI_BASE_URL environment variable.\n" + retry

	works = "Set security.auth.selectedType to \"gemini-api-key\" and GEMINI_API_KEY to a key from https://aistudio.google.com/apikey, " +
		"or selectedType to \"vertex-ai\" with GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or GOOGLE_API_KEY."
	noGoogleLogin = "Pollux cannot sign in with a Google account (\"%s\"). " + works
)

// Choose decides how to authenticate. Errors have exit code 41 and are for the
// user; their texts are those of spec/cli.md §5.2 where it has one.
func Choose(in Inputs) (Choice, error) {
	chosen, err := chooseType(in)
	if err != nil {
		return Choice{}, err
	}
	c := Choice{
		Type:       chosen,
		APIVersion: trimmed(in.Env, "GOOGLE_GENAI_API_VERSION"),
		Bearer:     trimmed(in.Env, "GEMINI_API_KEY_AUTH_MECHANISM") == "bearer",
		NoProxy:    in.Env.First("NO_PROXY", "no_proxy"),
		CAFiles:    caFiles(in.Env),
	}
	if err := c.credentials(in); err != nil {
		return Choice{}, err
	}
	if c.Proxy, err = proxy(in.Env); err != nil {
		return Choice{}, err
	}
	if err := checkURL(c.BaseURL); err != nil {
		return Choice{}, err
	}
	if c.Headers, err = headers(in, chosen); err != nil {
		return Choice{}, err
	}
	return c, nil
}

// chooseType returns the type that settings name, else the one the environment
// speaks for, if it is the one that must be used.
func chooseType(in Inputs) (Type, error) {
	chosen := Type(strings.TrimSpace(config.AuthSelectedType.In(in.Settings)))
	if chosen == "" {
		chosen = fromEnv(in.Env)
	}
	switch enforced := Type(config.AuthEnforcedType.In(in.Settings)); {
	case enforced == "" || enforced == chosen:
	case chosen == "":
		return "", exit.Errorf(exit.Auth, "The auth type '%s' is enforced, but no authentication is configured.", enforced)
	default:
		return "", exit.Errorf(exit.Auth, "The enforced authentication type is '%s', but the current type is '%s'. "+
			"Please re-authenticate with the correct type.", enforced, chosen)
	}
	if chosen == "" {
		return "", exit.Errorf(exit.Auth, nothingSet, in.Settings.UserFile())
	}
	return chosen, nil
}

// fromEnv returns the type that the environment speaks for, "" for none. A base
// URL with a key is the Gemini API at another address; without one, a gateway.
func fromEnv(env *config.Env) Type {
	key, base := trimmed(env, "GEMINI_API_KEY"), trimmed(env, "GOOGLE_GEMINI_BASE_URL")
	switch {
	case env.True("GOOGLE_GENAI_USE_GCA"):
		return GoogleLogin
	case env.True("GOOGLE_GENAI_USE_VERTEXAI"):
		return VertexAI
	case key != "":
		return GeminiAPIKey
	case base != "":
		return Gateway
	case env.True("CLOUD_SHELL"), env.True("GEMINI_CLI_USE_COMPUTE_ADC"):
		return ComputeADC
	case env.First("OPENAI_API_KEY", "OPENAI_BASE_URL") != "":
		return OpenAI
	case env.First("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL") != "":
		return Anthropic
	}
	return ""
}

// credentials fills in what the type needs. With security.auth.useExternal,
// nothing is asked for: what is missing comes from elsewhere.
func (c *Choice) credentials(in Inputs) error {
	external := config.AuthUseExternal.In(in.Settings)
	switch c.Type {
	case GeminiAPIKey:
		c.APIKey = trimmed(in.Env, "GEMINI_API_KEY")
		c.BaseURL = trimmed(in.Env, "GOOGLE_GEMINI_BASE_URL")
		if c.APIKey == "" && !external {
			return exit.Errorf(exit.Auth, noGeminiKey)
		}
	case Gateway:
		c.APIKey = trimmed(in.Env, "GEMINI_API_KEY")
		c.BaseURL = trimmed(in.Env, "GOOGLE_GEMINI_BASE_URL")
		if c.BaseURL == "" && !external {
			return exit.Errorf(exit.Auth, noGatewayURL)
		}
	case VertexAI:
		c.APIKey = trimmed(in.Env, "GOOGLE_API_KEY")
		c.BaseURL = trimmed(in.Env, "GOOGLE_VERTEX_BASE_URL")
		if c.APIKey != "" {
			break
		}
		c.Vertex = Vertex{
			Project:  trimmed(in.Env, "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID"),
			Location: trimmed(in.Env, "GOOGLE_CLOUD_LOCATION"),
		}
		if (c.Vertex.Project == "" || c.Vertex.Location == "") && !external {
			return exit.Errorf(exit.Auth, noVertex)
		}
	case GoogleLogin, ComputeADC, CloudShell:
		return exit.Errorf(exit.Auth, noGoogleLogin, c.Type)
	case Anthropic:
		c.APIKey, c.AuthToken = trimmed(in.Env, "ANTHROPIC_API_KEY"), trimmed(in.Env, "ANTHROPIC_AUTH_TOKEN")
		c.BaseURL = trimmed(in.Env, "ANTHROPIC_BASE_URL")
		c.Model = cmp.Or(trimmed(in.Env, "ANTHROPIC_MODEL"), "claude-sonnet-4-6")
		if c.APIKey == "" && c.AuthToken == "" && c.BaseURL == "" && !external {
			return exit.Errorf(exit.Auth, noAnthropicKey)
		}
	case OpenAI:
		c.APIKey = trimmed(in.Env, "OPENAI_API_KEY")
		c.BaseURL = trimmed(in.Env, "OPENAI_BASE_URL")
		if c.Model = trimmed(in.Env, "OPENAI_MODEL"); c.Model == "" && c.BaseURL == "" {
			c.Model = "gpt-5.6-sol"
		}
		if c.APIKey == "" && c.BaseURL == "" && !external {
			return exit.Errorf(exit.Auth, noOpenAIKey)
		}
	default:
		return exit.Errorf(exit.Auth, "Invalid auth method selected.")
	}
	return cmp.Or(checkKey(c.APIKey), checkKey(c.AuthToken))
}

// checkKey refuses a key that no header can carry, without showing it.
func checkKey(key string) error {
	for _, r := range key {
		if r <= ' ' || r >= 0x7f {
			return exit.Errorf(exit.Auth, "The API key has a character that no key has (a space, a line break or a letter outside ASCII). "+
				"Check the variable it comes from.")
		}
	}
	return nil
}

func checkURL(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return exit.Errorf(exit.Auth, "Invalid custom base URL: %s", address)
	}
	return nil
}

// proxy returns the address of the proxy, "" for none. The first variable that is
// set holds for all requests (spec/cli.md §3.2); as elsewhere, "host:port" is
// enough. The address is not shown, since it may hold a password.
func proxy(env *config.Env) (string, error) {
	for _, name := range [...]string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		address := strings.TrimSpace(env.Get(name))
		if address == "" {
			continue
		}
		if !strings.Contains(address, "://") {
			address = "http://" + address
		}
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" || !slices.Contains(proxySchemes, u.Scheme) {
			return "", exit.Errorf(exit.Auth, "%s is not the address of a proxy: write it as http://host:port, or unset it.", name)
		}
		return address, nil
	}
	return "", nil
}

var proxySchemes = []string{"http", "https", "socks5", "socks5h"}

// trimmed returns the first of these variables that has more than white space:
// keys are often pasted with a line end.
func trimmed(env *config.Env, names ...string) string {
	for _, name := range names {
		if value := strings.TrimSpace(env.Get(name)); value != "" {
			return value
		}
	}
	return ""
}

func caFiles(env *config.Env) []string {
	var files []string
	for _, name := range [...]string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"} {
		if file := env.Get(name); file != "" {
			files = append(files, file)
		}
	}
	return files
}
