package ollama

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/httpwire"
)

// model is the client's knowledge of a model: the server's description and
// the lessons from rejections. A value in use is never modified.
type model struct {
	name            string
	maxWindow       int  // tokens that the model supports, 0 if unknown
	userWindow      int  // tokens set by the user, or 0
	authorWindow    int  // tokens set by the model's author, or 0
	isRemote        bool // the model runs on a remote server such as ollama.com
	toolSupport     catalog.Ability
	thinkingSupport catalog.Ability
	imageSupport    catalog.Ability
	hasLevels       bool // it has thinking levels instead of on and off

	// Learned from rejections.
	memoryLimit     int  // tokens that fit in memory, 0 if unknown
	schemaInText    bool // the model gets the output schema in the instruction
	startsInThought bool // responses begin inside a thought
	isStartLearned  bool // the client has set startsInThought, which may be wrong
	// unreadable is the last message with which the server could not read an image.
	unreadable *llm.Content

	window int    // tokens to request
	key    string // cache key for the encoded form of messages
}

// setDerived sets the fields that depend on others and returns m.
func (m *model) setDerived() *model {
	m.window = cmp.Or(m.userWindow, m.authorWindow, DefaultWindow)
	if m.isRemote && m.userWindow == 0 {
		m.window = cmp.Or(m.maxWindow, m.window)
	}
	for _, limit := range []int{m.maxWindow, m.memoryLimit} {
		if limit > 0 {
			m.window = min(m.window, limit)
		}
	}
	m.key = "ollama"
	if m.imageSupport == catalog.No {
		m.key = "ollama/blind"
	}
	return m
}

func (m *model) catalogModel() catalog.Model {
	k := catalog.Model{
		Name: m.name, Input: m.window, Tools: m.toolSupport, Thinking: m.thinkingSupport,
		Images: m.imageSupport, PDF: catalog.No, Audio: catalog.No, Video: catalog.No,
	}
	if m.hasLevels {
		k.Efforts = []string{"low", "medium", "high"}
	}
	return k
}

// addModel stores m and returns it, or the entry that another goroutine has
// stored first.
func (c *Client) addModel(m *model) *model {
	return c.models.GetOrCreate(m.name, m.setDerived)
}

// updateModel replaces the entry of a model with a changed copy.
func (c *Client) updateModel(name string, change func(*model)) {
	c.models.Update(name, func(m model) *model {
		change(&m)
		return m.setDerived()
	})
}

// model returns the entry of a model. It asks the server if there is none; two
// goroutines may ask at the same time. The client does not store errors,
// because the model may exist the next time.
func (c *Client) model(ctx context.Context, name string) (*model, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if m := c.models.Get(name); m != nil {
		return m, nil
	}
	data, err := c.describeModel(ctx, name)
	m := c.newModel(name)
	switch {
	case err == nil:
		if err := m.describe(data); err != nil {
			return nil, httpwire.Malformed("description of "+name, err, data)
		}
	case isUnknownMethod(err):
		c.log(name, "the server does not describe its models")
	default:
		return nil, err
	}
	return c.addModel(m), nil
}

// newModel returns an entry without the server's description.
func (c *Client) newModel(name string) *model {
	m := &model{name: name, isRemote: c.base.Hostname() == "ollama.com"}
	if c.options.Window != nil {
		m.userWindow = max(c.options.Window(name), 0)
	}
	return m
}

// describeModel asks the server for the description of a model and returns its
// JSON.
func (c *Client) describeModel(ctx context.Context, name string) ([]byte, error) {
	o := httpwire.Object{}
	o.Key("model")
	o.B = llm.AppendString(o.B, name)
	return c.readJSON(ctx, name, "show", o.End(), showTimeout)
}

// isUnknownMethod reports whether err means that the server does not know the
// method, as opposed to the model. It is then not Ollama but a server with a
// similar API.
func isUnknownMethod(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Kind == llm.KindOther &&
		(e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented)
}

// describe adds the server's description to m.
func (m *model) describe(data []byte) error {
	var about struct {
		Parameters   json.RawMessage            `json:"parameters"`
		Info         map[string]json.RawMessage `json:"model_info"`
		Capabilities []string                   `json:"capabilities"`
		Details      struct {
			Family string `json:"family"`
		} `json:"details"`
		RemoteHost string `json:"remote_host"`
	}
	if err := json.Unmarshal(data, &about); err != nil {
		return err
	}
	m.maxWindow = contextLength(about.Info)
	m.authorWindow = numCtx(about.Parameters)
	m.isRemote = m.isRemote || about.RemoteHost != ""
	m.hasLevels = about.Details.Family == "gptoss" || strings.Contains(m.name, "gpt-oss")
	if about.Capabilities != nil { // servers before 2025 do not send them
		support := func(what string) catalog.Ability { return catalog.FromBool(slices.Contains(about.Capabilities, what)) }
		m.toolSupport, m.thinkingSupport, m.imageSupport = support("tools"), support("thinking"), support("vision")
	}
	return nil
}

// contextLength returns the number of tokens that a model supports, or 0. The
// key of the number begins with the name of the model's architecture.
func contextLength(info map[string]json.RawMessage) int {
	const name = ".context_length"
	var architecture string
	if json.Unmarshal(info["general.architecture"], &architecture) == nil {
		if n := parseTokens(info[architecture+name]); n > 0 {
			return n
		}
	}
	for _, key := range slices.Sorted(maps.Keys(info)) {
		if n := parseTokens(info[key]); n > 0 && strings.HasSuffix(key, name) {
			return n
		}
	}
	return 0
}

// parseTokens parses a number of tokens. It returns 0 if raw is not a plausible
// number.
func parseTokens(raw []byte) int {
	f, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil || !(f >= 1 && f <= 1<<30) {
		return 0
	}
	return int(f)
}

// numCtx returns the window size in a model's parameters, or 0. The parameters
// are lines of a name and a value.
func numCtx(raw json.RawMessage) int {
	var parameters string
	if json.Unmarshal(raw, &parameters) != nil {
		return 0
	}
	n := 0
	for line := range strings.Lines(parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			n = parseTokens([]byte(f[1]))
		}
	}
	return n
}
