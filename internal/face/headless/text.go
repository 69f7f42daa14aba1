package headless

import "pollux/agent"

// plainText writes the answers as they come (spec/cli.md §6.2).
type plainText struct {
	*face
	said bool // something in this turn
}

const rawWarning = "[WARNING] --raw-output is enabled. Model output is not sanitized and may contain harmful ANSI sequences " +
	"(e.g. for phishing or command injection). Use --accept-raw-output-risk to suppress this warning."

func (p *plainText) begin() {
	if p.Raw && !p.RawAccepted {
		p.tell(rawWarning)
	}
}

func (p *plainText) turn() { p.said = false }

func (p *plainText) text(s string) {
	if s != "" {
		p.said = true
		p.out.writeString(s)
	}
}

func (p *plainText) discard() {
	if p.said {
		p.notice(discardNotice())
		p.said = false
	}
}

func (p *plainText) call(*agent.ToolCall) { p.out.endLine() }

func (p *plainText) result(*agent.ToolFinished) {}

func (p *plainText) notice(n notice) {
	if n.line != "" {
		p.tell(n.line)
	}
}

func (p *plainText) invalid(message string) { p.tell("[ERROR] " + message) }

func (p *plainText) success() { p.out.endLine() }

func (p *plainText) failure(x explanation) {
	p.out.endLine()
	p.out.flush()
	p.err.failure(x, p.Color)
}

func (p *plainText) early(x explanation) { p.failure(x) }
