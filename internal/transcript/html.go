package transcript

import (
	"fmt"
	"html"
	"strings"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/llm"
)

// htmlHead is the beginning of a page, before the title. The policy keeps a browser from loading or
// running anything, whatever the page contains.
const htmlHead = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 16px/1.5 sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
pre.code { font: 14px/1.4 monospace; background: #f3f3f3; padding: 0.5em; }
section { border-top: 1px solid #ccc; }
h2 { font-size: 1em; color: #555; }
</style>
`

// HTML returns a conversation as a web page with the content of [Markdown]. All text is escaped.
func HTML(info Info, history []agent.Message) string {
	p := &page{}
	p.WriteString(htmlHead)
	fmt.Fprintf(p, "<title>Session %s</title>\n</head>\n<body>\n<h1>Conversation</h1>\n", escaped(oneLine(info.ID)))
	fmt.Fprintf(p, "<ul>\n<li>Session: %s</li>\n<li>Directory: %s</li>\n<li>Began: %s</li>\n</ul>\n",
		escaped(oneLine(info.ID)), escaped(oneLine(info.Dir)), info.Start.Format("2006-01-02 15:04"))
	for i, m := range history {
		switch {
		case m.Content.Role == llm.RoleModel:
			p.model(m, info.outcomes(history[i+1:]))
		case !m.Content.HasFunctionResponse() && !isSessionContext(m):
			p.user(m)
		}
	}
	p.WriteString("</body>\n</html>\n")
	return p.String()
}

// page is the text of a web page.
type page struct{ strings.Builder }

// escaped returns a text without markup and without characters that hide or reorder others.
func escaped(text string) string { return html.EscapeString(terminal.Text(text)) }

func (p *page) section(title string) {
	fmt.Fprintf(p, "<section>\n<h2>%s</h2>\n", escaped(title))
}

func (p *page) text(text string) {
	if text = strings.TrimSpace(text); text != "" {
		fmt.Fprintf(p, "<pre>%s</pre>\n", escaped(text))
	}
}

func (p *page) code(text string) {
	fmt.Fprintf(p, "<pre class=\"code\">%s</pre>\n", escaped(strings.TrimRight(text, "\n")))
}

func (p *page) user(m agent.Message) {
	p.section("User")
	if m.Shown != "" {
		p.text(m.Shown)
	} else {
		for _, part := range m.Content.Parts {
			p.part(part)
		}
	}
	p.WriteString("</section>\n")
}

func (p *page) model(m agent.Message, outcomes map[string]*outcome) {
	title := "Model"
	if m.Model != "" {
		title += " (" + oneLine(m.Model) + ")"
	}
	p.section(title)
	for _, part := range m.Content.Parts {
		c := part.FunctionCall
		if c == nil {
			p.part(part)
			continue
		}
		fmt.Fprintf(p, "<h2>Tool: %s</h2>\n", escaped(oneLine(c.Name)))
		p.code(indented(c.Args))
		o := outcomes[c.ID]
		if o == nil {
			continue
		}
		for i := range o.ran {
			if title := executionTitle(&o.ran[i]); title != "" {
				fmt.Fprintf(p, "<p>%s</p>\n", escaped(title))
				p.code(indented(o.ran[i].Args))
			}
		}
		for _, result := range o.parts {
			if r := result.FunctionResponse; r != nil {
				p.code(responseText(r.Response))
			} else {
				p.part(result)
			}
		}
	}
	p.WriteString("</section>\n")
}

// part writes a part as [writePart] does.
func (p *page) part(part llm.Part) {
	var b strings.Builder
	writePart(&b, part)
	p.text(b.String())
}
