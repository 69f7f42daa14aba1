package auth

import (
	"maps"
	"net/url"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm/provider"
)

const (
	noGeminiKey = "When using Gemini API, you must specify the GEMINI_API_KEY environment variable.\n" + retry
	noVertex    = "When using Vertex AI, you must specify either:\n" +
		"• GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION environment variables.\n" +
		"• GOOGLE_API_KEY environment variable (if using express mode).\n" + retry
	noGatewayURL = "When using a gateway, you must specify the GOOGLE_GEMINI_BASE_URL environment variable.\n" + retry

	works = "Set security.auth.selectedType to \"gemini-api-key\" and GEMINI_API_KEY to a key from https://aistudio.google.com/apikey, " +
		"or selectedType to \"vertex-ai\" with GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or GOOGLE_API_KEY."
	noGoogleLogin = "Pollux cannot sign in with a Google account (\"%s\"). " + works
)

// isGoogles reports whether a type is one of those that Gemini CLI has for Google.
func (t Type) isGoogles() bool {
	switch t {
	case GeminiAPIKey, VertexAI, Gateway, GoogleLogin, ComputeADC, CloudShell:
		return true
	}
	return false
}

// switched returns which of Google's types a variable of its own switches on.
func switched(env *config.Env) (Type, string) {
	switch {
	case env.True("GOOGLE_GENAI_USE_GCA"):
		return GoogleLogin, "GOOGLE_GENAI_USE_GCA"
	case env.True("GOOGLE_GENAI_USE_VERTEXAI"):
		return VertexAI, "GOOGLE_GENAI_USE_VERTEXAI"
	}
	return "", ""
}

// computeFromEnv returns which of Google's types is meant by where Pollux runs. It
// cannot work, so that anything else goes before it.
func computeFromEnv(env *config.Env) (Type, string) {
	switch {
	case env.True("CLOUD_SHELL"):
		return ComputeADC, "CLOUD_SHELL"
	case env.True("GEMINI_CLI_USE_COMPUTE_ADC"):
		return ComputeADC, "GEMINI_CLI_USE_COMPUTE_ADC"
	}
	return "", ""
}

// isGoogle reports whether a profile's account is one of Google's types; others
// may speak its protocols, too.
func isGoogle(p *provider.Profile) bool { return p.ID == "gemini" || p.ID == "vertexai" }

// googleType returns the type that stands for a profile of Google's. A base URL
// with a key is the Gemini API at another address; without one, a gateway.
func (a *Accounts) googleType(p *provider.Profile) Type {
	access, _ := p.Access(a.in.Env.Get)
	switch {
	case p.ID == "vertexai":
		return VertexAI
	case a.Chosen == Gateway, access.APIKey == "" && access.BaseURL != "" && a.Chosen != GeminiAPIKey:
		return Gateway
	}
	return GeminiAPIKey
}

// google returns the account of one of Google's types, with what that needs. With
// security.auth.useExternal, nothing is asked for: what is missing comes from
// elsewhere.
func (a *Accounts) google(t Type) (one Account, err error) {
	env := a.in.Env
	one.Type = t
	switch t {
	case GeminiAPIKey, Gateway:
		one.As = "gemini"
		one.Access, _ = a.Table().Find(one.As).Access(env.Get)
		one.Gateway = one.Gateway || t == Gateway
		switch {
		case a.external(t):
			one.Gateway = one.Gateway || one.APIKey == ""
		case one.Gateway && one.BaseURL == "":
			err = exit.Errorf(exit.Auth, noGatewayURL)
		case !one.Gateway && one.APIKey == "":
			err = exit.Errorf(exit.Auth, noGeminiKey)
		}
	case VertexAI:
		one.As = "vertexai"
		one.Access, _ = withHeaders(a.Table().Find(one.As), a.in.Settings).Access(env.Get)
		if one.APIKey != "" {
			one.Project, one.Location = "", "" // express mode
			break
		}
		one.From = "GOOGLE_CLOUD_PROJECT"
		if (one.Project == "" || one.Location == "") && !a.external(t) {
			err = exit.Errorf(exit.Auth, noVertex)
		}
	default:
		return one, exit.Errorf(exit.Auth, noGoogleLogin, t)
	}
	one.APIVersion = trimmed(env, "GOOGLE_GENAI_API_VERSION")
	one.Bearer = trimmed(env, "GEMINI_API_KEY_AUTH_MECHANISM") == "bearer"
	return one, err
}

// withHeaders returns a profile with the headers that the user's billing of
// Vertex AI adds.
func withHeaders(p *provider.Profile, s *config.Settings) *provider.Profile {
	kind, shared := config.VertexRequestType.In(s), config.VertexSharedType.In(s)
	if kind == "" && shared == "" {
		return p
	}
	own := *p
	if own.Headers = maps.Clone(p.Headers); own.Headers == nil {
		own.Headers = map[string]string{}
	}
	if kind != "" {
		own.Headers["X-Vertex-AI-LLM-Request-Type"] = kind
	}
	if shared != "" {
		own.Headers["X-Vertex-AI-LLM-Shared-Request-Type"] = shared
	}
	return &own
}

func checkURL(address string) error {
	if address == "" {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return exit.Errorf(exit.Auth, "Invalid custom base URL: %s", provider.Shown(address))
	}
	return nil
}

// trimmed returns what a variable holds, without white space around it.
func trimmed(env *config.Env, name string) string { return strings.TrimSpace(env.Get(name)) }
