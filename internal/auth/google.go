package auth

import (
	"cmp"
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

// googleFromEnv returns which of Google's types the environment speaks for, and
// by which variable. A base URL with a key is the Gemini API at another address;
// without one, a gateway.
func googleFromEnv(env *config.Env) (Type, string) {
	switch {
	case env.True("GOOGLE_GENAI_USE_GCA"):
		return GoogleLogin, "GOOGLE_GENAI_USE_GCA"
	case env.True("GOOGLE_GENAI_USE_VERTEXAI"):
		return VertexAI, "GOOGLE_GENAI_USE_VERTEXAI"
	case trimmed(env, "GEMINI_API_KEY") != "":
		return GeminiAPIKey, "GEMINI_API_KEY"
	case trimmed(env, "GOOGLE_GEMINI_BASE_URL") != "":
		return Gateway, "GOOGLE_GEMINI_BASE_URL"
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

// googleType returns the type that stands for a profile of Google's.
func (a *Accounts) googleType(p *provider.Profile) Type {
	switch {
	case p.Protocol == provider.Vertex:
		return VertexAI
	case a.Chosen == Gateway, trimmed(a.in.Env, "GEMINI_API_KEY") == "" && trimmed(a.in.Env, "GOOGLE_GEMINI_BASE_URL") != "":
		return Gateway
	}
	return GeminiAPIKey
}

// google returns the account of one of Google's types, with what that needs;
// known is false for any other. With security.auth.useExternal, nothing is asked
// for: what is missing comes from elsewhere.
func (a *Accounts) google(t Type) (one Account, known bool, err error) {
	env, external := a.in.Env, config.AuthUseExternal.In(a.in.Settings)
	one.Type = t
	switch t {
	case GeminiAPIKey, Gateway:
		one.Profile = a.Table().Find("gemini")
		one.APIKey, one.From = trimmed(env, "GEMINI_API_KEY"), "GEMINI_API_KEY"
		one.BaseURL = cmp.Or(trimmed(env, "GOOGLE_GEMINI_BASE_URL"), one.Profile.BaseURL)
		if own := strings.TrimSpace(one.Profile.APIKey); own != "" {
			one.APIKey, one.From = own, "modelProviders.gemini.apiKey"
		}
		switch one.Gateway = t == Gateway; {
		case external:
		case one.Gateway && one.BaseURL == "":
			err = exit.Errorf(exit.Auth, noGatewayURL)
		case !one.Gateway && one.APIKey == "":
			err = exit.Errorf(exit.Auth, noGeminiKey)
		}
		if one.APIKey == "" {
			one.From = "GOOGLE_GEMINI_BASE_URL"
		}
	case VertexAI:
		one.Profile = withHeaders(a.Table().Find("vertexai"), a.in.Settings)
		one.APIKey, one.From = trimmed(env, "GOOGLE_API_KEY"), "GOOGLE_API_KEY"
		one.BaseURL = cmp.Or(trimmed(env, "GOOGLE_VERTEX_BASE_URL"), one.Profile.BaseURL)
		if one.APIKey != "" {
			break
		}
		one.Project = trimmed(env, "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_PROJECT_ID")
		one.Location = trimmed(env, "GOOGLE_CLOUD_LOCATION")
		one.From = "GOOGLE_CLOUD_PROJECT"
		if (one.Project == "" || one.Location == "") && !external {
			err = exit.Errorf(exit.Auth, noVertex)
		}
	case GoogleLogin, ComputeADC, CloudShell:
		return one, true, exit.Errorf(exit.Auth, noGoogleLogin, t)
	default:
		return one, false, nil
	}
	one.APIVersion = trimmed(env, "GOOGLE_GENAI_API_VERSION")
	one.Bearer = trimmed(env, "GEMINI_API_KEY_AUTH_MECHANISM") == "bearer"
	return one, true, err
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
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return exit.Errorf(exit.Auth, "Invalid custom base URL: %s", address)
	}
	return nil
}

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
