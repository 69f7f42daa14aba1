package transcript

import (
	"fmt"
	"html"
	"strings"

	"pollux/agent"
	"pollux/internal/terminal"
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
	write(p, info, history)
	p.WriteString("</body>\n</html>\n")
	return p.String()
}

// page is the text of a web page.
type page struct{ strings.Builder }

// escaped returns a text without markup and without characters that hide or reorder others.
func escaped(text string) string { return html.EscapeString(terminal.Text(text)) }

func (p *page) begin(title string) { fmt.Fprintf(p, "<section>\n<h2>%s</h2>\n", escaped(title)) }

func (p *page) text(text string) { fmt.Fprintf(p, "<pre>%s</pre>\n", escaped(text)) }

func (p *page) tool(name string) { fmt.Fprintf(p, "<h2>Tool: %s</h2>\n", escaped(name)) }

func (p *page) note(text string) { fmt.Fprintf(p, "<p>%s</p>\n", escaped(text)) }

func (p *page) code(_, text string) {
	fmt.Fprintf(p, "<pre class=\"code\">%s</pre>\n", escaped(strings.TrimRight(text, "\n")))
}

func (p *page) end() { p.WriteString("</section>\n") }
