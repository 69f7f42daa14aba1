package hook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"

	"pollux/tool"
)

// Output is the JSON object that a hook returned, by its members. A nil Output is none.
type Output map[string]json.RawMessage

// Reading is the way a hook's output was read. Its values are texts for people.
type Reading string

// The readings.
const (
	ReadNothing    Reading = "no output"
	ReadStdout     Reading = "JSON on stdout"
	ReadStderr     Reading = "JSON on stderr"
	ReadText       Reading = "plain text on stdout"
	ReadErrorText  Reading = "plain text on stderr"
	ReadSilentExit Reading = "no output, and exit code 2"
	ReadScalar     Reading = "JSON that is not an object, which has no effect"
	ReadFunction   Reading = "JSON of a function"
	ReadEmbedded   Reading = "a denial in JSON beside other text"
	ReadClaude     Reading = "an answer to Claude Code"
	// ReadAntigravity is only for hooks of its dialect.
	ReadAntigravity Reading = "an answer to Antigravity CLI"
	ReadFailure     Reading = "a failure, which blocks"
)

// answer is the output of a program, and its exit code: 0 if a signal ended it.
type answer struct {
	stdout, stderr string
	code           int
	isCut          bool // stdout is only the beginning
}

// maxText is the maximum length of plain text that becomes a message, in characters.
const maxText = 32 << 10

// parseOutput returns the output of a program in Pollux's own form. JSON output counts, whatever its exit code.
// Two things are stricter than in Gemini CLI: a denial in the words of another agent denies, and exit code 2
// blocks unless the JSON has a decision.
func parseOutput(e Event, a answer) (Output, Reading) {
	text, isError := trim(a.stdout), false
	if text == "" {
		text, isError = trim(a.stderr), true
	}
	pick := func(out, err Reading) Reading {
		if isError {
			return err
		}
		return out
	}
	if text == "" {
		if a.code == 2 && e.isBlockable() {
			return message("deny", "reason", "Hook exited with code 2"), ReadSilentExit
		}
		return nil, ReadNothing
	}
	if o, isJSON := parseJSON(text); isJSON {
		reading := pick(ReadStdout, ReadStderr)
		if o == nil {
			reading = ReadScalar
		}
		return restrict(e, o, text, a), reading
	}
	r := restrictionIn(a.stdout).or(restrictionIn(a.stderr))
	if r.decision != "" && e.isBlockable() {
		return message(r.decision, "reason", cmp.Or(r.reason, "No reason provided")), ReadEmbedded
	}
	if len(text) > maxText {
		text, _ = tool.Truncate(text, maxText, nil)
	}
	reading := pick(ReadText, ReadErrorText)
	switch a.code {
	case 0:
		return message("allow", "systemMessage", text), reading
	case 1:
		return message("allow", "systemMessage", "Warning: "+text), reading
	}
	return message("deny", "reason", text), reading
}

// ownDecisions are the decisions of Gemini CLI's form, beside which nothing else decides.
var ownDecisions = []string{"allow", "approve", "ask", "block", "deny"}

// restrict returns an output with the restriction that it has in the words of another agent, and with that of
// exit code 2. text is the JSON of o, which is nil if that is not an object.
func restrict(e Event, o Output, text string, a answer) Output {
	if !e.isBlockable() || o.isBlocking() || o.isStopping() {
		return o
	}
	hasDecision := slices.Contains(ownDecisions, o.text("decision"))
	r := restrictionOf(json.RawMessage(text))
	switch {
	case hasDecision:
	case a.code == 2:
		r = restriction{"deny", cmp.Or(r.reason, o.anyReason(), restrictionIn(a.stderr).reason, trim(a.stderr), "Hook exited with code 2")}
	default:
		r = r.or(restrictionIn(a.stderr))
	}
	if r.decision == "" || r.decision == o.text("decision") {
		return o
	}
	stricter := Output{}
	maps.Copy(stricter, o) // o may be nil
	stricter.set("decision", r.decision)
	stricter.setText("reason", r.reason)
	if r.decision == "ask" && o.text("systemMessage") == "" {
		stricter.setText("systemMessage", r.reason)
	}
	return stricter
}

// parseJSON returns the output of a JSON text: its object, an empty output for an array, and nil
// for any other value. A string is parsed again, because programs may encode twice.
func parseJSON(text string) (o Output, isJSON bool) {
	raw := []byte(text)
	if !json.Valid(raw) {
		return nil, false
	}
	if raw[0] == '"' {
		var inner string
		_ = json.Unmarshal(raw, &inner) // it is valid
		raw = []byte(trim(inner))
		if !json.Valid(raw) {
			return nil, false
		}
	}
	switch raw[0] {
	case '{':
		_ = json.Unmarshal(raw, &o) // it is valid
		return o, true
	case '[':
		return Output{}, true
	}
	return nil, true
}

func message(decision, key, text string) Output {
	o := Output{}
	o.set("decision", decision)
	o.set(key, text)
	return o
}

// isBlockable reports whether hooks of the event can block something.
func (e Event) isBlockable() bool {
	switch e {
	case BeforeAgent, AfterAgent, BeforeModel, AfterModel, BeforeTool, AfterTool:
		return true
	}
	return false
}

// trim removes white space as JavaScript does.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r == '\uFEFF' || unicode.IsSpace(r) })
}

// text returns a member that is a string, else "".
func (o Output) text(key string) string {
	var s string
	if raw := o[key]; len(raw) > 0 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &s) // "" if it is invalid
	}
	return s
}

// is reports whether a member is the literal "true" or "false".
func (o Output) is(key, literal string) bool { return string(o[key]) == literal }

// object returns a member that is an object, else nil.
func (o Output) object(key string) Output {
	var m Output
	if raw := bytes.TrimSpace(o[key]); len(raw) > 0 && raw[0] == '{' {
		_ = json.Unmarshal(raw, &m) // nil if it is invalid
	}
	return m
}

// specific returns the member with the fields of this event only.
func (o Output) specific() Output { return o.object("hookSpecificOutput") }

func (o Output) set(key string, value any) {
	if raw, ok := value.(json.RawMessage); ok { // which may be long
		o[key] = raw
		return
	}
	o[key] = encode(value)
}

// setText sets a member to a text, unless that is "".
func (o Output) setText(key, text string) {
	if text != "" {
		o.set(key, text)
	}
}

// encode returns value as JSON in one line, with characters such as < and & as they are, because
// hooks may search the text. value is made of types that can be encoded.
func encode(value any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// isBlocking reports whether the output blocks.
func (o Output) isBlocking() bool {
	d := o.text("decision")
	return d == "block" || d == "deny"
}

// isStopping reports whether the output stops the run.
func (o Output) isStopping() bool {
	return o.is("continue", "false") || strings.EqualFold(strings.TrimSpace(o.text("continue")), "false")
}

// reason returns the reason of a block or stop.
func (o Output) reason() string {
	return cmp.Or(o.text("stopReason"), o.text("reason"), "No reason provided")
}

// texts returns the strings of a member that is a list.
func (o Output) texts(key string) []string {
	var items []json.RawMessage
	_ = json.Unmarshal(o[key], &items) // another type has none
	var list []string
	for _, item := range items {
		var s string
		if json.Unmarshal(item, &s) == nil {
			list = append(list, s)
		}
	}
	return list
}

// objects returns the objects of a member that is a list.
func (o Output) objects(key string) (list []Output) {
	_ = json.Unmarshal(o[key], &list) // another type has none
	return list
}

// JSON returns the output as it was returned, in one line.
func (o Output) JSON() json.RawMessage { return encode(o) }
