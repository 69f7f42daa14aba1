package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"pollux/internal/guard/policy"
	"pollux/llm"
	"pollux/tool"
)

// checkQuoted requires a person's approval, in every mode and whatever rules say, for a call that
// the model wrote as text and whose arguments stand in untrusted text: a file may have made the
// model write it. A call that stands there as a whole does not come here, because it is read as
// text (llm/quotation).
//
// If the untrusted text names the tool near the arguments, it is about this call.
// Otherwise models repeat words of files all the time, when they do what a README says. Then only
// calls with effects that matter need approval, see [gatedCall.repeats].
func (g *gatedCall) checkQuoted(context.Context) *refusal {
	if g.opts.Given == nil || !strings.Contains(g.written.ID, llm.TextCallID) {
		return nil
	}
	switch g.spec.Kind {
	case tool.KindRead, tool.KindSearch, tool.KindThink, tool.KindPlan, tool.KindCommunicate:
		return nil
	}
	value := g.mainArgument()
	at, ok := g.opts.Given.Find(g.spec.Name, value)
	if !ok || g.opts.Policy.IsReadOnly(g.policyCall()) || !at.IsCall && !g.repeats(value) {
		return nil
	}
	g.quotedFrom, g.quotedWords, g.verdict = at.Source, value, policy.Ask
	return g.requirePerson(fmt.Sprintf("These words stand in %s: %.200q. Only a user can allow a call that a model repeats from there.", at.Source, value))
}

// mainArgument returns the argument that decides what a call does: the command, the new text of a
// file, else the longest text.
func (g *gatedCall) mainArgument() string {
	var args map[string]any
	_ = json.Unmarshal(g.call.Args(), &args) // args are a JSON object
	longest := ""
	for name, v := range args {
		text, _ := v.(string)
		switch name {
		case "command", "content", "new_string":
			return text
		case "old_string", "instruction", "description":
			continue
		}
		if len(text) > len(longest) || len(text) == len(longest) && text < longest {
			longest = text
		}
	}
	return longest
}

// repeats reports whether a call needs approval if the words of its main argument stand in
// untrusted text: a command that does more than read, build and test, a change of a file that runs
// or decides later, and at least three words for any other tool, such as one of a server.
func (g *gatedCall) repeats(words string) bool {
	const sentence = 3
	isSentence := len(strings.Fields(words)) >= sentence
	switch {
	case g.spec.Kind == tool.KindExecute:
		return strings.ContainsAny(strings.TrimSpace(words), " \t\n./") && !isEveryday(words)
	case len(g.call.Locations()) > 0:
		return isSentence && g.opts.Policy.RunsLater(g.policyCall())
	}
	return isSentence
}
