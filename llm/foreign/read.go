package foreign

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"pollux/llm"
	"pollux/llm/argmap"
)

// object is the arguments of a call.
type object map[string]json.RawMessage

func parseObject(args json.RawMessage) (object, error) {
	o := object{}
	if len(bytes.TrimSpace(args)) == 0 {
		return o, nil
	}
	err := json.Unmarshal(args, &o)
	return o, err
}

// encode returns o as JSON, its members in alphabetical order.
func (o object) encode() json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(o) // the values are valid JSON
	return bytes.TrimSpace(b.Bytes())
}

// text returns an argument that is a string, "" for others.
func (o object) text(name string) string {
	var s string
	_ = json.Unmarshal(o[name], &s) // "" for other types
	return s
}

// isTrue reports whether an argument is true, also as a string.
func (o object) isTrue(name string) bool { return strings.Trim(string(o[name]), `" `) == "true" }

// reader reads one call.
type reader struct {
	options  *Options
	names    argmap.Names
	name     string // the key of the name of the call's tool
	declared []*llm.FunctionDeclaration
}

// call is a call of a declared tool.
type call struct {
	tool string
	args json.RawMessage
}

// read returns calls of the one declared tool that fits, nil if no tool or several fit.
func (r *reader) read(args object) []call {
	var calls []call
	fitting := 0
	for _, d := range r.declared {
		shaped := []object{args}
		isMeant := r.means(d.Name)
		switch {
		case isMeant:
			shaped = r.shape(d.Name, args)
		case !r.isRival(d.Name):
			continue
		}
		fitted, fits := r.fitAll(d, shaped)
		if !fits {
			continue
		}
		fitting++
		if isMeant {
			calls = fitted
		}
	}
	if fitting != 1 {
		return nil
	}
	return calls
}

// means reports whether a declared tool has the name of the call in another spelling, or is one
// that does the same.
func (r *reader) means(tool string) bool {
	return Key(tool) == r.name || slices.Contains(Meant(r.name), tool)
}

// isRival reports whether the name of a declared tool has all words of the call's name, so that
// the call may mean that tool.
func (r *reader) isRival(tool string) bool {
	words := Words(tool)
	asked := strings.Split(r.name, "_")
	return !slices.ContainsFunc(asked, func(w string) bool { return !slices.Contains(words, w) })
}

// fitAll returns calls with the arguments as the tool's schema wants them. It reports false if
// there are no calls or one of them does not fit.
func (r *reader) fitAll(d *llm.FunctionDeclaration, calls []object) ([]call, bool) {
	var out []call
	for _, args := range calls {
		fitted, fits := r.fit(d, args)
		if !fits {
			return nil, false
		}
		out = append(out, call{d.Name, fitted})
	}
	return out, len(out) > 0
}

func (r *reader) fit(d *llm.FunctionDeclaration, args object) (json.RawMessage, bool) {
	reading := r.names.Read(d.Name, d.Parameters, args.encode())
	if len(reading.Notes) > 0 {
		return nil, false
	}
	if len(reading.Ignored) > 0 {
		left, err := parseObject(reading.Args)
		if err != nil {
			return nil, false
		}
		for _, name := range reading.Ignored {
			if !isHarmless(d.Name, Key(name), left[name]) {
				return nil, false
			}
			if !isRead(d.Name, Key(name)) {
				delete(left, name)
			}
		}
		reading.Args = left.encode()
	}
	return reading.Args, argmap.Fits(d.Parameters, reading.Args)
}

// isRead reports whether a tool reads an argument that it may not declare: a search counts with it, and the result of
// a command says that it is ignored.
func isRead(tool, name string) bool {
	return tool == "grep_search" && name == "max_matches_per_file" || tool == "run_shell_command" && name == "timeout"
}

// isHarmless reports whether a call without an argument means the same.
func isHarmless(tool, name string, value json.RawMessage) bool {
	switch string(bytes.TrimSpace(value)) {
	case "null", `""`, "[]", "{}":
		return true
	case "false":
		return name != "blocking" && name != "wait"
	}
	for i := 0; i < len(harmless); i += 2 {
		if (harmless[i] == "" || harmless[i] == tool) && slices.Contains(strings.Fields(harmless[i+1]), name) {
			return true
		}
	}
	return false
}

// harmless are tools, and arguments of other programs that do not change the meaning of their calls, by
// turns; those under "" of all tools. Pollux asks for approval by its own rules, and has its own time
// limits.
var harmless = [...]string{
	"", "description explanation reason reasoning justification thought purpose",
	"run_shell_command", "timeout timeout_ms timeout_seconds yield_time_ms max_output_tokens with_escalated_permissions sandbox_permissions " +
		"requires_approval require_user_approval safe_to_auto_run login goal",
	"write_file", "line_count overwrite",
	"replace", "instruction instructions",
	"grep_search", "n i case_insensitive ignore_case max_matches_per_file",
	"web_fetch", "format timeout max_length",
	"google_web_search", "limit count num num_results max_results",
	"invoke_agent", "model",
}
