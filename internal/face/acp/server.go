package acp

import (
	"encoding/json"
	"errors"

	"pollux/internal/face/acp/schema"
	"pollux/internal/face/acp/wire"
	"pollux/internal/terminal"
)

// begin begins to answer a request.
func (s *server) begin(method string, params json.RawMessage) wire.Answer {
	if method == schema.Initialize {
		return with(params, s.initialize)
	}
	if s.clientInfo() == nil {
		return wire.Fail(wire.Errorf(wire.InvalidRequest, "Not initialized: send initialize first."))
	}
	switch method {
	case schema.Authenticate:
		return with(params, s.authenticate)
	case schema.Logout:
		return s.logout()
	case schema.New:
		return with(params, s.newSession)
	case schema.Load:
		return with(params, s.loadSession)
	case schema.Resume:
		return with(params, s.resumeSession)
	case schema.List:
		return with(params, s.listSessions)
	case schema.Close:
		return with(params, s.closeSession)
	case schema.Delete:
		return with(params, s.deleteSession)
	case schema.Prompt:
		return with(params, s.prompt)
	case schema.SetMode:
		return with(params, s.setMode)
	case schema.SetModel:
		return with(params, s.setModel)
	case schema.SetOption:
		return with(params, s.setOption)
	}
	return wire.Fail(wire.Unknown(method))
}

// notify takes a message that has no answer.
func (s *server) notify(method string, params json.RawMessage) {
	var p schema.OfSession
	if method != schema.Cancel || json.Unmarshal(params, &p) != nil {
		return
	}
	if c, err := s.find(p.SessionID); err == nil {
		c.cancel()
	}
}

// with decodes the parameters of a method.
func with[T any](params json.RawMessage, f func(T) wire.Answer) wire.Answer {
	var p T
	if len(params) == 0 || params[0] != '{' {
		return wire.Fail(invalid("", "The parameters are an object."))
	}
	if err := json.Unmarshal(params, &p); err != nil {
		path := ""
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			path = wrong.Field
			return wire.Fail(invalid(path, "This cannot be a "+wrong.Value+"."))
		}
		return wire.Fail(invalid(path, err.Error()))
	}
	return f(p)
}

// issue is a parameter that is wrong.
type issue struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// invalid returns the error for a parameter, by its path.
func invalid(path, message string) *wire.Error {
	message = terminal.Brief(terminal.Text(message)) // it may quote the client
	text := "Invalid params: " + message
	if path != "" {
		text = "Invalid params: " + path + ": " + message
	}
	return &wire.Error{Code: wire.InvalidParams, Message: text, Data: []issue{{path, message}}}
}

// clientInfo returns the parameters of initialize, nil before that.
func (s *server) clientInfo() *schema.InitializeRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client
}

// initialize answers at once: it reads no file.
func (s *server) initialize(p schema.InitializeRequest) wire.Answer {
	if p.ProtocolVersion == nil {
		return wire.Fail(invalid("protocolVersion", "It is missing."))
	}
	s.mu.Lock()
	s.client = &p
	s.mu.Unlock()
	info := schema.Implementation{Name: "pollux", Title: "Pollux", Version: s.Session.Project.Version}
	if s.IsGemini {
		info.Name, info.Title = "gemini-cli", "Gemini CLI (Pollux)"
	}
	return wire.Result(schema.InitializeResponse{
		ProtocolVersion: schema.Version,
		Capabilities: schema.AgentCapabilities{
			LoadSession: true,
			Prompt:      schema.PromptCapabilities{Image: true, Audio: true, EmbeddedContext: true},
			MCP:         schema.MCPCapabilities{HTTP: true, SSE: true},
			Session: schema.SessionCapabilities{
				List: &schema.Empty{}, Resume: &schema.Empty{}, Close: &schema.Empty{}, Delete: &schema.Empty{}, AdditionalDirectories: &schema.Empty{},
			},
			Auth: schema.AuthCapabilities{Logout: &schema.Empty{}},
		},
		Info: info, AuthMethods: s.authMethods(),
	})
}
