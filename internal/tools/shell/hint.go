//go:build unix

package shell

import "context"

// asked is the call that a command was started for, as hints about it need it.
type asked struct {
	*call
	ctx         context.Context
	hasTerminal bool // in which the person can answer
}

// isByModel reports whether hints are wanted.
func (a *asked) isByModel() bool { return a.call != nil && a.tool.caller == model }

// hint returns the line for the model about a command that has ended, with the end of its output: that it has ended itself, or needs an author, a
// terminal, a person, or more than the sandbox allows, or has shown a full screen in its terminal. It is "" for others, and for one that was asked to end.
func (p *execution) hint(output string) string {
	if !p.asked.isByModel() || p.isStopped() {
		return ""
	}
	_, codes := p.report()
	hasFailed := p.Status().Code != 0 || p.Status().Signal != 0 || len(codes) > 0
	output = endOf(output)
	text := p.adviseOnEnd(output, hasFailed)
	if text == "" {
		text = p.sandboxAdvice(output, hasFailed)
	}
	switch {
	case text != "":
	case !p.asked.hasTerminal:
		text = advise(p.asked.command, output, hasFailed)
	case p.out.hasAlternate():
		text = "The program showed a full screen, which is not kept. For text use read_file, or a program that only prints, such as cat."
	}
	return hintLine(text)
}

// adviseOnEnd returns advice about the end of a command that has nothing to do with the sandbox or a terminal, "" for none.
func (p *execution) adviseOnEnd(output string, hasFailed bool) string {
	if text := adviseOnOwnEnd(p.asked.command, p.Status().Signal); text != "" {
		return text + p.ifReadOn(canBeStopped) + isNarrower
	}
	return adviseOnAuthor(output, hasFailed)
}

// ifReadOn returns a text about the tools for background commands if the model has them, else "".
func (p *execution) ifReadOn(text string) string {
	if can := p.asked.tool.CanReadOn; can != nil && !can() {
		return ""
	}
	return text
}

// hintSoFar returns the line for the model about a command that runs and has printed that the sandbox refused it a file, "" for others.
func (p *execution) hintSoFar(output string) string {
	if !p.asked.isByModel() {
		return ""
	}
	return hintLine(p.sandboxAdvice(endOf(output), false))
}

// sandboxAdvice returns advice about a command that the sandbox has refused something, "" for none.
func (p *execution) sandboxAdvice(output string, hasFailed bool) string {
	if text := adviseOnInspection(p.asked.command); text != "" && p.IsConfined() {
		return text + p.ifReadOn(othersAreListed)
	}
	advise := p.asked.tool.Advise
	if advise == nil {
		return ""
	}
	return advise(context.WithoutCancel(p.asked.ctx), output, hasFailed) // the call may have ended
}

// endOf returns the part of an output that hints are about.
func endOf(output string) string {
	const most = 2000 // bytes
	return output[max(0, len(output)-most):]
}

func hintLine(text string) string {
	if text == "" {
		return ""
	}
	return "\nHint: " + text
}
