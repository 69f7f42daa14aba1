package agent

import "pollux/llm"

// newReply returns the reply to a request that is sent now. If isHeld is set, its events are held
// until [reply.showHeld].
func (q *requester) newReply(isHeld bool) *reply {
	return &reply{out: &q.out, detector: q.cfg.LoopDetector, now: q.cfg.Now, began: q.cfg.Now(), isHeld: isHeld}
}

// receive adds a chunk to the reply and shows it, thoughts before text. Tool calls are not shown
// until the reply is complete, because the calls of a discarded reply never run.
func (rep *reply) receive(chunk *llm.Response) error {
	rep.add(chunk)
	parts := chunk.Parts()
	hasAnswer := false // a part that is not a thought
	for i := range parts {
		p := &parts[i]
		if !p.Thought {
			hasAnswer = hasAnswer || !p.IsEmpty()
			continue
		}
		if err := rep.think(p); err != nil {
			return err
		}
	}
	if hasAnswer {
		if err := rep.endThought(); err != nil {
			return err
		}
	}
	if text := chunk.Text(); text != "" {
		return rep.show(Text{text})
	}
	return nil
}

// think shows a part of a model's reasoning, and each thought that ends in it.
func (rep *reply) think(p *llm.Part) error {
	text := p.Text
	if rep.thinking.Starts(text) {
		if err := rep.endThought(); err != nil {
			return err
		}
	}
	for text != "" && rep.loop.Kind == "" {
		n, ended := rep.thinking.Add(text)
		if n > 0 {
			if err := rep.show(Thinking{Subject: rep.thinking.Subject(), Text: text[:n]}); err != nil {
				return err
			}
		}
		if ended {
			if err := rep.endThought(); err != nil {
				return err
			}
		}
		text = text[n:]
	}
	if p.ThoughtSignature != "" { // a signature ends a thought
		return rep.endThought()
	}
	return nil
}

// endThought shows the current thought, if it is not empty.
func (rep *reply) endThought() error {
	subject, description, ok := rep.thinking.End()
	if !ok || rep.loop.Kind != "" {
		return nil
	}
	t := Thought{Subject: subject, Description: description, Time: rep.now()}
	rep.thoughts = append(rep.thoughts, t)
	return rep.show(t)
}

// show emits an event of the response, unless the loop detector finds a loop in it or the
// events are held.
func (rep *reply) show(e Event) error {
	if rep.isHeld {
		rep.held = append(rep.held, e)
		return nil
	}
	if loop, found := rep.detector.Observe(e); found {
		rep.loop = loop
		return nil
	}
	return rep.out.emit(e)
}

// showHeld shows the events that were held, with separator before their text.
func (rep *reply) showHeld(separator string) error {
	rep.isHeld = false
	for _, e := range rep.held {
		if t, ok := e.(Text); ok {
			e, separator = Text{separator + t.Text}, ""
		}
		if err := rep.show(e); err != nil || rep.loop.Kind != "" {
			return err
		}
	}
	rep.held = nil
	return nil
}
