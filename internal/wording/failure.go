package wording

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// Place is the context of advice about a failed request: where the user reads it, and where
// requests go. The zero value leads to general advice.
type Place struct {
	// Model is the name of the model that failed, if it is another one than the user has chosen, else "".
	Model      string
	InSession  bool   // the user can type commands such as /model
	Provider   string // name of the provider
	ProviderID string
	IsOllama   bool   // the provider is an Ollama server
	KeyFrom    string // variable, setting or store that the API key is from
	AddressVar string // variable or setting that the address is from, "" for the provider's own
	ProxyVar   string // variable that the proxy is from, "" for no proxy
	// Gateway is the address of a gateway, and GatewayKeyVar the variable for its key, which
	// Pollux does not store; "" for other providers.
	Gateway, GatewayKeyVar string
}

// Failure returns the sentences for a failed request: the problem and the next step.
func Failure(e *llm.Error, at Place) string {
	text := sentence(e)
	if at.Model != "" && !strings.Contains(text, at.Model) {
		text = at.Model + ": " + text
	}
	return text + "." + NextStep(e, at)
}

// sentence returns the problem, on one line without a final period.
func sentence(err error) string {
	text := Reason(err)
	var e *llm.Error
	if !errors.As(err, &e) || e.Status == 0 || e.Status == 200 || names(text, e.Status) {
		return text
	}
	return fmt.Sprintf("%s (status %d)", text, e.Status)
}

// names reports whether a text has a number, not only as a part of a larger one such as a port.
func names(text string, number int) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' }), strconv.Itoa(number))
}

// Retrying returns the sentence for a failed attempt and the wait until the next one.
func Retrying(e agent.Waiting) string {
	text := cmp.Or(sentence(e.Err), "The request failed")
	seconds := max(1, int(e.Delay.Round(time.Second)/time.Second))
	return fmt.Sprintf("%s. Retrying in %d s (%d of %d).", text, seconds, e.Attempt+1, e.MaxAttempts)
}

// NextStep returns the advice about a failed request. It begins with a space and continues the
// line of the message; it is empty if there is no advice.
func NextStep(e *llm.Error, at Place) string {
	if step := nextStep(e, at); step != "" {
		return " " + step
	}
	return ""
}

func nextStep(e *llm.Error, at Place) string {
	switch {
	case e.Proxy != "" && e.Status == 407:
		return "Set " + cmp.Or(at.ProxyVar, "HTTPS_PROXY") + " to http://USER:PASSWORD@" + e.Proxy + "."
	case e.Proxy != "":
		return "Check " + cmp.Or(at.ProxyVar, "HTTPS_PROXY") + "."
	case strings.HasPrefix(e.Code, "CERT_"), strings.HasPrefix(e.Code, "ERR_TLS_"), strings.HasPrefix(e.Code, "UNABLE_TO_"):
		return certificateStep(e, at)
	case e.Waited > 0:
		return "To wait longer, set pollux.response.startTimeout (in seconds), or startTimeout of the provider in modelProviders."
	}
	other := "choose another model with --model"
	if at.InSession {
		other = "choose another model with /model"
	}
	if e.IsBadKey() && !isWebPage(e) {
		return keyStep(at)
	}
	switch e.Kind {
	case llm.KindNoServer:
		step := startStep(at)
		if at.InSession {
			step += "\nTo use another model: /model. To use another provider: /auth."
		}
		return step
	case llm.KindNetwork:
		return networkStep(at)
	case llm.KindModelNotFound:
		if strings.Contains(e.Message, "ollama pull") {
			return ""
		}
		step := strings.ToUpper(other[:1]) + other[1:]
		if !at.InSession {
			step += " ('pollux models' lists them)"
		}
		return step + "."
	case llm.KindQuota:
		step := "Check your quota and billing"
		where := e.Link
		if at.AddressVar == "" { // at another address, another company may send the bill
			where = cmp.Or(where, billingPages[at.ProviderID], at.Provider)
		}
		if where != "" {
			step += " at " + where
		}
		return step + ", or " + other + "."
	case llm.KindRateLimit, llm.KindCapacity:
		return "Wait a minute and try again, or " + other + "."
	case llm.KindServer, llm.KindIncomplete:
		return "Try again later, or " + other + "."
	}
	if e.Link != "" {
		return "See " + e.Link
	}
	return ""
}

// isWebPage reports whether the server sent a page for people, as proxies do. The message has the next step.
func isWebPage(e *llm.Error) bool { return strings.Contains(e.Message, "an HTML page") }

func certificateStep(e *llm.Error, at Place) string {
	switch {
	case e.Code == "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
		return "If a proxy or gateway of your company signs it, set NODE_EXTRA_CA_CERTS to its CA file."
	case e.Code == "CERT_NOT_YET_VALID":
		return ""
	case at.AddressVar != "":
		return "Check " + at.AddressVar + "."
	}
	return "Check the base URL and the network."
}

// startStep returns the advice if nothing listens at an address of this machine.
func startStep(at Place) string {
	switch {
	case at.IsOllama:
		return "Is Ollama running? Start it with: ollama serve"
	case at.AddressVar != "":
		return "Start the server there, or check " + at.AddressVar + "."
	case at.Provider != "":
		return "Is " + at.Provider + " running? Start its server."
	}
	return "Start the server, or check the base URL."
}

// networkStep returns the advice if a connection fails.
func networkStep(at Place) string {
	check := []string{"the network"}
	for _, name := range []string{at.ProxyVar, at.AddressVar} {
		if name != "" {
			check = append(check, name)
		}
	}
	return "Check " + strings.Join(check, " and ") + "."
}

// keyStep returns the advice for an API key that the provider refuses.
func keyStep(at Place) string {
	if at.GatewayKeyVar != "" && at.KeyFrom == "" {
		step := "Set " + at.GatewayKeyVar + " to the key for " + at.Gateway
		if at.InSession {
			return step + ", or enter the key with /auth."
		}
		return step + "."
	}
	if at.InSession && at.ProviderID != "" && at.KeyFrom == "" {
		return "Enter a key with /auth."
	}
	step := "Check the API key"
	if at.KeyFrom != "" {
		step += " in " + at.KeyFrom
	}
	switch {
	case at.InSession:
		return step + ", or enter another with /auth."
	case at.ProviderID != "" && at.GatewayKeyVar == "":
		return step + ", or store another with 'pollux auth set " + at.ProviderID + "'."
	}
	return step + "."
}

// billingPages are the pages on which users see their quota and pay, by provider id.
var billingPages = map[string]string{
	"gemini":     "https://aistudio.google.com/usage",
	"vertexai":   "https://console.cloud.google.com/iam-admin/quotas",
	"openai":     "https://platform.openai.com/settings/organization/billing",
	"anthropic":  "https://console.anthropic.com/settings/billing",
	"openrouter": "https://openrouter.ai/settings/credits",
}
