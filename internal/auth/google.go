package auth

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/llm/adc"
	"pollux/llm/ellipsis"
	"pollux/llm/provider"
)

const (
	noGeminiKey  = "Gemini needs an API key. Set GEMINI_API_KEY, or run 'pollux auth set gemini'. Create a key at https://aistudio.google.com/apikey."
	noVertex     = "Vertex AI needs GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or GOOGLE_API_KEY (express mode)."
	noGatewayURL = "A gateway needs an address. Set GOOGLE_GEMINI_BASE_URL."

	noGoogleLogin = "Pollux does not support \"Login with Google\" (%s): its terms allow only Google's own programs. " +
		"Run 'pollux auth set' to store a key (Gemini's: https://aistudio.google.com/apikey), or set GEMINI_API_KEY and pollux.auth.selectedType to \"gemini-api-key\" " +
		"(or \"vertex-ai\"; 'pollux doctor' lists all providers). Gemini CLI keeps its login."

	noMachine = "Cannot use the Google Cloud account of this machine: %s. " +
		"Select another provider in security.auth.selectedType, or run 'pollux doctor'."
	noCloudProject = "Your Google Cloud credentials name no project. Set GOOGLE_CLOUD_PROJECT, or run\n" +
		"'gcloud auth application-default set-quota-project PROJECT'."
	noADC = "Cannot use your Google Cloud credentials: %s. Check GOOGLE_APPLICATION_CREDENTIALS, or run " +
		"'gcloud auth application-default login'."
)

func (t Type) isGoogles() bool {
	return slices.Contains([]Type{GeminiAPIKey, VertexAI, Gateway, GoogleLogin, ComputeADC, CloudShell}, t)
}

// IsReserved reports whether a name selects one of Google's types of sign-in, so that no provider of the user can have it.
func IsReserved(name string) bool { return Type(name).isGoogles() }

// switchVar is a variable that selects one of Google's types if it is true.
type switchVar struct {
	name string
	Type Type
}

// switched returns the type of the first of the variables that is true, and its name.
func switched(env *config.FolderEnv, variables ...switchVar) (Type, string) {
	for _, v := range variables {
		if env.True(v.name) {
			return v.Type, v.name
		}
	}
	return "", ""
}

// isGoogle reports whether a profile belongs to one of Google's types. Profiles of other
// providers may use the same protocols.
func isGoogle(p *provider.Profile) bool { return p.ID == "gemini" || p.ID == "vertexai" }

// googleType returns the type for a profile of Google's. A base URL with a key is the Gemini
// API at another address; without a key it is a gateway.
func (a *Accounts) googleType(p *provider.Profile) Type {
	access, _ := a.plain(p)
	switch {
	case p.ID == "vertexai":
		return VertexAI
	case a.Chosen == Gateway, access.APIKey == "" && access.BaseURL != "" && a.Chosen != GeminiAPIKey:
		return Gateway
	}
	return GeminiAPIKey
}

// google returns the account for one of Google's types, and an error if something is missing.
// With security.auth.useExternal nothing is required, because it comes from elsewhere.
func (a *Accounts) google(t Type, read reading) (one Account, err error) {
	one.Type = t
	if a.isExternal(t) || t == Gateway || t == ComputeADC {
		read = a.plain
	}
	switch t {
	case GeminiAPIKey, Gateway:
		one.ConfiguredID = "gemini"
		one.Access, _ = read(a.Table().Find(one.ConfiguredID))
		one.Gateway = one.Gateway || t == Gateway
		switch {
		case a.isExternal(t):
			one.Gateway = one.Gateway || one.APIKey == ""
		case one.Gateway && one.BaseURL == "":
			err = exit.Errorf(exit.Auth, noGatewayURL)
		case !one.Gateway && one.APIKey == "":
			err = exit.Errorf(exit.Auth, noGeminiKey)
		}
	case VertexAI, ComputeADC:
		one.ConfiguredID = "vertexai"
		one.Access, _ = read(withHeaders(a.Table().Find(one.ConfiguredID), a.in.Settings))
		if t == ComputeADC {
			err = a.onMachine(&one.Access)
		} else {
			err = a.onVertex(&one.Access)
		}
	default:
		return one, exit.Errorf(exit.Auth, noGoogleLogin+"%s", t, a.readyHint())
	}
	a.setGoogleOptions(&one.Access)
	if p := a.Table().Find(one.ConfiguredID); isGateway(p, &one.Access) {
		one.GatewayKeyVar = p.KeyVars[0]
	}
	return one, err
}

// setGoogleOptions sets the environment's options of Google's protocols.
func (a *Accounts) setGoogleOptions(access *provider.Access) {
	access.APIVersion = trimmed(a.in.Env, "GOOGLE_GENAI_API_VERSION")
	access.Bearer = trimmed(a.in.Env, "GEMINI_API_KEY_AUTH_MECHANISM") == "bearer"
}

// onVertex completes access to Vertex AI: with a key in express mode, otherwise with a project
// and the default credentials. Without variables, the project is that of the credentials file, and the location is global.
func (a *Accounts) onVertex(access *provider.Access) error {
	if access.APIKey != "" {
		access.Project, access.Location = "", ""
		return nil
	}
	access.From = "GOOGLE_CLOUD_PROJECT"
	if a.isExternal(VertexAI) {
		return nil
	}
	if path, project, err := access.ADC.Locate(); path != "" && err == nil {
		if access.Project == "" && project != "" {
			access.Project, access.From = project, path
		}
		access.Location = cmp.Or(access.Location, defaultLocation)
	}
	switch {
	case access.Project == "" || access.Location == "":
		return exit.Errorf(exit.Auth, noVertex)
	}
	return cmp.Or(checkLocation(access), a.adcError())
}

// checkLocation returns an error for a location that would change the host name of the
// address. Any folder's .env file can set it.
func checkLocation(access *provider.Access) error {
	if access.BaseURL != "" || adc.IsLocation(access.Location) {
		return nil
	}
	return exit.Errorf(exit.Auth, "GOOGLE_CLOUD_LOCATION is %q, which is not a Google Cloud location. Set it to \"global\" or \"us-central1\", for example.", access.Location)
}

// checkADC returns an error if the default credentials are not usable, as far as that can be
// checked locally.
func (a *Accounts) checkADC() error {
	if err := adc.FromEnv(a.in.Env.Get).Check(); err != nil {
		return exit.Errorf(exit.Auth, noADC, strings.TrimSuffix(err.Error(), "."))
	}
	return nil
}

// defaultLocation is the location of Vertex AI that has all models.
const defaultLocation = "global"

// machine is the service account of a Google Cloud machine.
type machine struct {
	tokens  adc.Tokens
	project string
}

// onMachine completes access with the account of this machine. Vertex AI is billed to the
// machine's project unless another one is set.
func (a *Accounts) onMachine(access *provider.Access) error {
	m, err := a.machine()
	if err != nil {
		return err
	}
	access.APIKey, access.AuthToken, access.From = "", "", "the metadata server"
	access.ADC.Custom = m.tokens
	access.Project = cmp.Or(access.Project, trimmed(a.in.Env, "DEVSHELL_PROJECT_ID"), m.project)
	access.Location = cmp.Or(access.Location, defaultLocation)
	if access.Project == "" {
		return exit.Errorf(exit.Auth, noMachine, "it reports no project, and GOOGLE_CLOUD_PROJECT is not set")
	}
	return checkLocation(access)
}

// askMachine queries the metadata server for the account of this machine.
func (a *Accounts) askMachine() (machine, error) {
	const timeout = 3 * time.Second
	ctx, cancel := context.WithTimeout(a.in.Context, timeout)
	defer cancel()
	tokens, project, err := adc.MachineTokens(ctx)
	switch {
	case err == nil:
		return machine{tokens, project}, nil
	case a.in.Context.Err() != nil:
		return machine{}, context.Cause(a.in.Context)
	case ctx.Err() != nil:
		err = errors.New("the metadata server does not respond")
	}
	return machine{}, exit.Errorf(exit.Auth, noMachine, strings.TrimSuffix(shorten(err.Error()), "."))
}

// shorten returns the first line of an external text, cut to 300 bytes.
func shorten(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return ellipsis.Bytes(text, 300)
}

// withHeaders returns a profile with additional headers for the user's Vertex AI billing
// settings.
func withHeaders(p *provider.Profile, s *config.Settings) *provider.Profile {
	kind, shared := config.VertexRequestType.In(s), config.VertexSharedType.In(s)
	if kind == "" && shared == "" {
		return p
	}
	own := *p
	own.Headers = map[string]string{}
	maps.Copy(own.Headers, p.Headers)
	if kind != "" {
		own.Headers["X-Vertex-AI-LLM-Request-Type"] = kind
	}
	if shared != "" {
		own.Headers["X-Vertex-AI-LLM-Shared-Request-Type"] = shared
	}
	return &own
}

// trimmed returns the value of a variable without surrounding white space.
func trimmed(env *config.FolderEnv, name string) string { return strings.TrimSpace(env.Get(name)) }
