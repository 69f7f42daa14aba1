package session

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"pollux/agent"
	"pollux/agent/shorten"
	"pollux/internal/auth"
	"pollux/internal/durable"
	"pollux/internal/mention"
	"pollux/internal/models"
	"pollux/internal/servers"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
)

// Run puts a prompt to the model and works until the model has no more to ask for: see [agent.Agent.Run]. The texts of
// a prompt without Shown may name files with "@", which Run adds. It warns of files that it leaves out. A prompt
// with Shown is sent as it is.
func (s *Session) Run(ctx context.Context, p agent.Prompt) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		s.titler.Stop()
		p, err := s.expand(ctx, p)
		switch {
		case err != nil && ctx.Err() != nil:
			yield(agent.Cancelled{}, nil)
		case err != nil:
			yield(nil, err)
		default:
			defer s.endTurn()
			s.records.Run(ctx, p, s.agent.Run)(func(e agent.Event, err error) bool {
				s.Servers.Wake(e)
				return yield(e, err)
			})
		}
	}
}

// Steer adds a prompt, with the files that it names as for [Session.Run], to the next request of the
// run in progress, or to the next prompt if there is none: see [agent.Agent.Steer]. It may
// be called during a run. The error is that of a file or of ctx; then nothing was added.
func (s *Session) Steer(ctx context.Context, p agent.Prompt) error {
	p, err := s.expand(ctx, p)
	if err == nil {
		s.agent.Steer(p)
		s.Agents.Steer(p)
	}
	return err
}

// Withdraw takes back what [Session.Steer] added and no request has taken yet, and returns
// it as it was written. It may be called during a run.
func (s *Session) Withdraw() []string {
	var texts []string
	for _, p := range s.agent.Withdraw() {
		texts = append(texts, p.Text())
	}
	return texts
}

// expand completes a prompt for the model: the files that it mentions, and what hooks and servers add.
func (s *Session) expand(ctx context.Context, p agent.Prompt) (agent.Prompt, error) {
	s.expanding.Lock()
	defer s.expanding.Unlock()
	if err := s.Reachable(); err != nil {
		return agent.Prompt{}, err
	}
	s.Servers.Await(ctx)
	if s.Agents.AwaitCards(ctx) {
		s.refresh()
	}
	if p.Shown == "" {
		var err error
		if p, err = s.attach(ctx, p); err != nil {
			return agent.Prompt{}, err
		}
	}
	p.ID = s.agent.NewPromptID()
	s.Hooks.AddStartContext(&p)
	s.tellServers(ctx, &p)
	return p, nil
}

// attach adds the files that the texts of a prompt mention. Shown is set if there are any.
func (s *Session) attach(ctx context.Context, p agent.Prompt) (agent.Prompt, error) {
	attached := agent.Prompt{ID: p.ID}
	for _, part := range p.Parts {
		if !part.IsText() {
			attached.Parts = append(attached.Parts, part)
			continue
		}
		asked, err := mention.Expand(ctx, s.Workspace, part.Text, s.agent.Room, mention.Known{IsAgent: s.Agents.Has, Resources: s.Servers.Resources()})
		if err != nil {
			return agent.Prompt{}, err
		}
		s.reportMentions(asked)
		attached.Parts = append(attached.Parts, asked.Parts...)
		if text := s.Memory.Discover(asked.Files...); text != "" {
			attached.Parts = append(attached.Parts, llm.Text(text))
		}
		if len(asked.Files) > 0 {
			attached.Shown = p.Text()
		}
	}
	return attached, nil
}

// reportMentions shows which files a prompt has and which it has not, and which names that look like files are none.
func (s *Session) reportMentions(asked mention.Expansion) {
	for _, skipped := range asked.Skipped {
		s.Project.Warn("Warning: " + terminal.Line(fmt.Sprintf("Cannot attach @%s: %s.", skipped.Path, skipped.Reason)))
	}
	for _, cut := range asked.Cut {
		s.Project.Warn("Warning: " + terminal.Line(fmt.Sprintf("@%s is too long for the context window. The prompt contains %s; the model can read the rest.", cut.Path, cut.Reason)))
	}
	for _, m := range asked.Missing {
		text := fmt.Sprintf("Warning: No file %s: sent as text.", m.Name)
		if m.Near != "" {
			text += fmt.Sprintf(" Did you mean %s?", m.Near)
		}
		s.Project.Warn(terminal.Line(text))
	}
	var list []string
	for _, a := range asked.Attached {
		list = append(list, a.Name+" ("+a.Size+")")
	}
	if len(list) == 0 {
		return
	}
	const most = 5
	if n := len(list) - most; n > 0 {
		list = append(list[:most], fmt.Sprintf("%d more", n))
	}
	text := terminal.Line("Attached: " + strings.Join(list, ", "))
	if s.Project.Options.Interactive {
		s.Project.Warn(text)
		return
	}
	s.Project.Log.Debug(text)
}

// FitInput returns a text that was piped to the program as the prompt has it. A text that is too
// long for the model's window goes into a file, which the model can read in parts; the prompt
// names the file and has the beginning and the end of the text. The user is warned.
func (s *Session) FitInput(text string) string {
	room := s.agent.Room()
	if room == 0 || llm.EstimateTokens([]llm.Part{{Text: text}}) <= room {
		return text
	}
	where := "Pollux could not save it"
	if path, err := s.outputs.Save("standard_input", text); err == nil {
		where = "The full input is in " + path
	} else {
		where += ": " + durable.Cause(err).Error()
	}
	short := shorten.Within(text, room, func() string { return "" })
	s.Project.Warn(fmt.Sprintf("Warning: Standard input is too long for the context window. The prompt contains its beginning and its end. %s.", where))
	return "The standard input of this command is longer than your context window. " + where + ".\n" + short
}

// Place returns what the advice about a failed request depends on. inSession reports whether the
// user can type commands.
func (s *Session) Place(inSession bool) wording.Place {
	var p wording.Place
	if account := s.Current().Account; account.Profile != nil {
		p = models.Place(account)
		p.KeyFrom, p.AddressVar = s.Project.DescribeSource(p.KeyFrom), s.Project.DescribeSource(p.AddressVar)
	}
	p.InSession, p.ProxyVar = inSession, auth.ProxyVariable(s.Project.Env)
	return p
}

// tellServers gives the model what the servers say about themselves: in the message that opens the
// conversation if there was no prompt yet, else with the prompt p.
func (s *Session) tellServers(ctx context.Context, p *agent.Prompt) {
	news := s.Servers.TakeNews()
	if news.Outdated != "" {
		p.Parts = append(p.Parts, llm.Text(news.Outdated))
	}
	switch {
	case !news.HasChanged:
	case len(s.Prompts()) == 0:
		s.agent.ReplaceContext(ctx, []agent.Message{s.opening()})
	case news.Instructions != "":
		p.Parts = append(p.Parts, llm.Text(news.Instructions))
	}
}

// serverModel returns the model of the conversation, for requests of MCP servers.
func (s *Session) serverModel() servers.Model {
	model := s.Current().Model
	return servers.Model{Generator: s.stack, Name: model, Config: s.models.ChatConfig(model, false)}
}
