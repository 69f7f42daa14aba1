package guard

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/tool"
)

// addNotes returns the result with notes for the model: that the call has run again with more permission, and about its arguments, which of
// several for one parameter was taken, and which are none of the tool's. The latter are named once in a
// session.
func (g *gatedCall) addNotes(r *tool.Result) *tool.Result {
	if g.again != nil {
		allowed := "allowed it, and not only for this run"
		if g.outcome == tool.ProceedOnce {
			allowed = "allowed it for this run only"
		}
		r = AppendText(r, "\n\n[This is another run of the command; what it had done before stays. It had lacked a permission: "+g.again.Lacked+" The user has "+allowed+".]")
	}
	notes := slices.Clone(g.reading.Notes)
	var ignored []string
	for _, name := range g.reading.Ignored[:min(len(g.reading.Ignored), mostNoted)] {
		if !g.isUsed(name) {
			name = brief(name)
			if _, known := g.noted.LoadOrStore(g.spec.Name+"/"+name, true); !known {
				ignored = append(ignored, name)
			}
		}
	}
	if len(ignored) > 0 {
		notes = append(notes, "ignored: "+strings.Join(ignored, ", "))
	}
	if len(notes) == 0 {
		return r
	}
	return AppendText(r, "\n\n[Arguments: "+strings.Join(notes, "; ")+"]")
}

// addNews returns the result with the news, if the model has made the call.
func (g *gatedCall) addNews(r *tool.Result) *tool.Result {
	if g.opts.News == nil || g.written.PromptID == "" || g.written.FromClient || g.written.Typed || len(r.Content) == 0 && r.Error == nil {
		return r
	}
	if news := g.opts.News(); news != "" {
		r = AppendText(r, "\n\n[This was the result. News beside it:]\n"+news)
	}
	return r
}

// addReports returns the result with the reports of the changes that these executions have made in files. A cancelled call
// without an output stays so.
func addReports(r *tool.Result, ran []agent.Execution) *tool.Result {
	if len(r.Content) == 0 && r.Error == nil {
		return r
	}
	for i := range ran {
		if c := ran[i].Changes; c != nil && c.Report != "" {
			r = AppendText(r, "\n\n"+c.Report)
		}
	}
	return r
}

// mostNoted is the number of unknown arguments of a call that its result may name.
const mostNoted = 20

// silent are arguments outside a schema that have an effect, that request the default, or that
// only explain a call.
var silent = []string{
	"wait_for_previous", "modified_by_user", "ai_proposed_content", "additional_permissions", "-i", "-n",
	"description", "explanation", "instruction", "reason", "thought",
}

// isUsed reports whether an argument that the schema does not name may have an effect, so that
// it is not ignored: the tool's schema allows it, or the tool is a program of its own.
func (g *gatedCall) isUsed(name string) bool {
	var s struct {
		AdditionalProperties json.RawMessage `json:"additionalProperties"`
	}
	_ = json.Unmarshal(g.spec.Schema, &s) // a schema that is invalid allows all
	_, isRemote := tool.As[tool.Remote](g.tool)
	return isRemote || g.spec.Kind == tool.KindOther || slices.Contains(silent, name) ||
		len(s.AdditionalProperties) > 0 && !bytes.Equal(s.AdditionalProperties, []byte("false"))
}

// brief returns a name, or its beginning.
func brief(name string) string {
	const most = 40
	if len(name) > most {
		return strings.ToValidUTF8(name[:most], "") + "..."
	}
	return name
}
