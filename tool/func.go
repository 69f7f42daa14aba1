package tool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"pollux/llm"
)

// Func returns a tool that calls a function of the program. The model selects the tool by name and
// description.
//
// Args is a struct. Its exported fields are the parameters, under the names that encoding/json
// gives them. A parameter is required unless its json tag has omitempty or omitzero, or its type
// is a pointer. The tag jsonschema describes a parameter, and the tag enum lists its values,
// separated by commas:
//
//	type args struct {
//		City string `json:"city" jsonschema:"the city, in English"`
//		Unit string `json:"unit,omitempty" enum:"celsius,fahrenheit"`
//	}
//
// Fields may be strings, numbers, booleans, structs, slices, maps with string keys, any,
// [time.Time] and pointers to them. Func returns an error for other types and for a name that
// models cannot call.
//
// run gets arguments that match the schema. Its text, or the text of its error, is the result for
// the model. It must return when ctx is cancelled, and may be called from several goroutines.
//
// Each option changes the Spec, for example [ReadOnly]. Without options, the Kind is [KindOther]:
// a person approves each call, unless a policy rule allows it.
func Func[Args any](name, description string, run func(ctx context.Context, args Args) (string, error), options ...func(*Spec)) (Tool, error) {
	schema, err := inferSchema[Args]()
	if err != nil {
		return nil, fmt.Errorf("tool %s: %w", name, err)
	}
	t := &function[Args]{run: run, spec: Spec{Name: name, Description: description, Kind: KindOther, Schema: schema.encoded}, parameters: schema.parameters}
	for _, option := range options {
		option(&t.spec)
	}
	t.spec.DisplayName = cmp.Or(t.spec.DisplayName, name)
	if err := checkFunction(&t.spec); err != nil {
		return nil, fmt.Errorf("tool %s: %w", name, err)
	}
	return t, nil
}

// ReadOnly is an option of [Func] for tools that change nothing: their Kind is [KindRead]. Such a
// tool runs without a question, and beside other tools.
func ReadOnly(s *Spec) { s.Kind = KindRead }

// checkFunction returns an error if no model can call a tool with this name, or knows when to.
func checkFunction(s *Spec) error {
	const maxName = 64 // of all providers
	isAllowed := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-'
	}
	switch {
	case s.Name == "" || len(s.Name) > maxName || strings.ContainsFunc(s.Name, func(r rune) bool { return !isAllowed(r) }):
		return fmt.Errorf("the name must have 1 to %d letters, digits, _ and -", maxName)
	case strings.TrimSpace(s.Description) == "":
		return fmt.Errorf("the description is empty")
	}
	return nil
}

// function is the result of [Func].
type function[Args any] struct {
	spec       Spec
	parameters map[string]bool
	run        func(ctx context.Context, args Args) (string, error)
}

func (f *function[Args]) Spec() *Spec { return &f.spec }

// Build implements [Tool]. It passes over arguments that are not parameters: encoding/json alone
// would take "City" for the parameter city, which policy rules do not see.
func (f *function[Args]) Build(args json.RawMessage) (Invocation, error) {
	var given map[string]any
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	if err := d.Decode(&given); err != nil {
		return nil, fmt.Errorf("params must be a JSON object: %w", err)
	}
	for name, value := range given {
		if !f.parameters[name] {
			delete(given, name)
			continue
		}
		given[name] = withWholeNumbers(value)
	}
	var known bytes.Buffer
	e := json.NewEncoder(&known)
	e.SetEscapeHTML(false)
	if err := e.Encode(given); err != nil {
		return nil, err
	}
	c := &functionCall[Args]{function: f, shown: bytes.TrimSpace(known.Bytes())}
	d = json.NewDecoder(bytes.NewReader(c.shown))
	d.DisallowUnknownFields()
	if err := d.Decode(&c.args); err != nil {
		return nil, fmt.Errorf("params do not fit: %w", err)
	}
	return c, nil
}

// withWholeNumbers returns a JSON value with 3 in the place of 3.0 and 3e0, which are integers for
// a schema and not for encoding/json.
func withWholeNumbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		const exact = 1 << 53
		n, err := v.Float64()
		if err == nil && strings.ContainsAny(v.String(), ".eE") && n == math.Trunc(n) && math.Abs(n) < exact {
			return int64(n)
		}
	case map[string]any:
		for name := range v {
			v[name] = withWholeNumbers(v[name])
		}
	case []any:
		for i := range v {
			v[i] = withWholeNumbers(v[i])
		}
	}
	return value
}

// functionCall is a call of a [function].
type functionCall[Args any] struct {
	*function[Args]
	args  Args
	shown []byte // args as JSON
}

func (c *functionCall[Args]) Summary() string {
	return BriefArgs(c.shown)
}

func (*functionCall[Args]) Locations() []Location { return nil }

func (c *functionCall[Args]) Confirmation(context.Context) (Confirmation, error) {
	return &InfoConfirmation{Title: "Confirm: " + c.spec.DisplayName, Prompt: string(c.shown)}, nil
}

func (c *functionCall[Args]) Run(ctx context.Context, _ Host) *Result {
	text, err := c.run(ctx, c.args)
	if err != nil {
		return Fail(ErrExecutionFailed, err.Error())
	}
	return &Result{Content: []llm.Part{llm.Text(text)}, Display: TextDisplay(text)}
}
