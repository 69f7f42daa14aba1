package headless

import "pollux/agent"

// plainText is the text format: it writes answers as they arrive.
type plainText struct {
	*face
	hasText bool // the turn has text
}

const rawWarning = "[WARNING] --raw-output is enabled. Model output is not sanitized and may contain harmful ANSI sequences " +
	"(e.g. for phishing or command injection). Use --accept-raw-output-risk to suppress this warning."

func (p *plainText) begin() {
	if p.Raw && !p.RawAccepted {
		p.printErr(rawWarning)
	}
}

func (p *plainText) turn() { p.hasText = false }

func (p *plainText) text(s string) {
	if s != "" {
		p.hasText = true
		p.out.writeString(s)
	}
}

func (p *plainText) discard(e agent.Retried) {
	if p.hasText {
		p.notice(noticeOf(e))
		p.hasText = false
	}
}

func (p *plainText) call(*agent.ToolCall) { p.out.endLine() }

func (p *plainText) result(*agent.ToolFinished) {}

func (p *plainText) notice(n notice) {
	if n.line != "" {
		p.printErr(n.line)
	}
}

func (p *plainText) invalid(message string) { p.printErr("[ERROR] " + message) }

func (p *plainText) success() { p.out.endLine() }

func (p *plainText) failure(x explanation) {
	p.out.endLine()
	p.out.flush()
	p.err.printFailure(x, p.Color)
}

func (p *plainText) early(x explanation) { p.failure(x) }
