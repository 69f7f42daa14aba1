package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"pollux/internal/config"
	"pollux/llm/provider"
	"pollux/tool"
)

var gatewayProtocols = [...]struct {
	key, label, about string
	protocol          provider.Protocol
}{
	{"o", "OpenAI", "most gateways: LiteLLM, Azure, OpenRouter and others", provider.Chat},
	{"g", "Gemini", "", provider.Gemini},
	{"a", "Anthropic", "", provider.Anthropic},
}

// addGateway asks for the protocol, the address and the key of a gateway, and adds it to the providers in the user's
// settings unless it is there. The key is the gateway's own: it is stored under its name, and never goes to the vendor.
func (s *signIn) addGateway() (SignIn, error) {
	protocol, address, err := s.askGateway()
	if err != nil {
		return SignIn{}, err
	}
	id := s.gatewayID(protocol, address)
	if known := s.accounts.Table().Find(id); known != nil {
		return s.askKey(known)
	}
	entry := map[string]any{
		"protocol": string(protocol), "name": "the gateway " + address.Host, "baseUrl": address.String(),
		"keyVars": []any{strings.ToUpper(strings.ReplaceAll(id, "-", "_")) + "_API_KEY"},
	}
	raw, err := json.Marshal(entry)
	if err != nil {
		return SignIn{}, err
	}
	if wrong := s.accounts.Table().Add(map[string]json.RawMessage{id: raw}); len(wrong) > 0 {
		return SignIn{}, errors.Join(wrong...)
	}
	done, err := s.askKey(s.accounts.Table().Find(id))
	if err != nil {
		return SignIn{}, err
	}
	if err := s.Paths.Set(config.User, string(config.ModelProviders)+"."+id, entry); err != nil {
		return SignIn{}, fmt.Errorf("the key is stored, but not the gateway: %w", err)
	}
	done.Text += fmt.Sprintf("\nAdded it as %s to %s in %s.", id, config.ModelProviders, s.Paths.Display(s.Settings.UserFile()))
	return done, nil
}

// gatewayID returns the name of a gateway among the user's providers: that of the known one with this protocol and
// address, else a free one.
func (s *signIn) gatewayID(protocol provider.Protocol, address *url.URL) string {
	id := "my-gateway"
	for n := 2; ; n++ {
		known := s.accounts.Table().Find(id)
		if known == nil || known.Protocol == protocol && known.BaseURL == address.String() {
			return id
		}
		id = fmt.Sprintf("my-gateway-%d", n)
	}
}

// askGateway asks for the protocol and the address of a gateway.
func (s *signIn) askGateway() (protocol provider.Protocol, address *url.URL, err error) {
	q := tool.Question{Text: "Which protocol does the gateway speak?", Header: "Protocol", Kind: tool.ChoiceQuestion, Closed: true}
	for _, p := range gatewayProtocols {
		q.Options = append(q.Options, tool.Option{Key: p.key, Label: p.label, Description: p.about})
	}
	answer, err := s.next(q)
	if err != nil {
		return "", nil, err
	}
	for _, p := range gatewayProtocols {
		if p.label == answer {
			protocol = p.protocol
		}
	}
	for problem := ""; ; {
		answer, err = s.next(tool.Question{
			Text: problem + "What is its address? For example https://models.example.com/v1", Header: "Address", Kind: tool.TextQuestion,
			Help: "Pollux sends your prompts and the key to this address. A gateway without a key is added to " + string(config.ModelProviders) + " in settings.json.",
		})
		if err != nil {
			return "", nil, err
		}
		if wrong := checkURL(answer); wrong != nil {
			problem = wrong.Error() + "\n"
			continue
		}
		address, err = url.Parse(answer)
		return protocol, address, err
	}
}
