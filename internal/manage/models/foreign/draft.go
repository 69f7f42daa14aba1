package foreign

import (
	"errors"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/transfer"
	"pollux/llm/provider"
)

// draft is a provider in the making.
type draft struct {
	*transfer.Item
	agent *Agent
	name  string // in the agent
	id    string // the name that it gets if that is free
	// expand turns references of the agent into those of settings, ${NAME}.
	expand func(text string) (string, error)
	// left are the parts that are not read yet.
	left map[string]any

	title    string
	protocol provider.Protocol
	address  string
	query    url.Values // further parameters of the address
	keyVars  []string
	keyless  bool
	headers  map[string]any
	// startTimeout and idleTimeout are in seconds, 0 for none.
	startTimeout, idleTimeout float64
	rules                     []any // for models
	names                     []string
	model, smallModel         string
	extra                     map[string]any // members of each request
	// sibling is a provider of Pollux with the same address, and another key or other headers.
	sibling *provider.Profile
}

// newDraft returns a draft of a provider with parts v.
func newDraft(a *Agent, name string, v any, expand func(string) (string, error)) *draft {
	d := &draft{Item: transfer.New(name), agent: a, name: name, id: name, expand: expand, headers: map[string]any{}, extra: map[string]any{}}
	members, isObject := v.(map[string]any)
	if d.left = maps.Clone(members); !isObject {
		d.Leave("it is not an object")
	}
	return d
}

// take returns a part and marks it as read.
func (d *draft) take(key string) any {
	v := d.left[key]
	delete(d.left, key)
	return v
}

// text takes a part that is a text. One with a reference that cannot be copied is "", and the draft is left out.
func (d *draft) text(key string) string {
	text, _ := d.take(key).(string)
	text, err := d.expand(strings.TrimSpace(text))
	if err != nil {
		d.Leave("its %s: %v", key, err)
		return ""
	}
	return text
}

// seconds takes a time, of which there are so many in a second.
func (d *draft) seconds(key string, unit float64) float64 {
	n, ok := d.left[key].(float64)
	if !ok || n <= 0 || n/unit > 7*24*60*60 {
		return 0 // without reports it
	}
	delete(d.left, key)
	return n / unit
}

// without reports the parts that are not read. prefix names the object that has them, "" for the provider.
func (d *draft) without(prefix string, left map[string]any) {
	for _, key := range slices.Sorted(maps.Keys(left)) {
		if left[key] != nil {
			d.Change("without %s", config.Printable(prefix+key))
		}
	}
}

// keyVar is the variable for a key that has none.
func (d *draft) keyVar() string {
	word := strings.Trim(transfer.VariableWord(d.name), "_")
	if word == "" || word[0] >= '0' && word[0] <= '9' {
		word = strings.TrimRight("PROVIDER_"+word, "_")
	}
	return word + "_API_KEY"
}

// key reads a key: a reference to a variable, or a literal key, which a variable takes the place of. The report names it by the last argument.
func (d *draft) key(what, text string) {
	expanded, err := d.expand(text)
	name, isVar := variableOf(expanded)
	switch {
	case text == "":
	case err != nil:
		d.keyVars = []string{d.keyVar()}
		d.Change("%s is not copied, because %v: set the variable %s", what, err, d.keyVars[0])
	case isVar:
		d.keyVars = []string{name}
	default:
		d.keyVars = []string{d.keyVar()}
		d.Change("%s is a key, which is not copied: set the variable %s", what, d.keyVars[0])
	}
}

// header reads a header.
func (d *draft) header(what, name string, v any) {
	text, isText := v.(string)
	value, err := d.expand(text)
	scheme, rest, hasScheme := strings.Cut(value, " ")
	variable := strings.TrimSuffix(d.keyVar(), "API_KEY") + strings.Trim(transfer.VariableWord(name), "_")
	note := func() string {
		d.Change("%s.%s is a key, which is not copied: set the variable %s", what, config.Printable(name), variable)
		return "${" + variable + "}"
	}
	switch {
	case !isText || err != nil:
		d.Change("without %s.%s, which is not a plain text", what, config.Printable(name))
	case hasScheme && transfer.IsKey(name, rest):
		d.headers[name] = scheme + " " + note()
	case transfer.IsKey(name, value):
		d.headers[name] = note()
	default:
		d.headers[name] = value
	}
}

// readHeaders reads an object of headers.
func (d *draft) readHeaders(what string, v any) {
	members, isObject := v.(map[string]any)
	if v != nil && !isObject {
		d.Change("without %s", what)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		d.header(what, name, members[name])
	}
}

// addModel adds a model and the rule for it, which may be empty.
func (d *draft) addModel(name string, rule map[string]any) {
	if name == "" || slices.Contains(d.names, name) {
		return
	}
	d.names = append(d.names, name)
	if len(rule) > 0 {
		rule["match"] = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
		d.rules = append(d.rules, rule)
	}
}

// choose makes a model the default of its provider. A provider with one model has it as its default.
func (d *draft) choose(model, of string) {
	switch {
	case of == d.name:
		d.model = model
	case d.model == "" && len(d.names) == 1:
		d.model = d.names[0]
	}
}

// put adds a positive number to an object.
func put(to map[string]any, key string, v any) {
	if n, ok := v.(float64); ok && n > 0 {
		to[key] = n
	}
}

// variableOf returns the name of the variable that a text is.
func variableOf(text string) (name string, ok bool) {
	name, ok = strings.CutPrefix(text, "$")
	if inner, isBraced := strings.CutPrefix(name, "{"); ok && isBraced {
		name, ok = strings.CutSuffix(inner, "}")
	}
	return name, ok && transfer.IsVariable(name)
}

// The errors of references that are not copied.
var (
	errDollar  = errors.New("it has a $ that Pollux would read as a variable")
	errProgram = errors.New("it comes from a program")
	errFile    = errors.New("it is in a file")
)

// literal returns a text in which no $ begins a variable.
func literal(text string) (string, error) {
	if regexp.MustCompile(`\$[A-Za-z_{]`).MatchString(text) {
		return "", errDollar
	}
	return text, nil
}

// shellLike returns a text in which $NAME is a variable, as in settings, and which may name programs.
func shellLike(text string) (string, error) {
	if strings.Contains(text, "$(") || strings.Contains(text, "`") {
		return "", errProgram
	}
	return text, nil
}
