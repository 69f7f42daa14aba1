// Package think separates a model's thoughts from its answer where both come in one
// text: <think>the thought</think>the answer, as Qwen, DeepSeek and most models behind
// local servers write it, and the forms of other models.
package think

import (
	"strings"

	"pollux/llm"
	"pollux/llm/fence"
)

// Splitter splits one answer into thoughts and text while it arrives. However
// the answer is cut into chunks, the parts joined are the same.
//
// A thought begins with <think> or <thinking> and ends with </think> or
// </thinking>, in any case of letters. Magistral writes [THINK], in capitals, Seed <seed:think>,
// and Gemma <|channel>thought. The opening tag counts at the beginning of the
// answer, or of a line; it is text in a fenced code block, in a string of JSON, and in a
// call that is written as elements. The closing tag counts anywhere behind it, except
// in inline code and between quotes. The parts have neither the tags nor the white space
// behind them. For the messages of gpt-oss see [Splitter.matchHarmony].
//
// A thought at the beginning of the answer that never ends is a thought. Behind other
// text, a thought that never ends is text, and so is a closing tag that nothing opened.
// Thoughts do not nest: within one, an opening tag is a word like any other.
//
// The zero value is ready to use, for one answer.
type Splitter struct {
	// Opened is set if the prompt ends in <think>, as some templates have it:
	// the answer begins in the middle of a thought, and all of it up to the
	// first closing tag is one.
	Opened bool
	// MayBeOpened is set if the prompt may end in <think>: a closing tag that nothing
	// opened then ends a thought, see [Splitter.Unopened].
	MayBeOpened bool
	// PairsOnly limits the tags to <think>, and </think> after it, as Qwen's models
	// write them.
	PairsOnly bool

	begun    bool   // Opened has been looked at
	state    state  // of the next text
	shown    bool   // some text has been handed out
	passed   bool   // a tag that counts has come
	unopened bool   // see Unopened
	untold   int    // parts up to which all are thoughts, because of a later tag
	behind   bool   // a tag was just passed: white space is dropped
	held     string // may be the beginning of a tag
	space    string // white space that begins the answer, if it does
	ended    bool   // nothing comes after held
	isText   bool   // no tag counts any more
	family   family // of the thought
	hasWords bool   // behind the last tag
	harmony  bool   // the answer consists of messages in the form of gpt-oss
	gap      bool   // a message has ended: an empty line separates the next one

	pending []byte // in inPending: the text since the opening tag, with it
	opener  int    // length of the opening tag

	// The surroundings of the place behind the text read so far.
	last   byte          // the byte before
	ticks  int           // the backticks before it on its line
	place  fence.Tracker // of text
	object literal       // of text outside of fences
	closer string        // the end of the call that is written as elements, "" in none
}

type state uint8

const (
	inText    state = iota
	inThought       // in a thought
	inPending       // in a text that is a thought if it ends
)

const (
	// maxSpace bounds the white space that is held back at the beginning of an
	// answer because a tag may follow.
	maxSpace = 1 << 10
	// maxPending bounds a thought behind other text, in bytes. A longer one is text.
	maxPending = 1 << 20
	// maxSpan bounds the inline code in which a closing tag is looked for.
	maxSpan = 256
)

// MayBeOpened reports whether the prompts of a model are known to end in <think> with
// some servers, judged by its name: DeepSeek R1, QwQ, and models that are called
// thinking or reasoning.
func MayBeOpened(model string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(model), func(r rune) bool { return strings.ContainsRune("-_./: ", r) }) {
		switch word {
		case "r1", "qwq", "thinking", "reasoning", "reasoner":
			return true
		}
	}
	return false
}

// Split returns the parts of a whole answer. If MayBeOpened is set, the text before a
// closing tag that nothing opened is a thought.
func (s Splitter) Split(answer string) []llm.Part {
	parts := s.scan(nil, answer)
	parts = s.end(parts)
	for i := range parts[:s.untold] {
		parts[i].Thought = true
	}
	return merge(parts)
}

// Unopened reports whether a closing tag came that nothing opened, and text had
// been handed out before it: that text was a thought, which only a Splitter with
// Opened set can know in time. The tag itself does not come out. The caller may
// throw the answer away and ask again, and should remember it of the model. It is false
// without MayBeOpened.
func (s *Splitter) Unopened() bool { return s.unopened }

// Add takes the next chunk and returns the parts that are certain by now: text, and parts
// that have Thought set. It holds back the beginning of a tag, and a thought behind other
// text, which is none if it has no end.
func (s *Splitter) Add(chunk string) []llm.Part {
	if s.held == "" && s.space == "" && !s.behind && (s.shown || s.state == inThought) && s.state != inPending &&
		chunk != "" && !strings.ContainsAny(chunk, starts) { // nearly always
		s.observe(chunk)
		return []llm.Part{s.part(chunk)}
	}
	return merge(s.scan(nil, chunk))
}

// Flush returns the parts that Add has held back. It is called once, when the answer has ended.
func (s *Splitter) Flush() []llm.Part { return merge(s.end(nil)) }

// scan appends the parts that chunk makes certain.
func (s *Splitter) scan(parts []llm.Part, chunk string) []llm.Part {
	if !s.begun {
		s.begun, s.behind = true, s.Opened
		if s.Opened {
			s.state = inThought
		}
	}
	rest := s.held + chunk
	s.held = ""
	for i := 0; ; { // rest[:i] was observed and holds no tag
		n := strings.IndexAny(rest[i:], starts)
		if n < 0 || s.isText {
			s.observe(rest[i:])
			return s.say(parts, rest)
		}
		s.observe(rest[i : i+n])
		i += n
		switch tag, size := s.match(rest[i:]); tag {
		case none:
			s.observe(rest[i : i+1])
			i++
		case partial:
			s.held = rest[i:]
			return s.say(parts, rest[:i])
		case callStart, callEnd:
			s.passCall(rest[i : i+size])
			i += size
		default:
			parts = s.say(parts, rest[:i])
			parts = s.pass(parts, tag, rest[i:i+size])
			rest, i = rest[i+size:], 0
		}
	}
}

// end appends the parts that scan has held back.
func (s *Splitter) end(parts []llm.Part) []llm.Part {
	s.ended = true
	parts = s.scan(parts, "")
	if s.state == inPending {
		parts = s.giveUp(parts)
	}
	if s.space != "" {
		parts = append(parts, s.part(s.space))
		s.space = ""
	}
	return parts
}

// observe records the surroundings of the place behind words.
func (s *Splitter) observe(words string) {
	if words == "" {
		return
	}
	s.last = words[len(words)-1]
	s.hasWords = s.hasWords || strings.TrimLeft(words, blank) != ""
	if n := strings.LastIndexByte(words, '\n'); n >= 0 {
		s.ticks = strings.Count(words[n:], "`")
	} else {
		s.ticks += strings.Count(words, "`")
	}
	if s.state != inText || s.closer != "" {
		return
	}
	for words != "" {
		line := words
		if n := strings.IndexByte(words, '\n'); n >= 0 {
			line = words[:n+1]
		}
		words = words[len(line):]
		if s.place.InFence() {
			s.place.Add(line)
			continue
		}
		for line != "" { // a string of an object holds no fence
			wasQuoted := s.object.inText()
			part := line[:s.object.read(line)]
			line = line[len(part):]
			switch {
			case !wasQuoted:
				s.place.Add(part)
			case part[len(part)-1] == '\n':
				s.place.Add("_\n")
			default:
				s.place.Add("_")
			}
		}
	}
}

// say appends words without a tag.
func (s *Splitter) say(parts []llm.Part, words string) []llm.Part {
	if words == "" {
		return parts
	}
	if s.state == inPending {
		s.pending = append(s.pending, words...)
		if len(s.pending) > maxPending {
			s.isText = true
			return s.giveUp(parts)
		}
		return parts
	}
	if s.behind {
		if words = strings.TrimLeft(words, blank); words == "" {
			return parts
		}
		s.behind = false
		if s.gap && s.state == inText {
			words, s.gap = "\n\n"+words, false
		}
	}
	if s.state == inText && !s.shown {
		// The blanks that begin an answer are part of it, unless a tag follows.
		if len(s.space)+len(words) <= maxSpace && strings.TrimLeft(words, blank) == "" {
			s.space += words
			return parts
		}
		words, s.space, s.shown = s.space+words, "", true
	}
	return append(parts, s.part(words))
}

const blank = " \t\r\n"

func (s *Splitter) part(words string) llm.Part {
	return llm.Part{Text: words, Thought: s.state == inThought}
}

// giveUp appends the pending thought as text, because it does not end.
func (s *Splitter) giveUp(parts []llm.Part) []llm.Part {
	s.state, s.behind = inText, false
	parts = append(parts, llm.Part{Text: string(s.pending)})
	s.pending = nil
	return parts
}

// pass goes behind a tag that counts.
func (s *Splitter) pass(parts []llm.Part, t tag, word string) []llm.Part {
	switch {
	case t == opening && s.shown:
		s.state, s.pending, s.opener = inPending, append(s.pending[:0], word...), len(word)
	case t == opening:
		s.state, s.space = inThought, ""
	case t == frame:
		s.space, s.gap = "", s.shown
	default:
		switch s.state {
		case inPending:
			if words := strings.TrimLeft(string(s.pending[s.opener:]), blank); words != "" {
				parts = append(parts, llm.Part{Text: words, Thought: true})
			}
			s.pending = nil
		case inText:
			s.untold, s.unopened = len(parts), s.unopened || s.shown
		}
		s.state, s.space = inText, ""
		s.place, s.object = fence.Tracker{}, literal{}
	}
	s.behind, s.hasWords, s.passed, s.last, s.ticks = true, false, true, '>', 0
	return parts
}

// passCall goes behind the first or last tag of a call that is written as elements.
func (s *Splitter) passCall(word string) {
	if s.closer != "" {
		s.closer = ""
		s.observe(word)
		return
	}
	s.observe(word)
	for _, c := range calls {
		if word == c.begin {
			s.closer = c.end
		}
	}
}

// merge joins neighbours of the same kind.
func merge(parts []llm.Part) []llm.Part {
	out := parts[:0]
	for len(parts) > 0 {
		n := 1
		for n < len(parts) && parts[n].Thought == parts[0].Thought {
			n++
		}
		p := parts[0]
		if n > 1 {
			var b strings.Builder
			for i := range parts[:n] {
				b.WriteString(parts[i].Text)
			}
			p.Text = b.String()
		}
		out, parts = append(out, p), parts[n:]
	}
	return out
}
