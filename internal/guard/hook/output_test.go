package hook

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// TestParseOutput checks each row of the table of outputs.
func TestParseOutput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		event          Event
		stdout, stderr string
		code           int
		want           string // "" for no output
		reading        Reading
	}{
		{"nothing", BeforeTool, "", "", 0, "", ReadNothing},
		{"white space", BeforeTool, " \n\t", "\r\n\uFEFF", 0, "", ReadNothing},
		{"silent exit 1", BeforeTool, "", "", 1, "", ReadNothing},
		{"silent exit 2", BeforeTool, "", "", 2, `{"decision":"deny","reason":"Hook exited with code 2"}`, ReadSilentExit},
		{"silent exit 2 of an event that blocks nothing", SessionEnd, "", "", 2, "", ReadNothing},
		{"text", BeforeTool, " hello \n", "ignored", 0, `{"decision":"allow","systemMessage":"hello"}`, ReadText},
		{"text on stderr", BeforeTool, "\n", "oops\n", 0, `{"decision":"allow","systemMessage":"oops"}`, ReadErrorText},
		{"text, exit 1", BeforeTool, "hm", "", 1, `{"decision":"allow","systemMessage":"Warning: hm"}`, ReadText},
		{"text, exit 2", BeforeTool, "", "no", 2, `{"decision":"deny","reason":"no"}`, ReadErrorText},
		{"text, exit 2, both streams", BeforeTool, "out", "err", 2, `{"decision":"deny","reason":"out"}`, ReadText},
		{"text, exit 127", BeforeTool, "", "not found", 127, `{"decision":"deny","reason":"not found"}`, ReadErrorText},
		{"an object", BeforeTool, `{"decision":"deny"}`, "", 0, `{"decision":"deny"}`, ReadStdout},
		{"an object beats the exit code", BeforeTool, `{"decision":"allow"}`, "", 2, `{"decision":"allow"}`, ReadStdout},
		{"an object on stderr", BeforeTool, "", `{"decision":"block"}`, 1, `{"decision":"block"}`, ReadStderr},
		{"an object in a string", BeforeTool, `"{\"decision\":\"deny\"}"`, "", 0, `{"decision":"deny"}`, ReadStdout},
		{"a string", BeforeTool, `"hello"`, "", 0, `{"decision":"allow","systemMessage":"\"hello\""}`, ReadText},
		{"an array", BeforeTool, `[1]`, "", 0, `{}`, ReadStdout},
		{"a number", BeforeTool, `42`, "", 0, "", ReadScalar},
		{"null", BeforeTool, `null`, "", 1, "", ReadScalar},
		{"an array, exit 2", BeforeTool, `[1]`, "", 2, `{"decision":"deny","reason":"Hook exited with code 2"}`, ReadStdout},
		{"a number, exit 2", BeforeTool, `42`, "no", 2, `{"decision":"deny","reason":"no"}`, ReadScalar},
		{"null, exit 2, of an event that blocks nothing", PreCompress, `null`, "", 2, "", ReadScalar},
		{"text before a denial", BeforeTool, "note\n{\"decision\":\"deny\"}", "", 0, `{"decision":"deny","reason":"No reason provided"}`, ReadEmbedded},
		{"text before an object", BeforeTool, "note\n{\"decision\":\"allow\"}", "", 0, `{"decision":"allow","systemMessage":"note\n{\"decision\":\"allow\"}"}`, ReadText},
		{"two objects", BeforeTool, `{"a":1}{"b":2}`, "", 2, `{"decision":"deny","reason":"{\"a\":1}{\"b\":2}"}`, ReadText},
		{"HTML", BeforeTool, `<a & b>`, "", 0, `{"decision":"allow","systemMessage":"<a & b>"}`, ReadText},
	} {
		o, reading := parseOutput(tt.event, answer{stdout: tt.stdout, stderr: tt.stderr, code: tt.code})
		got := ""
		if o != nil {
			got = string(o.JSON())
		}
		if got != tt.want || reading != tt.reading {
			t.Errorf("%s: %s (%s), want %s (%s)", tt.name, got, reading, tt.want, tt.reading)
		}
	}
	o, _ := parseOutput(BeforeTool, answer{stdout: strings.Repeat("x", 10<<20), code: 2})
	if n := len(o.text("reason")); n > maxText+1000 {
		t.Errorf("the reason has %d characters", n)
	}
}

// A member of the wrong type has no effect.
func TestWrongTypes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"continue":"no","decision":true,"reason":1,"systemMessage":{},"hookSpecificOutput":"x"}`,
		`{"continue":null,"decision":["deny"],"stopReason":[]}`,
		`{"continue":0}`,
	} {
		o, _ := parseJSON(text)
		if o.isStopping() || o.isBlocking() || o.reason() != "No reason provided" || o.text("systemMessage") != "" || o.specific() != nil {
			t.Errorf("%s has an effect", text)
		}
	}
}

// TestMerge checks the four ways to merge outputs.
func TestMerge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		event Event
		in    []string // "" for a hook without output
		want  string   // "" for none
	}{
		{"no outputs", BeforeTool, []string{"", ""}, ""},
		{"one empty output", BeforeTool, []string{"{}"}, `{"continue":true,"decision":"allow","suppressOutput":false}`},
		{
			"the last block counts", BeforeTool,
			[]string{`{"decision":"block","reason":"a"}`, `{"decision":"allow","reason":"b"}`, `{"decision":"deny","reason":"c"}`},
			`{"continue":true,"decision":"deny","reason":"a\nb\nc","suppressOutput":false}`,
		},
		{
			"ask", BeforeTool,
			[]string{`{"decision":"ask","systemMessage":"m"}`, `{"decision":"allow"}`},
			`{"continue":true,"decision":"ask","suppressOutput":false,"systemMessage":"m"}`,
		},
		{"a block beats ask", BeforeTool, []string{`{"decision":"ask"}`, `{"decision":"deny"}`}, `{"continue":true,"decision":"deny","suppressOutput":false}`},
		{
			"stops", AfterAgent,
			[]string{`{"continue":false,"stopReason":"a"}`, `{"continue":false,"stopReason":"b"}`, `{"stopReason":"c"}`},
			`{"continue":false,"stopReason":"a\nb","suppressOutput":false}`,
		},
		{"specifics", BeforeTool, []string{
			`{"suppressOutput":true,"hookSpecificOutput":{"additionalContext":"x","tool_input":{"a":1},"clearContext":true}}`,
			`{"hookSpecificOutput":{"additionalContext":"y","tool_input":{"b":2},"clearContext":false}}`,
		}, `{"continue":true,"decision":"allow","hookSpecificOutput":{"additionalContext":"x\ny","clearContext":true,"tool_input":{"b":2}},"suppressOutput":true}`},
		{"context that is no text", BeforeTool, []string{`{"hookSpecificOutput":{"additionalContext":5}}`}, `{"continue":true,"decision":"allow","suppressOutput":false}`},

		{"a later field replaces", BeforeModel, []string{
			`{"decision":"deny","reason":"a","hookSpecificOutput":{"llm_request":{"model":"x"},"k":1}}`,
			`{"decision":"allow","hookSpecificOutput":{"llm_request":{"messages":[]}}}`,
		}, `{"decision":"deny","hookSpecificOutput":{"k":1,"llm_request":{"messages":[],"model":"x"}},"reason":"a"}`},
		{
			"a block stays, with its reason", AfterModel,
			[]string{`{"decision":"block","reason":"a"}`, `{"decision":"approve","reason":"b","stopReason":"c"}`},
			`{"decision":"block","reason":"a"}`,
		},
		{
			"a stop stays", BeforeModel,
			[]string{`{"continue":false,"stopReason":"a"}`, `{"continue":true,"decision":"deny","reason":"b"}`},
			`{"continue":false,"decision":"deny","stopReason":"a"}`,
		},
		{
			"simple", SessionEnd,
			[]string{`{"systemMessage":"a","hookSpecificOutput":{"x":1}}`, `{"systemMessage":"b","hookSpecificOutput":{"y":2}}`},
			`{"hookSpecificOutput":{"y":2},"systemMessage":"b"}`,
		},

		{"tools of an empty output", BeforeToolSelection, []string{`{}`}, `{"hookSpecificOutput":{"toolConfig":{"allowedFunctionNames":[],"mode":"AUTO"}}}`},
		{"tools", BeforeToolSelection, []string{
			`{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["b","a"]}}}`,
			`{"decision":"deny","hookSpecificOutput":{"toolConfig":{"mode":"AUTO","allowedFunctionNames":["c","a",5]}}}`,
		}, `{"hookSpecificOutput":{"toolConfig":{"allowedFunctionNames":["a","b","c"],"mode":"ANY"}}}`},
		{"no tools", BeforeToolSelection, []string{
			`{"hookSpecificOutput":{"toolConfig":{"mode":"NONE"}}}`,
			`{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["a"]}}}`,
		}, `{"hookSpecificOutput":{"toolConfig":{"allowedFunctionNames":[],"mode":"NONE"}}}`},
	} {
		var outputs []Output
		for _, text := range tt.in {
			o, _ := parseJSON(text)
			outputs = append(outputs, o)
		}
		got := ""
		if o := merge(tt.event, outputs); o != nil {
			got = string(o.JSON())
		}
		if got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.name, got, tt.want)
		}
	}
}

// FuzzOutput checks that no output makes the reader fail, and that its result is JSON.
func FuzzOutput(f *testing.F) {
	for _, text := range []string{
		`{"decision":"deny"}`, `"\"{}\""`, `[`, "\uFEFF{}", `{"hookSpecificOutput":{"toolConfig":{"mode":1}}}`, "\xff\xfe", `{"continue":false}`,
		`{"hookSpecificOutput":{"llm_request":{"messages":[{"role":1}],"config":{"topP":"x"}}}}`, `{"a":1,"a":2}`, "null", `" "`,
	} {
		f.Add(text, "", 0)
		f.Add("", text, 2)
	}
	f.Fuzz(func(t *testing.T, stdout, stderr string, code int) {
		for _, e := range Events() {
			stdout, stderr := strings.ToValidUTF8(stdout, "\uFFFD"), strings.ToValidUTF8(stderr, "\uFFFD")
			a := answer{stdout: stdout, stderr: stderr, code: code}
			o, reading := parseOutput(e, a)
			if reading == "" {
				t.Error("not said how it was read")
			}
			for _, as := range []string{"", postFailure} {
				h := &Hook{Event: e, Dialect: Claude, As: as}
				theirs, reading := readClaude(h, "Bash", a)
				if reading == "" || theirs != nil && !json.Valid(theirs.JSON()) {
					t.Errorf("Claude Code: %s, %s", theirs.JSON(), reading)
				}
				refusal, notes := checkShape(e, theirs, a)
				if r := restrictionOf(json.RawMessage(trim(stdout))); r.decision == "deny" && e == BeforeTool && !(firing{theirs, refusal}).isDenied() {
					t.Errorf("Claude Code: %q does not deny: %s", stdout, theirs.JSON())
				}
				for _, n := range notes {
					if n == "" {
						t.Error("an empty note")
					}
				}
			}
			refusal, _ := checkShape(e, o, a)
			if r := restrictionOf(json.RawMessage(trim(stdout))); r.decision == "deny" && e.isBlockable() && !(firing{o, refusal}).isDenied() {
				t.Errorf("%s: %q does not deny: %s", e, stdout, o.JSON())
			}
			if code == 2 && e == BeforeTool && !slices.Contains(ownDecisions, o.text("decision")) && !(firing{o, refusal}).isDenied() {
				t.Errorf("%q does not deny with exit code 2: %s", stdout, o.JSON())
			}
			merged := merge(e, []Output{o, o})
			if (o == nil) != (merged == nil) {
				t.Errorf("%v merges to %v", o, merged)
			}
			if merged == nil {
				continue
			}
			if !json.Valid(merged.JSON()) {
				t.Errorf("%s is no JSON", merged.JSON())
			}
			v := firing{Output: merged}.verdict()
			if (v.Stop || v.Block) != (v.Reason != "") {
				t.Errorf("verdict %+v", v)
			}
			in := Output{}
			in.set("prompt", "p")
			if !json.Valid(encode(chain(e, in, o))) {
				t.Error("the next input is no JSON")
			}
			decodeResponse(merged.specific().object("llm_response"), nil)
			if change := merged.specific().object("llm_request"); change != nil && mustBeRequest(encode(change)) == "" {
				_ = applyRequest(sampleRequest(), change, nil) // refused or not
			}
		}
	})
}

// isDenied reports whether the firing stops or blocks.
func (f firing) isDenied() bool {
	v := f.verdict()
	return v.Stop || v.Block
}
