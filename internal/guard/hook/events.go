package hook

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/llm"
	"pollux/tool"
)

// has reports whether there are hooks for an event.
func (s *Set) has(e Event) bool { return len(s.byEvent[e]) > 0 }

// SeesCalls reports whether there are hooks before or after tool calls.
func (s *Set) SeesCalls() bool { return s.has(BeforeTool) || s.has(AfterTool) }

// SeesModel implements [agent.ModelWatcher].
func (s *Set) SeesModel() bool {
	return s.has(BeforeModel) || s.has(AfterModel) || s.has(BeforeToolSelection)
}

// SessionStart runs when a conversation starts. The verdict has a Context for the model and a
// SystemMessage for the person.
func (s *Set) SessionStart(ctx context.Context, source StartSource) agent.Verdict {
	o := s.fire(ctx, SessionStart, target{trigger: string(source)}, map[string]any{"source": source})
	return agent.Verdict{Context: o.specific().text("additionalContext"), SystemMessage: o.text("systemMessage")}
}

// SessionReopen is [Set.SessionStart] for a session that may have been open before. Hooks that have run do not run again. Others get
// the source of the first opening. The Context is also that of hooks that ran before, unless the session goes on with a record, which has it.
func (s *Set) SessionReopen(ctx context.Context, source StartSource, b *Begun) agent.Verdict {
	first := b.open(source)
	o := s.fire(ctx, SessionStart, target{trigger: string(first), begun: b}, map[string]any{"source": first})
	v := agent.Verdict{Context: o.specific().text("additionalContext"), SystemMessage: o.text("systemMessage")}
	if all := b.addContext(v.Context); source != ResumeSource {
		v.Context = all
	}
	return v
}

// SessionEnd runs when a conversation ends.
func (s *Set) SessionEnd(ctx context.Context, reason EndReason) {
	s.fire(ctx, SessionEnd, target{trigger: string(reason)}, map[string]any{"reason": reason})
}

// BeforeAgent implements [agent.Hooks].
func (s *Set) BeforeAgent(ctx context.Context, prompt string) agent.Verdict {
	o := s.fire(ctx, BeforeAgent, target{}, map[string]any{"prompt": prompt})
	v := o.verdict()
	v.Context, v.SystemMessage = o.specific().text("additionalContext"), o.text("systemMessage")
	return v
}

// AfterAgent implements [agent.Hooks].
func (s *Set) AfterAgent(ctx context.Context, prompt, response string, again bool) agent.Verdict {
	o := s.fire(ctx, AfterAgent, target{}, map[string]any{"prompt": prompt, "prompt_response": response, "stop_hook_active": again})
	v := o.verdict()
	v.SystemMessage = o.text("systemMessage")
	v.ClearContext = (v.Stop || v.Block) && o.specific().is("clearContext", "true")
	return v
}

// PreCompress implements [agent.Hooks].
func (s *Set) PreCompress(ctx context.Context, trigger agent.CompressTrigger) {
	s.fire(ctx, PreCompress, target{trigger: string(trigger)}, map[string]any{"trigger": trigger})
}

// BeforeModel implements [agent.Hooks]. It also fires BeforeToolSelection. A request that hooks wanted to
// change otherwise than they could is blocked.
func (s *Set) BeforeModel(ctx context.Context, req *llm.Request) (agent.Verdict, *llm.Response) {
	s.mu.Lock()
	s.request = cachedRequest{}
	s.mu.Unlock()
	if s.has(BeforeModel) {
		o := s.fire(ctx, BeforeModel, target{}, map[string]any{"llm_request": encodeRequest(req)})
		v := o.verdict()
		specific := o.specific()
		switch {
		case v.Block:
			return v, decodeResponse(specific.object("llm_response"), nil)
		case v.Stop:
			return v, nil
		}
		if change := specific.object("llm_request"); change != nil {
			if err := applyRequest(req, change, s.o.Configure); err != nil {
				return agent.Verdict{Block: true, Reason: "The result of a hook for BeforeModel cannot be applied: " + err.Error()}, nil
			}
		}
	}
	if s.has(BeforeToolSelection) && (isOfAgent(req.Use) || len(req.Config.Tools) > 0) {
		o := s.fire(ctx, BeforeToolSelection, target{}, map[string]any{"llm_request": encodeRequest(req)})
		if o.refusal != "" {
			return agent.Verdict{Block: true, Reason: o.refusal}, nil
		}
		if c := o.specific().object("toolConfig"); c != nil {
			req.Config.ToolConfig = &llm.ToolConfig{Mode: strings.ToUpper(c.text("mode")), Allowed: c.texts("allowedFunctionNames")}
		}
	}
	return agent.Verdict{}, nil
}

// isOfAgent reports whether an agent sends a request of this use in its conversation. Most other requests have no tools.
func isOfAgent(use llm.Use) bool {
	switch use {
	case "", llm.UseMain, llm.UseSubagent, llm.UseAside:
		return true
	}
	return false
}

// AfterModel implements [agent.Hooks].
func (s *Set) AfterModel(ctx context.Context, req *llm.Request, chunk *llm.Response) (agent.Verdict, *llm.Response) {
	if !s.has(AfterModel) {
		return agent.Verdict{}, nil
	}
	o := s.fire(ctx, AfterModel, target{}, map[string]any{
		"llm_request": s.encodedRequest(req), "llm_response": encodeResponse(chunk),
	})
	return o.verdict(), decodeResponse(o.specific().object("llm_response"), chunk)
}

// encodedRequest returns a request as hooks get it. It encodes it once.
func (s *Set) encodedRequest(req *llm.Request) json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.request.of != req {
		s.request.of, s.request.json = req, encode(encodeRequest(req))
	}
	return s.request.json
}

// Before implements [guard.Hooks].
func (s *Set) Before(ctx context.Context, c guard.HookedCall) guard.BeforeTool {
	if !s.has(BeforeTool) {
		return guard.BeforeTool{}
	}
	in, at := s.toolInput(c)
	o := s.fire(withCall(ctx, c.ToolCall), BeforeTool, at, in)
	v := o.verdict()
	b := guard.BeforeTool{Stop: v.Stop, Block: v.Block, Reason: v.Reason}
	if b.Ask = o.text("decision") == "ask"; b.Ask {
		b.Message = o.text("systemMessage")
	}
	if args := o.specific().object("tool_input"); args != nil {
		b.Args = encode(args)
	}
	if text := o.specific().text("additionalContext"); text != "" && !v.Block && !v.Stop {
		s.keepContext(c.ID, text)
	}
	return b
}

// keepContext keeps a text for the model, from a hook before a call, until the call has its result.
func (s *Set) keepContext(id, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	const most = 1000 // calls that never ran leave theirs behind
	if s.contexts == nil || len(s.contexts) >= most {
		s.contexts = map[string]string{}
	}
	s.contexts[id] = text
}

func (s *Set) takeContext(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.contexts[id]
	delete(s.contexts, id)
	return text
}

// maxResult limits the text of a result that a hook gets, in bytes.
const maxResult = 4 << 20

// After implements [guard.Hooks]. Hooks get the whole output, also where the model gets a part of it.
func (s *Set) After(ctx context.Context, c guard.HookedCall, result *tool.Result) guard.AfterTool {
	before := s.takeContext(c.ID)
	if !s.has(AfterTool) {
		return guard.AfterTool{Context: before}
	}
	in, at := s.toolInput(c)
	if whole, ok := result.Whole(maxResult); ok && result.OutputFile != "" {
		seen := *result
		seen.Content = []llm.Part{llm.Text(whole)}
		result = &seen
	}
	in["tool_response"] = describeResult(result, at.isList)
	if c.Changes != nil {
		in["changed"] = c.Changes
	}
	at.hasFailed = result.Error != nil
	o := s.fire(withCall(ctx, c.ToolCall), AfterTool, at, in)
	v := o.verdict()
	specific := o.specific()
	a := guard.AfterTool{Stop: v.Stop, Block: v.Block, Reason: v.Reason, Context: joinLines(before, specific.text("additionalContext"))}
	if tail := specific.object("tailToolCallRequest"); tail.text("name") != "" {
		a.Tail = &guard.Tail{Name: tail.text("name"), Args: []byte("{}")}
		if args := tail.object("args"); args != nil {
			a.Tail.Args = encode(args)
		}
	}
	return a
}

// Notify implements [guard.Hooks].
func (s *Set) Notify(ctx context.Context, c guard.HookedCall, details tool.Confirmation) {
	message, fields := describeQuestion(c, details)
	s.fire(ctx, Notification, target{}, map[string]any{
		"notification_type": "ToolPermission", "message": message, "details": fields,
	})
}

// joinLines joins the texts that are not empty.
func joinLines(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n")
}
