package subagent

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"pollux/internal/charset"
	"pollux/internal/frontmatter"
	"pollux/internal/guard/hook"
)

// Parse reads the definitions in a file: one local or remote subagent, or a list of remote ones. Unknown
// keys are errors. The text of an error starts like that of Gemini CLI, and names each wrong key.
func Parse(file []byte) ([]*Definition, error) {
	front, body, ok := frontmatter.Cut(charset.Text(file))
	if !ok {
		return nil, errNoFrontMatter
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(front), &document); err != nil {
		return nil, fmt.Errorf("YAML frontmatter parsing failed: %s", yamlProblem(err))
	}
	hash := sha256.Sum256(file)
	var list []*Definition
	title, root := "Agent Definition", &yaml.Node{}
	if len(document.Content) > 0 {
		root = document.Content[0]
	}
	f := &fields{}
	if root.Kind == yaml.SequenceNode {
		title = "Remote Agents List"
		for i, one := range root.Content {
			f.prefix = fmt.Sprintf("%d.", i)
			list = append(list, f.remote(one))
		}
	} else {
		list = append(list, f.agent(root, body))
	}
	if len(f.problems) > 0 {
		//lint:ignore ST1005 the text is that of Gemini CLI
		return nil, fmt.Errorf("Validation failed: %s:\n%s", title, strings.Join(f.problems, "\n"))
	}
	for _, d := range list {
		d.Hash = hex.EncodeToString(hash[:])
		switch {
		case d.CardURL != "":
			d.Hash = d.CardURL
		case d.CardJSON != "":
			card := sha256.Sum256([]byte(d.CardJSON))
			d.Hash = hex.EncodeToString(card[:])
		}
	}
	return list, nil
}

// yamlProblem describes an error of front matter, with the line in the file in which the wrong part begins: the one of the front matter, and the mark above it.
func yamlProblem(err error) string {
	wrong := (*yaml.LoadError)(nil)
	if !errors.As(err, &wrong) || wrong.Mark.Line == 0 {
		return err.Error()
	}
	return fmt.Sprintf("line %d: %s", cmp.Or(wrong.ContextMark.Line, wrong.Mark.Line)+1, wrong.Message)
}

//lint:ignore ST1005 the text is that of Gemini CLI
var errNoFrontMatter = errors.New(`Invalid agent definition: Missing mandatory YAML frontmatter. Start the file with its name and description between two lines "---".`)

// remoteKeys are the keys that only remote subagents have, other than kind.
var remoteKeys = []string{"agent_card_url", "agent_card_json", "auth"}

// agent reads a local or remote subagent.
func (f *fields) agent(node *yaml.Node, body string) *Definition {
	if node.Kind != yaml.MappingNode {
		f.wrong("", "the front matter must have keys, such as name and description")
		return &Definition{}
	}
	isRemote := false
	for key, value := range pairs(node) {
		switch {
		case key == "kind":
			isRemote = value.Value == string(RemoteKind)
			if isRemote || value.Value == string(LocalKind) {
				continue
			}
			f.wrong(key, `must be "local" or "remote"`)
		case slices.Contains(remoteKeys, key) && lookup(node, "kind") == nil:
			isRemote = true
		}
	}
	if isRemote {
		return f.remote(node)
	}
	return f.local(node, body)
}

// local reads a local subagent, whose prompt is body.
func (f *fields) local(node *yaml.Node, body string) *Definition {
	d := &Definition{
		Kind: LocalKind, Prompt: body, Query: "${query}", Input: "query",
		MaxTurns: DefaultTurns, Timeout: DefaultTimeout,
	}
	for key, value := range pairs(node) {
		switch key {
		case "kind":
		case "name", "description", "display_name":
			f.common(d, key, value)
		case "tools":
			d.Tools = f.tools(key, value)
		case "mcp_servers", "mcpServers":
			d.Servers = f.servers(key, value)
		case "model":
			if d.Model = f.text(key, value); d.Model == "inherit" {
				d.Model = ""
			}
		case "temperature":
			if n, ok := f.number(key, value); ok {
				d.Settings = map[string]any{"temperature": n}
			}
		case "max_turns":
			d.MaxTurns = f.positive(key, value, MaxTurns)
		case "timeout_mins":
			d.Timeout = time.Duration(f.positive(key, value, MaxMinutes)) * time.Minute
		default:
			f.wrong("", "Unrecognized key(s) in object: '%s'%s", key, hint(key))
		}
	}
	f.required(node, "name", "description")
	if d.Prompt == "" && len(f.problems) == 0 {
		f.wrong("", "the text after the front matter, the system prompt, is empty")
	}
	return d
}

// The largest limits of a run.
const (
	MaxTurns   = 10_000
	MaxMinutes = 24 * 60 // of its time
)

// hint names the key that was probably meant.
func hint(key string) string {
	return meant(map[string]string{
		"system_prompt": "the text after the front matter", "prompt": "the text after the front matter", "displayName": "display_name", "maxTurns": "max_turns",
		"timeoutMins": "timeout_mins", "timeout": "timeout_mins", "title": "display_name", "allowed-tools": "tools",
	}[key])
}

// meant returns the end of an error that names the right word, "" if word is "".
func meant(word string) string {
	if word == "" {
		return ""
	}
	return ". Use " + word
}

func (f *fields) remote(node *yaml.Node) *Definition {
	d := &Definition{Kind: RemoteKind, Input: "query"}
	if node.Kind != yaml.MappingNode {
		f.wrong("", "each entry must have keys, such as name and agent_card_url")
		return d
	}
	for key, value := range pairs(node) {
		switch key {
		case "kind":
			if value.Value != string(RemoteKind) {
				f.wrong(key, `Invalid literal value, expected "remote"`)
			}
		case "name", "description", "display_name":
			f.common(d, key, value)
		case "agent_card_url":
			d.CardURL = f.text(key, value)
			if u, err := url.Parse(d.CardURL); err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "" {
				f.wrong(key, "Invalid url")
			}
		case "agent_card_json":
			if d.CardJSON = f.text(key, value); !json.Valid([]byte(d.CardJSON)) {
				f.wrong(key, "agent_card_json must be valid JSON")
			}
		case "auth":
			d.Auth = f.auth(key, value)
		default:
			f.wrong("", "Unrecognized key(s) in object: '%s'", key)
		}
	}
	f.required(node, "name")
	if (d.CardURL == "") == (d.CardJSON == "") {
		f.wrong("", "exactly one of agent_card_url and agent_card_json is required")
	}
	return d
}

// auth reads how to sign in to a remote subagent. Its client checks the rest.
func (f *fields) auth(key string, node *yaml.Node) map[string]any {
	var auth map[string]any
	if node.Kind != yaml.MappingNode || node.Decode(&auth) != nil {
		f.wrong(key, "Expected object")
		return nil
	}
	known := []string{"apiKey", "http", "google-credentials", "oauth"}
	if kind, _ := auth["type"].(string); !slices.Contains(known, kind) {
		f.wrong(key+".type", "Invalid discriminator value. Expected '%s'", strings.Join(known, "' | '"))
	}
	return auth
}

// isSlug reports whether a name has only small letters, digits, "-" and "_".
func isSlug(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// common reads a key that all subagents have.
func (f *fields) common(d *Definition, key string, node *yaml.Node) {
	text := f.text(key, node)
	switch key {
	case "name":
		if d.Name = text; !isSlug(text) || len(text) > maxName {
			f.wrong(key, "Name must be a valid slug: small letters, digits, - and _")
		}
	case "description":
		if d.Description = text; text == "" && d.Kind == LocalKind {
			f.wrong(key, "String must contain at least 1 character(s)")
		}
	case "display_name":
		d.DisplayName = text
	}
}

const maxName = 100

func (f *fields) required(node *yaml.Node, keys ...string) {
	for _, key := range keys {
		if lookup(node, key) == nil {
			f.wrong(key, "Required")
		}
	}
}

func (f *fields) tools(key string, node *yaml.Node) []string {
	if node.Kind != yaml.SequenceNode {
		f.wrong(key, "Expected array, received %s. Write it as in: [read_file, glob]", kindOf(node))
		return nil
	}
	names := []string{}
	for i, one := range node.Content {
		name := f.text(fmt.Sprintf("%s.%d", key, i), one)
		if name != "" && !isToolName(name) {
			f.wrong(fmt.Sprintf("%s.%d", key, i), "Invalid tool name %q%s", name, meant(hook.ClaudeTool(name)))
		}
		names = append(names, name)
	}
	return names
}

// servers reads MCP servers as entries of the setting mcpServers.
func (f *fields) servers(key string, node *yaml.Node) map[string]json.RawMessage {
	if node.Kind != yaml.MappingNode {
		f.wrong(key, "Expected object, received %s", kindOf(node))
		return nil
	}
	servers := map[string]json.RawMessage{}
	for name, value := range pairs(node) {
		var entry map[string]any
		if value.Kind != yaml.MappingNode || value.Decode(&entry) != nil {
			f.wrong(key+"."+name, "Expected object, received %s", kindOf(value))
			continue
		}
		data, err := json.Marshal(serverEntry(entry))
		if err != nil {
			f.wrong(key+"."+name, "%v", err)
			continue
		}
		servers[name] = data
	}
	return servers
}

// serverEntry returns an entry with the names of the setting mcpServers.
func serverEntry(entry map[string]any) map[string]any {
	camel := map[string]string{"http_url": "httpUrl", "include_tools": "includeTools", "exclude_tools": "excludeTools"}
	setting := map[string]any{}
	for key, value := range entry {
		setting[cmp.Or(camel[key], key)] = value
	}
	auth, _ := entry["auth"].(map[string]any)
	if auth == nil {
		return setting
	}
	delete(setting, "auth")
	oauth := map[string]any{"enabled": true}
	for key, value := range auth {
		if key != "type" {
			oauth[camelCase(key)] = value
		}
	}
	if auth["type"] == "google-credentials" {
		setting["authProviderType"] = "google_credentials"
	}
	setting["oauth"] = oauth
	return setting
}

// camelCase returns client_id as clientId.
func camelCase(key string) string {
	words := strings.Split(key, "_")
	for i := 1; i < len(words); i++ {
		if words[i] != "" {
			words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
		}
	}
	return strings.Join(words, "")
}
