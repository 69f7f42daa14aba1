package openai

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-faster/jx"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// responseEvent is an event of a streamed answer.
type responseEvent struct {
	kind, delta string
	item        int // the number of the item that it is about
	paragraph   int // of the item
	whole       *outputItem
	response    []byte // JSON, good as long as what was decoded
	failed      apiError
}

func (e *responseEvent) decode(a *answer, d *jx.Decoder) error {
	return httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		n := 0
		switch string(key) {
		case "type":
			return httpwire.SetString(d, &e.kind)
		case "delta":
			e.delta, err = httpwire.String(d)
		case "output_index":
			return httpwire.SetCount(d, &e.item)
		case "summary_index", "content_index": // an event has one of them
			err = httpwire.SetCount(d, &n)
			e.paragraph += n
		case "item":
			e.whole = new(outputItem)
			return e.whole.decode(a, d)
		case "annotation":
			return a.annotation(d)
		case "response":
			e.response, err = d.Raw()
		case "message":
			e.failed.Message, err = httpwire.String(d)
		case "code":
			e.failed.Code, err = httpwire.String(d)
		case "param":
			e.failed.Param, err = httpwire.String(d)
		default:
			return d.Skip()
		}
		return err
	})
}

// responsesEvent takes in an event of a streamed answer, or all of one that is
// not streamed.
func (a *answer) responsesEvent(d *jx.Decoder, whole bool) error {
	if d.Next() != jx.Object {
		return fmt.Errorf("unexpected %s", d.Next())
	}
	if whole {
		return a.responseObject(d, true)
	}
	var e responseEvent
	if err := e.decode(a, d); err != nil {
		return err
	}
	switch e.kind {
	case "response.output_text.delta":
		a.saw(e.item)
		a.AddText(e.delta)
	case "response.refusal.delta":
		a.saw(e.item)
		a.addRefusal(e.delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		if a.paragraph != e.paragraph && e.paragraph > 0 && e.delta != "" {
			a.AddThought("\n\n")
			a.paragraph = e.paragraph
		}
		a.saw(e.item)
		a.AddThought(e.delta)
	case "response.function_call_arguments.delta":
		a.calls.add(delta{index: e.item, args: []byte(e.delta)})
	case "response.output_item.added":
		if e.whole != nil && e.whole.kind == "function_call" {
			a.calls.set(e.item, e.whole)
		}
	case "response.output_item.done":
		if e.whole != nil {
			a.addItem(e.item, e.whole)
		}
	case "response.created", "response.in_progress", "response.completed", "response.incomplete", "response.failed", "response.cancelled", "response.queued":
		if e.response == nil {
			return nil
		}
		return httpwire.Decode(e.response, func(d *jx.Decoder) error { return a.responseObject(d, false) })
	case "error":
		a.failure = classify(e.failed)
	}
	return nil
}

// saw remembers that parts of an item came one by one.
func (a *answer) saw(index int) {
	if len(a.seen) == 0 || a.seen[len(a.seen)-1] != index {
		a.seen = append(a.seen, index)
	}
}

// responseObject takes in the state of an answer. What it has put out is taken
// from it only if that did not come in events before.
func (a *answer) responseObject(d *jx.Decoder, whole bool) error {
	var (
		status, reason string
		output         []byte
		failed         apiError
	)
	err := httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "id":
			return httpwire.SetString(d, &a.ID)
		case "model":
			return httpwire.SetString(d, &a.Model)
		case "status":
			return httpwire.SetString(d, &status)
		case "usage":
			return a.chatUsage(d)
		case "output":
			output, err = d.Raw()
			return err
		case "incomplete_details":
			return httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
				if string(key) == "reason" {
					return httpwire.SetString(d, &reason)
				}
				return d.Skip()
			})
		case "error":
			return failed.decode(d)
		}
		return d.Skip()
	})
	if err != nil {
		return err
	}
	if (whole || status == "completed" || status == "incomplete") && !a.Any && len(a.calls.all) == 0 && len(output) > 0 {
		if err := a.addOutput(output); err != nil {
			return err
		}
	}
	switch {
	case status == "failed", failed.Message != "":
		a.failure = classify(failed)
	case status == "completed":
		a.finish = llm.FinishStop
	case status == "incomplete" && reason == "content_filter":
		a.finish = llm.FinishSafety
	case status == "incomplete":
		a.finish = llm.FinishMaxTokens
	case status == "cancelled":
		a.failure = &llm.Error{Kind: llm.KindServer, Code: status, Message: "the model's server cancelled the answer"}
	}
	return nil
}

// decode takes in an error that stands in an answer.
func (e *apiError) decode(d *jx.Decoder) error {
	return httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "message":
			e.Message, err = httpwire.String(d)
		case "code":
			e.Code, err = httpwire.String(d)
		default:
			return d.Skip()
		}
		return err
	})
}

// addOutput takes in a list of items.
func (a *answer) addOutput(list []byte) error {
	index := 0
	return httpwire.Decode(list, func(d *jx.Decoder) error {
		return httpwire.Elements(d, func(d *jx.Decoder) error {
			item := new(outputItem)
			err := item.decode(a, d)
			a.addItem(index, item)
			index++
			return err
		})
	})
}

// outputItem is an item of an answer.
type outputItem struct {
	kind, id, callID, name string
	args                   []byte
	whole                  bool // args was an object
	texts                  []said
	encrypted              string
	summary                []byte
}

// said is a piece of an item: text, a refusal or a thought.
type said struct{ kind, text string }

func (it *outputItem) decode(a *answer, d *jx.Decoder) error {
	piece := func(d *jx.Decoder) error { return it.piece(a, d) }
	return httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "type":
			return httpwire.SetString(d, &it.kind)
		case "id":
			it.id, err = httpwire.String(d)
		case "call_id":
			it.callID, err = httpwire.String(d)
		case "name":
			it.name, err = httpwire.String(d)
		case "encrypted_content":
			it.encrypted, err = httpwire.String(d)
		case "arguments":
			if d.Next() == jx.String {
				it.args, err = d.StrAppend(nil)
				return err
			}
			var raw []byte
			raw, err = d.Raw()
			it.args, it.whole = bytes.Clone(raw), true
		case "content":
			return httpwire.Elements(d, piece)
		case "summary":
			var raw []byte
			if raw, err = d.Raw(); err != nil {
				return err
			}
			it.summary = bytes.Clone(raw)
			return httpwire.Decode(it.summary, func(d *jx.Decoder) error { return httpwire.Elements(d, piece) })
		default:
			return d.Skip()
		}
		return err
	})
}

// piece takes in an element of an item's content; the sources it names are the
// answer's.
func (it *outputItem) piece(a *answer, d *jx.Decoder) error {
	var s said
	err := httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "type":
			return httpwire.SetString(d, &s.kind)
		case "text", "refusal":
			s.text, err = httpwire.String(d)
			return err
		case "annotations":
			return httpwire.Elements(d, a.annotation)
		}
		return d.Skip()
	})
	it.texts = append(it.texts, s)
	return err
}

// addItem takes in an item that is complete; its words only if they did not come
// one by one.
func (a *answer) addItem(index int, it *outputItem) {
	told := false
	for _, i := range a.seen {
		told = told || i == index
	}
	switch it.kind {
	case "function_call":
		a.calls.set(index, it)
	case "message":
		for _, s := range it.texts {
			switch {
			case told:
			case s.kind == "refusal":
				a.addRefusal(s.text)
			default:
				a.AddText(s.text)
			}
		}
	case "reasoning":
		var all []string
		for _, s := range it.texts {
			all = append(all, s.text)
		}
		if !told {
			a.AddThought(strings.Join(all, "\n\n"))
		}
		a.paragraph = 0
		if it.encrypted == "" { // of no use to a service that keeps nothing
			return
		}
		o := httpwire.Object{}
		o.String("type", "reasoning")
		o.String("id", it.id)
		if len(it.summary) == 0 || it.summary[0] != '[' || !validText(it.summary) {
			it.summary = []byte(`[]`)
		}
		o.Raw("summary", it.summary)
		o.String("encrypted_content", it.encrypted)
		a.Any = true
		a.Parts = append(a.Parts, llm.Part{Thought: true, ThoughtSignature: llm.Signed(a.t.vendor, string(o.End()))})
	}
}

// set takes in a call as an item says it is; what came of it in pieces before
// gives way to that.
func (c *calls) set(index int, it *outputItem) {
	id := it.callID
	if id == "" {
		id = it.id
	}
	for _, p := range c.all {
		if p.index != index {
			continue
		}
		if id != "" {
			p.id = id
		}
		if it.name != "" {
			p.name = it.name
		}
		if len(it.args) > 0 {
			p.args, p.scan = it.args, scanner{}
			p.scan.add(it.args)
		}
		return
	}
	c.add(delta{index: index, id: id, name: it.name, args: it.args, whole: it.whole})
}
