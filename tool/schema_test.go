package tool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pollux/tool"
)

// fake is a tool that accepts any arguments that fit its schema.
type fake struct{ spec tool.Spec }

func (f *fake) Spec() *tool.Spec { return &f.spec }

func (f *fake) Build(json.RawMessage) (tool.Invocation, error) { return nil, nil }

// The errors for invalid arguments have the words of Ajv, which models and scripts know.
func TestBuild(t *testing.T) {
	t.Parallel()
	const schema = `{
		"type": "object",
		"properties": {
			"file_path": {"type": "string", "minLength": 1},
			"line": {"type": "integer", "minimum": 1, "maximum": 9},
			"mode": {"enum": ["fast", "slow"]},
			"ratio": {"type": ["number", "null"], "exclusiveMinimum": 0},
			"name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 3},
			"either": {"anyOf": [{"type": "string"}, {"type": "boolean"}]},
			"list": {"type": "array", "minItems": 1, "maxItems": 2, "uniqueItems": true,
				"items": {"type": "object", "required": ["a/b"], "properties": {"a/b": {"type": "string"}}, "additionalProperties": false}}
		},
		"required": ["file_path"],
		"additionalProperties": {"type": "string"}
	}`
	for args, want := range map[string]string{
		`{"file_path": "x"}`: "",
		`{"file_path": "x", "line": 3.0, "other": "fine"}`:  "",
		`{"file_path": "x", "ratio": null, "either": true}`: "",
		``:                                         "params must have required property 'file_path'",
		`{}`:                                       "params must have required property 'file_path'",
		`[]`:                                       "Value of params must be an object",
		`null`:                                     "Value of params must be an object",
		`"{\"a\": 1}"`:                             "Value of params must be an object, not a string with one.",
		`"{\"a\": \"say \"hi\" now\"}"`:            "Value of params must be an object. What arrived is not valid JSON (invalid character 'h' after object key:value pair). Escape quotes and line breaks in its strings. It begins with: {\"a\": \"say \"hi\" now\"}",
		`{"file_path": `:                           "params must be valid JSON: unexpected end of JSON input",
		`{"file_path": 1}`:                         "params/file_path must be string",
		`{"file_path": ""}`:                        "params/file_path must NOT have fewer than 1 characters",
		`{"file_path": "x", "line": 0}`:            "params/line must be >= 1",
		`{"file_path": "x", "line": 10}`:           "params/line must be <= 9",
		`{"file_path": "x", "line": 1.5}`:          "params/line must be integer, a whole number such as 280",
		`{"file_path": "x", "mode": "odd"}`:        "params/mode must be equal to one of the allowed values",
		`{"file_path": "x", "ratio": 0}`:           "params/ratio must be > 0",
		`{"file_path": "x", "ratio": "y"}`:         "params/ratio must be number,null",
		`{"file_path": "x", "name": "ABC"}`:        `params/name must match pattern "^[a-z]+$"`,
		`{"file_path": "x", "name": "abcd"}`:       "params/name must NOT have more than 3 characters",
		`{"file_path": "x", "either": 1}`:          "params/either must match a schema in anyOf",
		`{"file_path": "x", "list": []}`:           "params/list must NOT have fewer than 1 items",
		`{"file_path": "x", "list": [{"a/b": 1}]}`: "params/list/0/a~1b must be string",
		`{"file_path": "x", "list": [{"a/b": "", "c": 1}]}`:   "params/list/0 must NOT have additional properties",
		`{"file_path": "x", "list": [{"a/b":""},{"a/b":""}]}`: "params/list must NOT have duplicate items",
		`{"file_path": "x", "other": 1}`:                      "params/other must be string",
	} {
		_, err := tool.Build(&fake{tool.Spec{Schema: json.RawMessage(schema)}}, json.RawMessage(args))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s\n got %q\nwant %q", args, got, want)
		}
	}
}

// All names that are missing and all that are unknown are in one message.
func TestNames(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"}},"required":["path","old","new"]}`
	for args, want := range map[string]string{
		`{"path": "a"}`:                   "params must have required properties 'old', 'new'",
		`{"path": "a", "old": "b"}`:       "params must have required property 'new'",
		`{"path": "a", "y": 1, "x": "b"}`: "params must have required properties 'old', 'new'; unknown: 'x', 'y'; known: 'new', 'old', 'path'",
	} {
		_, err := tool.Build(&fake{tool.Spec{Schema: json.RawMessage(schema)}}, json.RawMessage(args))
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

// A schema that does not compile accepts all arguments. For keywords that explain does not
// know, the error is that of the validator.
func TestOddSchemas(t *testing.T) {
	t.Parallel()
	build := func(schema, args string) error {
		_, err := tool.Build(&fake{tool.Spec{Schema: json.RawMessage(schema)}}, json.RawMessage(args))
		return err
	}
	for _, schema := range []string{``, `{"type": 7}`, `{"$ref": "#/nowhere"}`, `{"pattern": "("}`} {
		if err := build(schema, `{"a": 1}`); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
	err := build(`{"$defs": {"n": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/n"}}}`, `{"a": 1}`)
	if err == nil || !strings.HasPrefix(err.Error(), "params do not fit the tool's schema: ") {
		t.Errorf("got %v", err)
	}
}

func FuzzArgs(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"a":1}`)
	f.Add(`{"anyOf":[{"required":["x"]}]}`, `{}`)
	f.Fuzz(func(t *testing.T, schema, args string) {
		_, err := tool.Build(&fake{tool.Spec{Schema: json.RawMessage(schema)}}, json.RawMessage(args))
		if err != nil && err.Error() == "" {
			t.Error("an error without a word")
		}
	})
}

// No schema keeps the validator busy for long, or ends the program.
func TestBuildEndless(t *testing.T) {
	t.Parallel()
	double := `{"$ref":"#/$defs/a0","$defs":{`
	for i := range 60 {
		double += fmt.Sprintf(`"a%d":{"anyOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%[2]d"}]},`, i, i+1)
	}
	tree := `{"$ref":"#/$defs/t","$defs":{"t":{"anyOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/n"},{"$ref":"#/$defs/n"}]},"n":{"properties":{"a":{"$ref":"#/$defs/t"}},"required":["z"]}}}`
	deep := func(text string, n int) string {
		open, end, _ := strings.Cut(text, "|")
		return strings.Repeat(open, n) + "{}" + strings.Repeat(end, n)
	}
	chain := `{"$ref":"#/$defs/a0","$defs":{`
	for i := range 10_000 {
		chain += fmt.Sprintf(`"a%d":{"$ref":"#/$defs/a%d"},`, i, i+1)
	}
	for name, c := range map[string]struct{ schema, args string }{
		"itself":     {`{"$ref":"#"}`, `{}`},
		"other case": {`{"$REF":"#"}`, `{}`},
		"circle":     {`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`, `{}`},
		"other defs": {`{"$ref":"#/$defs/a","$DEFS":{"a":{"$ref":"#/$defs/a"}}}`, `{}`},
		"escaped":    {`{"$ref":"#/$defs/a%25b~1","$defs":{"a%b/":{"if":{"$ref":"#/$defs/a%25b~1"}}}}`, `{}`},
		"anchor":     {`{"$ref":"#a","$defs":{"a":{"$anchor":"a","$ref":"#a"}},"$schema":"https://json-schema.org/draft/2020-12/schema"}`, `{}`},
		"dynamic":    {`{"$dynamicRef":"#a","$dynamicAnchor":"a","$schema":"https://json-schema.org/draft/2020-12/schema"}`, `{}`},
		"base":       {`{"$id":"https://a.example/s","$ref":"https://a.example/s"}`, `{}`},
		"part":       {`{"properties":{"x":{"type":"string","anyOf":[{"$ref":"#"}]}},"required":["y"]}`, `{"x":1,"y":1}`},
		"part only":  {`{"properties":{"x":{"anyOf":[{"$ref":"#"}]}},"additionalProperties":false}`, `{"x":{"z":1}}`},
		"double":     {double + `"a60":{"type":"string"}}}`, `{}`},
		"chain":      {chain + `"a10000":{"type":"string"}}}`, `{}`},
		"tree":       {tree, deep(`{"a":|}`, 30)},
		"deep args":  {`{"additionalProperties":{"$ref":"#"}}`, deep(`{"a":|}`, 9_000)},
		"deep":       {deep(`{"not":|}`, 9_000), `{}`},
		"dependency": {`{"dependentSchemas":{"a":{"$ref":"#"}}}`, `{"a":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := tool.Build(&fake{tool.Spec{Schema: json.RawMessage(c.schema)}}, json.RawMessage(c.args)); err != nil {
				t.Logf("%.200v", err)
			}
		})
	}
	// A schema of a tree is checked.
	const node = `{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"next":{"$ref":"#/$defs/node"}},"required":["name"]}}}`
	for args, isValid := range map[string]bool{`{"name":"a","next":{"name":"b"}}`: true, `{"name":"a","next":{"name":1}}`: false, `{"name":"a","next":{}}`: false} {
		if _, err := tool.Build(&fake{tool.Spec{Schema: json.RawMessage(node)}}, json.RawMessage(args)); (err == nil) != isValid {
			t.Errorf("%s: %v", args, err)
		}
	}
}
