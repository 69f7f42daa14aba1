package mcp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"pollux/internal/oauth"
	"pollux/internal/process"
	"pollux/internal/secret"
)

// Config describes how to reach an MCP server and which of its tools to use, as an entry of the
// setting mcpServers does.
type Config struct {
	// Name is the name of the entry.
	Name string `json:"-"`
	// Command, Args, Env and Dir start a program.
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	Dir     string            `json:"cwd"`
	// URL is the address of a service, Type how to talk to it: "http", "sse", or "" to find out.
	// HTTPURL is the same as URL with the type "http", and wins over it.
	URL     string            `json:"url"`
	HTTPURL string            `json:"httpUrl"`
	Type    string            `json:"type"`
	Headers map[string]string `json:"headers"`
	// TimeoutMS limits each request, in milliseconds; 0 is [DefaultTimeout].
	TimeoutMS float64 `json:"timeout"`
	// Trust lets the tools run without a question.
	Trust       bool   `json:"trust"`
	Description string `json:"description"`
	// Include are the tools to use, nil for all; Exclude are those not to use.
	Include []string `json:"includeTools"`
	Exclude []string `json:"excludeTools"`
	// OAuth configures the sign-in to a service. AuthProvider is the source of its tokens; "" is a
	// sign-in, else Google Cloud. TargetAudience and TargetServiceAccount select the service account to
	// impersonate.
	OAuth                oauth.Config `json:"oauth"`
	AuthProvider         string       `json:"authProviderType"`
	TargetAudience       string       `json:"targetAudience"`
	TargetServiceAccount string       `json:"targetServiceAccount"`
	// ServerURL and DisabledTools are the names of URL and Exclude in other clients. Parse moves their values there.
	ServerURL     string   `json:"serverUrl"`
	DisabledTools []string `json:"disabledTools"`
	// Disabled keeps the server from being started.
	Disabled bool `json:"disabled"`
	// Extension is the name of the extension that brings the server, "" for none.
	Extension string `json:"-"`
	// IsProject reports whether the entry is in the settings of a project, or in File, a file of another agent there.
	IsProject bool   `json:"-"`
	File      string `json:"-"`
}

// From names the source of the server, an extension or a file of another agent; "" for settings and the program.
func (c *Config) From() string { return cmp.Or(c.Extension, c.File) }

// origin returns the origin of the server's configuration.
func (c *Config) origin(o *Options) process.Origin {
	switch {
	case c.IsProject:
		return process.OriginProject
	case c.Extension != "":
		return process.OriginExtension
	}
	return cmp.Or(o.Origin, process.OriginUser)
}

// DefaultTimeout is the time that a server has for each request if its entry does not set one.
const DefaultTimeout = 10 * time.Minute

// ErrNoTransport is the error of [Parse] for an entry without a way to reach the server.
var ErrNoTransport = errors.New("it has none of command, url and httpUrl")

// maxEntry is the maximum length of an entry with expanded variables, in bytes. Systems start no program with
// a longer command line.
const maxEntry = 1 << 20

// Parse reads an entry of mcpServers.
func Parse(name string, entry json.RawMessage) (Config, error) {
	c := Config{Name: name}
	if len(entry) > maxEntry {
		return c, fmt.Errorf("it is longer than %d MB", maxEntry>>20)
	}
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(Plain(entry), &c); {
	case errors.As(err, &wrong) && wrong.Field != "":
		return c, fmt.Errorf("%s must be %s", wrong.Field, typeName(wrong.Type))
	case err != nil:
		return c, errors.New("it is not a JSON object")
	}
	c.URL, c.Exclude = cmp.Or(c.URL, c.ServerURL), append(c.Exclude, c.DisabledTools...)
	c.ServerURL, c.DisabledTools = "", nil
	if c.Kind() == None {
		return c, ErrNoTransport
	}
	return c, nil
}

// Plain returns an entry in which each value has the type of its meaning: a list with the text, for a text in place of a list of tools,
// and a boolean for a text that says true or false.
func Plain(entry json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(entry, &members) != nil {
		return entry // which Parse refuses
	}
	hasChanged := false
	for _, key := range [...]string{"includeTools", "excludeTools", "disabledTools", "trust", "disabled"} {
		var text string
		if members[key] == nil || json.Unmarshal(members[key], &text) != nil || string(members[key]) == "null" {
			continue
		}
		switch on := strings.ToLower(text); {
		case key != "trust" && key != "disabled":
			members[key] = slices.Concat([]byte("["), members[key], []byte("]"))
		case on == "true" || on == "false":
			members[key] = json.RawMessage(on)
		}
		hasChanged = true
	}
	plain, err := json.Marshal(members)
	if err != nil || !hasChanged {
		return entry
	}
	return plain
}

// Unused returns the keys of an entry that Pollux does not use, although Gemini CLI's settings know them.
func Unused(entry json.RawMessage) (keys []string) {
	var e struct {
		TCP   json.RawMessage `json:"tcp"`
		OAuth struct {
			TokenParamName json.RawMessage `json:"tokenParamName"`
		} `json:"oauth"`
	}
	_ = json.Unmarshal(entry, &e) // Parse reports errors
	if e.TCP != nil {
		keys = append(keys, "tcp")
	}
	if e.OAuth.TokenParamName != nil {
		keys = append(keys, "oauth.tokenParamName")
	}
	return keys
}

// Kind is how messages reach a server.
type Kind string

// The kinds of servers.
const (
	None  Kind = ""
	Stdio Kind = "stdio"
	HTTP  Kind = "http" // streamable HTTP
	SSE   Kind = "sse"  // HTTP with server-sent events, as before the protocol's version 2025-03-26
)

// Kind returns how messages reach the server. HTTP servers without a type may turn out to be SSE.
func (c *Config) Kind() Kind {
	switch {
	case c.HTTPURL != "", c.URL != "" && c.Type != "sse":
		return HTTP
	case c.URL != "":
		return SSE
	case c.Command != "":
		return Stdio
	}
	return None
}

// Endpoint returns the address of a service.
func (c *Config) Endpoint() string {
	return cmp.Or(c.HTTPURL, c.URL)
}

// Target describes the server for people: its address, or its command line, without secrets.
func (c *Config) Target() string {
	if k := c.Kind(); k == HTTP || k == SSE {
		return fmt.Sprintf("%s (%s)", secret.MaskURL(c.Endpoint()), k)
	}
	return secret.MaskCommand(c.Command, c.Args) + " (stdio)"
}

// Timeout returns the time that the server has for each request.
func (c *Config) Timeout() time.Duration {
	if c.TimeoutMS > 0 && c.TimeoutMS < float64(time.Duration(1<<62)/time.Millisecond) {
		return time.Duration(c.TimeoutMS * float64(time.Millisecond))
	}
	return DefaultTimeout
}

// uses reports whether the user wants a tool of the server.
func (c *Config) uses(tool string) bool {
	if slices.Contains(c.Exclude, tool) {
		return false
	}
	return c.Include == nil || slices.ContainsFunc(c.Include, func(wanted string) bool {
		return wanted == tool || strings.HasPrefix(wanted, tool+"(")
	})
}

// typeName returns the name of a type of [Config] in messages.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list of strings"
	case reflect.Map:
		return "an object with strings"
	case reflect.Bool:
		return "true or false"
	case reflect.Struct:
		return "an object"
	}
	return "a number"
}
