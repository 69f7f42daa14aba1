package form

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/tool"
)

const everyKind = `{"type":"object","properties":{
	"z":{"type":"string","title":"Name","description":"Who\u001b[31m are you?","minLength":2,"maxLength":5},
	"mail":{"type":"string","format":"email"},
	"site":{"type":"string","format":"uri"},
	"day":{"type":"string","format":"date"},
	"at":{"type":"string","format":"date-time"},
	"zip":{"type":"string","pattern":"^[0-9]{5}$"},
	"n":{"type":"number","minimum":0.5,"maximum":2,"default":1.5},
	"i":{"type":"integer"},
	"ok":{"type":"boolean","default":true},
	"color":{"type":"string","enum":["r","g"],"enumNames":["Red","Green, light"]},
	"size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"small"}],"default":"l"},
	"tags":{"type":"array","items":{"type":"string","enum":["a","b","c"]},"minItems":1,"maxItems":2},
	"more":{"type":"array","items":{"anyOf":[{"const":"x","title":"No answer"}]},"default":["x"]},
	"apiKey":{"type":"string"}},
	"required":["z","color"]}`

func parse(t *testing.T, schema string) *Form {
	t.Helper()
	var s struct{ Properties json.RawMessage }
	_ = json.Unmarshal([]byte(schema), &s)
	f, err := Parse(json.RawMessage(schema), Order(s.Properties))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	var got []string
	for _, q := range parse(t, everyKind).Questions("db") {
		line := fmt.Sprintf("%s %q", q.Kind, q.Text)
		for _, o := range q.Options {
			line += " | " + o.Label
		}
		if q.Closed {
			line += " closed"
		}
		got = append(got, line)
	}
	want := []string{
		`text "Name (required)\nWho are you?\nAnswer: at least 2 characters, at most 5 characters."`,
		`text "mail (optional)\nAnswer: an email address."`,
		`text "site (optional)\nAnswer: a URI."`,
		`text "day (optional)\nAnswer: a date such as 2026-12-31."`,
		`text "at (optional)\nAnswer: a time such as 2026-12-31T18:00:00Z."`,
		`text "zip (optional)"`,
		`text "n (optional)\nAnswer: a number, at least 0.5, at most 2. Without an answer, it is: 1.5."`,
		`text "i (optional)\nAnswer: a whole number."`,
		`choice "ok (optional)\nWithout an answer, it is: Yes." | Yes | No | No answer closed`,
		`choice "color (required)" | Red | Green; light closed`,
		`choice "size (optional)\nWithout an answer, it is: small [2]." | Small | small [2] | No answer closed`,
		`choice "tags (optional)\nAnswer: at least 1 of them, at most 2 of them." | a | b | c`,
		`choice "more (optional)\nWithout an answer, it is: No answer [1]." | No answer [1]`,
		`secret "apiKey (optional)\nMCP server \"db\" gets what you type. Servers should not ask for secrets in this way."`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	fields := []string{"z", "mail", "site", "day", "at", "zip", "n", "i", "ok", "color", "size", "tags", "more", "apiKey"}
	for _, c := range []struct{ answers, content, problems string }{
		{"z=Ann color=red", `{"color":"r","more":["x"],"n":1.5,"ok":true,"size":"l","z":"Ann"}`, ""},
		{
			"z=Ann mail=a@b.c site=https://x day=2026-01-31 at=2026-01-31T01:02:03Z zip=12345 n=2 i=-3 ok=No color=Green;_light size=Small tags=a,_c more=No_answer_[1] apiKey=k",
			`{"apiKey":"k","at":"2026-01-31T01:02:03Z","color":"g","day":"2026-01-31","i":-3,"mail":"a@b.c","more":["x"],"n":2,"ok":false,"site":"https://x","size":"s","tags":["a","c"],"z":"Ann","zip":"12345"}`, "",
		},
		{"", "", "z: The server needs an answer. color: The server needs an answer."},
		{"z=A color=blue", "", "z: The answer has less than 2 characters. color: The answer is none of the values."},
		{"z=abcdef color=Red mail=x site=x day=31.1. at=1 zip=x", "", "z: The answer has more than 5 characters. mail: The answer is not an email address. " +
			"site: The answer is not a URI, such as https://example.com. day: The answer is not a date, such as 2026-12-31. " +
			"at: The answer is not a time, such as 2026-12-31T18:00:00Z. zip: The answer does not have the form that the server wants."},
		{"z=Ann color=Red n=3 i=1.5 ok=perhaps tags=a,b,c", "", "n: The answer is more than 2. i: The answer is not a whole number. ok: The answer is neither yes nor no. tags: Choose at most 2."},
		{"z=Ann color=Red n=0 i=NaN tags=d", "", "n: The answer is less than 0.5. i: The answer is not a number. tags: The answer is none of the values."},
	} {
		answers := map[string]string{}
		for word := range strings.FieldsSeq(c.answers) {
			name, value, _ := strings.Cut(word, "=")
			for i, f := range fields {
				if f == name {
					answers[strconv.Itoa(i)] = strings.ReplaceAll(value, "_", " ")
				}
			}
		}
		content, problems := parse(t, everyKind).Content(answers)
		var list []string
		for i, f := range fields {
			if problems[i] != "" {
				list = append(list, f+": "+problems[i])
			}
		}
		got, _ := json.Marshal(content)
		if p := strings.Join(list, " "); p != c.problems || p == "" && string(got) != c.content {
			t.Errorf("%s:\n got %s %s\nwant %s %s", c.answers, got, p, c.content, c.problems)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	many := func(n int, format string) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(format, i))
		}
		return strings.Join(list, ",")
	}
	for _, c := range []struct{ schema, want string }{
		{`[]`, "the schema of the form is not valid"},
		{`{"type":"string"}`, "the schema of the form is not an object"},
		{`{"properties":{` + many(51, `"f%d":{"type":"string"}`) + `}}`, "the form has more than 50 fields"},
		{`{"properties":{"a":{"type":"object"}}}`, `field "a" of the form: its type "object" is none of string, number, integer, boolean and array`},
		{`{"properties":{"a":{"type":"string","enum":[` + many(101, `"%d"`) + `]}}}`, `field "a" of the form: it has more than 100 values to choose from`},
		{`{"properties":{"a":{"type":"array","items":{"type":"string"}}}}`, `field "a" of the form: it is a list without values to choose from`},
		{`{"properties":{"a":{"type":["string"]}}}`, `field "a" of the form: its schema is not valid`},
		{`{"properties":{"` + strings.Repeat("a", 201) + `":{"type":"string"}}}`, "its name has more than 200 bytes"},
	} {
		if _, err := Parse(json.RawMessage(c.schema), nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s: %v, want %s", c.schema, err, c.want)
		}
	}
	if f, err := Parse(json.RawMessage(`null`), nil); err != nil || len(f.fields) != 0 {
		t.Errorf("no schema: %v", err)
	}
}

// FuzzParse reads schemas: the labels of a question differ, and each of them is an answer, and
// accepted answers meet the rules of its field.
func FuzzParse(f *testing.F) {
	f.Add([]byte(everyKind), "x")
	f.Add([]byte(`{"properties":{"":{"type":"string","enum":["",""," ",","]}}}`), "")
	f.Add([]byte(`{"properties":{"a":{"type":"number","minimum":1e308,"default":1e999}}}`), "1e400")
	f.Fuzz(func(t *testing.T, schema []byte, answer string) {
		var s struct{ Properties json.RawMessage }
		_ = json.Unmarshal(schema, &s)
		form, err := Parse(schema, Order(s.Properties))
		if err != nil {
			return
		}
		for i, q := range form.Questions("s") {
			one := &form.fields[i]
			seen := map[string]bool{}
			for j, o := range q.Options {
				if o.Label == "" || seen[strings.ToLower(o.Label)] {
					t.Fatalf("label %q", o.Label)
				}
				seen[strings.ToLower(o.Label)] = true
				if j < len(one.options) {
					if v, problem := one.read(o.Label); problem != "" || v == nil {
						t.Fatalf("label %q: %v, %s", o.Label, v, problem)
					}
				}
			}
			if q.Text == "" || q.Header == "" || q.Kind == tool.ChoiceQuestion && len(q.Options) == 0 {
				t.Fatalf("question: %+v", q)
			}
		}
		answers := map[string]string{}
		for i := range form.fields {
			answers[strconv.Itoa(i)] = answer
		}
		content, problems := form.Content(answers)
		for i := range form.fields {
			v, found := content[form.fields[i].name]
			if found && (problems[i] != "" || form.fields[i].check(v) != "") {
				t.Fatalf("%s: %v", form.fields[i].name, v)
			}
		}
		if _, err := json.Marshal(content); err != nil {
			t.Fatal(err)
		}
	})
}
