package texttool

import (
	"encoding/json"
	"slices"

	"pollux/llm"
	"pollux/llm/argmap"
	"pollux/llm/foreign"
)

// toolSet is the tools that a request declares, by name.
type toolSet map[string]declaredTool

// declaredTool describes a tool's arguments, from its declaration in a request.
type declaredTool struct {
	schema json.RawMessage
	// wholeTexts are the parameters whose value is a whole text, see [llm.FunctionDeclaration].
	wholeTexts []string
}

func newToolSet(tools []llm.FunctionDeclaration) toolSet {
	t := make(toolSet, len(tools))
	for i := range tools {
		t[tools[i].Name] = declaredTool{tools[i].Parameters, tools[i].WholeTexts}
	}
	return t
}

// declarations returns the tools in sets, each once.
func declarations(sets []*llm.ToolSet) []llm.FunctionDeclaration {
	var tools []llm.FunctionDeclaration
	known := map[string]bool{}
	for _, set := range sets {
		for _, f := range set.Functions {
			if f.Name == "" || known[f.Name] {
				continue
			}
			known[f.Name] = true
			tools = append(tools, f)
		}
	}
	return tools
}

func (t toolSet) has(name string) bool {
	_, ok := t[name]
	return ok
}

// value returns the value of a parameter that a model wrote as plain text, as JSON of a type
// that the tool's schema allows.
func (t toolSet) value(tool, parameter, text string) json.RawMessage {
	return argmap.FromText(t[tool].schema, parameter, text)
}

// isWholeText reports whether the value of a parameter is a whole text. The names may be those
// that models commonly use for the tool and the parameter.
func (t toolSet) isWholeText(tool, parameter string) bool {
	return t.hasWholeText(tool, parameter) || !t.has(tool) && slices.ContainsFunc(foreign.Meant(tool), func(own string) bool {
		return t.hasWholeText(own, parameter)
	})
}

func (t toolSet) hasWholeText(tool, parameter string) bool {
	d := t[tool]
	return len(d.wholeTexts) > 0 && slices.Contains(d.wholeTexts, argmap.Common().Parameter(tool, d.schema, parameter))
}

// properties returns the names of a tool's parameters in the order of its schema.
func (t toolSet) properties(tool string) []string {
	var s struct{ Properties json.RawMessage }
	if json.Unmarshal(t[tool].schema, &s) != nil {
		return nil
	}
	return memberNames(s.Properties)
}

// required returns the names of the parameters that a tool requires.
func (t toolSet) required(tool string) []string {
	var s struct{ Required []string }
	_ = json.Unmarshal(t[tool].schema, &s) // an unreadable schema requires none
	return s.Required
}
