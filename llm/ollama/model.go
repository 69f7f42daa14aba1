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

// model is how a model is spoken to: what its server says of it, and what it has
// taught. A value does not change once it is in use.
type model struct {
	name    string
	trained int  // tokens it was made for, 0 for not known
	wanted  int  // tokens that the user wants
	authors int  // tokens that its author wants
	remote  bool // its window is somebody else's memory
	tools   catalog.Ability
	thinks  catalog.Ability
	sees    catalog.Ability
	levels  bool // how much it thinks is a word, not yes or no

	// Lessons.
	most          int  // tokens for which there is memory, 0 for not known
	plain         bool // a schema of answers is told in words
	opened        bool // answers begin in the middle of a thought
	openedLearned bool // opened is a lesson, which may be wrong

	window int    // tokens that are asked for
	key    string // under which messages keep what they are encoded to
}

// settle makes m ready for use.
func (m *model) settle() *model {
	m.window = cmp.Or(m.wanted, m.authors, DefaultWindow)
	if m.remote && m.wanted == 0 {
		m.window = cmp.Or(m.trained, m.window)
	}
	for _, limit := range []int{m.trained, m.most} {
		if limit > 0 {
			m.window = min(m.window, limit)
		}
	}
	m.key = "ollama"
	if m.sees == catalog.No {
		m.key = "ollama/blind"
	}
	return m
}

// known is m as the catalog has it.
func (m *model) known() catalog.Model {
	k := catalog.Model{
		Name: m.name, Input: m.window, Tools: m.tools, Thinking: m.thinks,
		Images: m.sees, PDF: catalog.No, Audio: catalog.No, Video: catalog.No,
	}
	if m.levels {
		k.Efforts = []string{"low", "medium", "high"}
	}
	return k
}

// add has m be what is known of its model, unless something is by now.
func (c *Client) add(m *model) *model {
	return c.models.Of(m.name, m.settle)
}

// remember changes what is known of a model.
func (c *Client) remember(name string, change func(*model)) {
	c.models.Learn(name, func(m model) *model {
		change(&m)
		return m.settle()
	})
}

// model returns what is known of a model. The first time, its server is asked;
// two goroutines that are first together may both ask. An error is remembered of
// none: the model may be there the next time.
func (c *Client) model(ctx context.Context, name string) (*model, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if m := c.models.Get(name); m != nil {
		return m, nil
	}
	data, err := c.show(ctx, name)
	m := c.first(name)
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
	return c.add(m), nil
}

// first is a model of which the server has not said anything.
func (c *Client) first(name string) *model {
	m := &model{name: name, remote: c.base.Hostname() == "ollama.com"}
	if c.options.Window != nil {
		m.wanted = max(c.options.Window(name), 0)
	}
	return m
}

// show asks the server for the description of a model.
func (c *Client) show(ctx context.Context, name string) ([]byte, error) {
	o := httpwire.Object{}
	o.Key("model")
	o.B = llm.AppendString(o.B, name)
	return c.read(ctx, name, "show", o.End(), patienceShow)
}

// isUnknownMethod reports whether an error is that of a server that speaks of no
// model, and knows the method itself not: something that only resembles Ollama.
func isUnknownMethod(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Kind == llm.KindOther &&
		(e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed || e.Status == http.StatusNotImplemented)
}

// describe takes in what a server says of a model.
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
	m.trained = contextLength(about.Info)
	m.authors = numCtx(about.Parameters)
	m.remote = m.remote || about.RemoteHost != ""
	m.levels = about.Details.Family == "gptoss" || strings.Contains(m.name, "gpt-oss")
	if about.Capabilities != nil { // servers of before 2025 do not say
		can := func(what string) catalog.Ability { return catalog.If(slices.Contains(about.Capabilities, what)) }
		m.tools, m.thinks, m.sees = can("tools"), can("thinking"), can("vision")
	}
	return nil
}

// contextLength finds how many tokens a model was made for; its name stands
// before the name of it.
func contextLength(info map[string]json.RawMessage) int {
	const name = ".context_length"
	var architecture string
	if json.Unmarshal(info["general.architecture"], &architecture) == nil {
		if n := tokens(info[architecture+name]); n > 0 {
			return n
		}
	}
	for _, key := range slices.Sorted(maps.Keys(info)) {
		if n := tokens(info[key]); n > 0 && strings.HasSuffix(key, name) {
			return n
		}
	}
	return 0
}

// tokens reads a number of tokens; 0 where it is none, or cannot be.
func tokens(raw []byte) int {
	f, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil || !(f >= 1 && f <= 1<<30) {
		return 0
	}
	return int(f)
}

// numCtx finds the size of the window in a model's parameters, which are lines of
// a name and a value.
func numCtx(raw json.RawMessage) int {
	var parameters string
	if json.Unmarshal(raw, &parameters) != nil {
		return 0
	}
	n := 0
	for line := range strings.Lines(parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			n = tokens([]byte(f[1]))
		}
	}
	return n
}
