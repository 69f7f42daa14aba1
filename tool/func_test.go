package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/tool"
)

type place struct {
	Name  string   `json:"name"`
	Words []string `json:"words,omitempty" enum:"near,far"`
}

type common struct {
	Verbose bool `json:"verbose,omitempty" jsonschema:"print more"`
}

type order struct {
	common
	Name    string           `json:"name" jsonschema:"the customer's name"`
	Count   int8             `json:"count" enum:"1,2"`
	Price   *float64         `json:"price"`
	From    place            `json:"from"`
	Stops   []*place         `json:"stops,omitempty"`
	Tags    map[string]int   `json:"tags,omitempty"`
	When    time.Time        `json:"when,omitzero"`
	Extra   any              `json:"extra,omitempty"`
	Skipped chan int         `json:"-"`
	_       func()           // not a parameter
	Plain   map[string]place `json:",omitempty"`
}

// newFunc returns a tool that returns its arguments as JSON.
func newFunc[Args any](t *testing.T, options ...func(*tool.Spec)) tool.Tool {
	t.Helper()
	f, err := tool.Func("order", "Order something.", func(_ context.Context, a Args) (string, error) {
		text, err := json.Marshal(a)
		return string(text), err
	}, options...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFuncSchema checks the schema of a struct.
func TestFuncSchema(t *testing.T) {
	t.Parallel()
	const placeSchema = `"type":"object","properties":{"name":{"type":"string"},"words":{"type":"array","items":{"type":"string","enum":["near","far"]}}},"required":["name"],"additionalProperties":false`
	const want = `{"type":"object","properties":{
		"verbose":{"type":"boolean","description":"print more"},
		"name":{"type":"string","description":"the customer's name"},
		"count":{"type":"integer","enum":[1,2],"minimum":-128,"maximum":127},
		"price":{"type":"number"},
		"from":{` + placeSchema + `},
		"stops":{"type":"array","items":{` + placeSchema + `}},
		"tags":{"type":"object","additionalProperties":{"type":"integer"}},
		"when":{"type":"string"},
		"extra":true,
		"Plain":{"type":"object","additionalProperties":{` + placeSchema + `}}
	},"required":["name","count","from"]}`
	got := newFunc[order](t).Spec().Schema
	var a, b any
	if err := errors.Join(json.Unmarshal(got, &a), json.Unmarshal([]byte(want), &b)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b, a); diff != "" {
		t.Error(diff)
	}
	if first, second := strings.Index(string(got), `"verbose"`), strings.Index(string(got), `"count"`); first > second {
		t.Errorf("the fields are not in their order: %s", got)
	}
	if got := string(newFunc[struct{}](t).Spec().Schema); got != `{"type":"object"}` {
		t.Errorf("without parameters the schema is %s", got)
	}
}

// TestFuncArguments checks which arguments reach the function, and the errors of the others.
func TestFuncArguments(t *testing.T) {
	t.Parallel()
	f := newFunc[order](t)
	const least = `"name":"a","count":1,"from":{"name":"b"}`
	for args, want := range map[string]string{
		`{` + least + `}`: `{"name":"a","count":1,"price":null,"from":{"name":"b"}}`,
		`{` + least + `,"price":2.5,"tags":{"x":3},"extra":[1],"verbose":true,"stops":[{"name":"c","words":["far"]}]}`: `{"verbose":true,"name":"a","count":1,"price":2.5,"from":{"name":"b"},"stops":[{"name":"c","words":["far"]}],"tags":{"x":3},"extra":[1]}`,
		`{` + least + `,"Name":"z","VERBOSE":true,"wait_for_previous":true}`:                                           `{"name":"a","count":1,"price":null,"from":{"name":"b"}}`,

		`{"name":"<a&b>","count":2.0,"price":1e0,"from":{"name":"b"},"tags":{"x":30.0}}`: `{"name":"\u003ca\u0026b\u003e","count":2,"price":1,"from":{"name":"b"},"tags":{"x":30}}`,

		`{` + least + `,"tags":{"x":1.5}}`:                     `params/tags/x must be integer`,
		`{` + least + `,"tags":{"x":1e30}}`:                    `params do not fit`,
		`{"count":1,"from":{"name":"b"}}`:                      `params must have required property 'name'`,
		`{"name":"a","count":3,"from":{"name":"b"}}`:           `params/count must be equal to one of the allowed values`,
		`{"name":"a","count":"1","from":{"name":"b"}}`:         `params/count must be`,
		`{"name":"a","count":1,"from":{"name":"b","x":1}}`:     `params/from must NOT have additional properties`,
		`{"name":"a","count":1,"from":{"NAME":"b"}}`:           `params/from must`,
		`{` + least + `,"stops":[{"name":"c","words":["x"]}]`:  `params must be valid JSON`,
		`{` + least + `,"stops":[{"name":"c","words":["x"]}]}`: `params/stops/0/words/0 must be equal to one of the allowed values`,
		`{` + least + `,"price":null}`:                         `params/price must be number`,
		`{` + least + `,"when":"tomorrow"}`:                    `params do not fit: parsing time "tomorrow"`,
		`[]`:                                                   `Value of params must be an object`,
	} {
		got := ""
		call, err := tool.Build(f, json.RawMessage(args))
		if err != nil {
			got = err.Error()
		} else {
			got = call.Run(t.Context(), tool.Host{}).Content[0].Text
			got = strings.Replace(got, `"when":"0001-01-01T00:00:00Z",`, "", 1)
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s\n got %s\nwant %s", args, got, want)
		}
	}
}

type selfDecoding struct{}

func (*selfDecoding) UnmarshalText([]byte) error { return nil }

type cycle struct {
	Next *cycle `json:"next"`
}

// TestFuncRefuses checks that Func refuses a tool that no model can call, or whose arguments would
// be decoded in another way than the schema describes.
func TestFuncRefuses(t *testing.T) {
	t.Parallel()
	type Named struct{ A string }
	refuses[string](t, "struct")
	refuses[map[string]string](t, "struct")
	refuses[*place](t, "struct")
	refuses[struct{ C chan int }](t, "chan int")
	refuses[struct{ F func() }](t, "func()")
	refuses[struct{ M map[int]string }](t, "map key")
	refuses[struct{ B []byte }](t, "bytes")
	refuses[struct{ R json.RawMessage }](t, "decodes itself")
	refuses[struct{ S selfDecoding }](t, "decodes itself")
	refuses[struct{ R io.Reader }](t, "interface with methods")
	refuses[cycle](t, "cycle")
	refuses[struct {
		N int `json:"n,string"`
	}](t, "option string")
	refuses[struct {
		N int `json:"n" enum:"a"`
	}](t, "not a number")
	refuses[struct {
		B bool `json:"b" enum:"true"`
	}](t, "strings and numbers")
	refuses[struct {
		B bool `json:"b" jsonschema:""`
	}](t, "empty jsonschema tag")
	refuses[struct {
		Named `json:"named"`
	}](t, "embedded")
	for name, description := range map[string]string{"": "d", "a b": "d", "é": "d", strings.Repeat("a", 65): "d", "ok": " "} {
		if _, err := tool.Func(name, description, func(context.Context, struct{}) (string, error) { return "", nil }); err == nil {
			t.Errorf("the name %q and the description %q are accepted", name, description)
		}
	}
}

// refuses checks that Func returns an error with text for these arguments.
func refuses[Args any](t *testing.T, text string) {
	t.Helper()
	_, err := tool.Func("t", "d", func(context.Context, Args) (string, error) { return "", nil })
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%T: error %v, want one with %q", *new(Args), err, text)
	}
}

// TestFuncResults checks the results of a function, and the display of a call.
func TestFuncResults(t *testing.T) {
	t.Parallel()
	f, err := tool.Func("fail", "Fail.", func(_ context.Context, a struct{ Text string }) (string, error) {
		return "ignored", errors.New("no " + a.Text)
	}, tool.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	if s := f.Spec(); s.Kind != tool.KindRead || s.DisplayName != "fail" || newFunc[struct{}](t).Spec().Kind != tool.KindOther {
		t.Errorf("%+v", s)
	}
	call, err := tool.Build(f, json.RawMessage(`{"Text":"`+strings.Repeat("é", 200)+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	if s := call.Summary(); len(s) > 204 || !strings.HasPrefix(s, `{"Text":"éé`) || !strings.HasSuffix(s, "é...") {
		t.Errorf("summary %q", s)
	}
	if c, err := call.Confirmation(t.Context()); err != nil || !strings.Contains(fmt.Sprintf("%+v", c), "Confirm: fail") {
		t.Errorf("confirmation %+v, %v", c, err)
	}
	if r := call.Run(t.Context(), tool.Host{}); r.Error == nil || r.Error.Type != tool.ErrExecutionFailed || !strings.HasPrefix(r.Error.Message, "no é") {
		t.Errorf("%+v", r)
	}
}

func ExampleFunc() {
	type question struct {
		City string `json:"city" jsonschema:"the city, in English"`
		Unit string `json:"unit,omitempty" enum:"celsius,fahrenheit"`
	}
	weather, err := tool.Func("weather", "Returns the weather of today.", func(_ context.Context, q question) (string, error) {
		return "sunny in " + q.City, nil
	}, tool.ReadOnly)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(weather.Spec().Schema))
	for _, args := range []string{`{"city": "Bremen"}`, `{"unit": "kelvin", "city": "Bremen"}`} {
		call, err := tool.Build(weather, json.RawMessage(args))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(call.Run(context.Background(), tool.Host{}).Content[0].Text)
	}
	// Output:
	// {"type":"object","properties":{"city":{"type":"string","description":"the city, in English"},"unit":{"type":"string","enum":["celsius","fahrenheit"]}},"required":["city"]}
	// sunny in Bremen
	// params/unit must be equal to one of the allowed values
}
