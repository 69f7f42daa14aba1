package openai

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-faster/jx"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// responseEvent is an event of a streamed response.
type responseEvent struct {
	kind, delta string
	itemIndex   int // index of the item
	paragraph   int // index within the item
	itemValue   *outputItem
	response    []byte // JSON, valid until the decoder is reused
	err         apiError
}

func (e *responseEvent) decode(a *assembler, d *jx.Decoder) error {
	return httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		index := 0
		switch string(key) {
		case "type":
			return httpwire.SetString(d, &e.kind)
		case "delta":
			e.delta, err = httpwire.String(d)
		case "output_index":
			return httpwire.SetCount(d, &e.itemIndex)
		case "summary_index", "content_index": // an event has one of them
			err = httpwire.SetCount(d, &index)
			e.paragraph += index
		case "item":
			e.itemValue = new(outputItem)
			return e.itemValue.decode(a, d)
		case "annotation":
			return a.decodeAnnotation(d)
		case "response":
			e.response, err = d.Raw()
		case "message":
			e.err.Message, err = httpwire.String(d)
		case "code":
			e.err.Code, err = httpwire.String(d)
		case "param":
			e.err.Param, err = httpwire.String(d)
		default:
			return d.Skip()
		}
		return err
	})
}

// decodeResponsesEvent decodes an event of a stream, or a response object if
// isWhole is set.
func (a *assembler) decodeResponsesEvent(d *jx.Decoder, isWhole bool) error {
	if d.Next() != jx.Object {
		return fmt.Errorf("unexpected %s", d.Next())
	}
	if isWhole {
		return a.decodeResponseObject(d, true)
	}
	var e responseEvent
	if err := e.decode(a, d); err != nil {
		return err
	}
	switch e.kind {
	case "response.output_text.delta":
		a.markStreamed(e.itemIndex)
		a.AddText(e.delta)
	case "response.refusal.delta":
		a.markStreamed(e.itemIndex)
		a.addRefusal(e.delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		if a.paragraph != e.paragraph && e.paragraph > 0 && e.delta != "" {
			a.AddThought("\n\n")
			a.paragraph = e.paragraph
		}
		a.markStreamed(e.itemIndex)
		a.AddThought(e.delta)
	case "response.function_call_arguments.delta":
		a.calls.add(callDelta{index: e.itemIndex, args: []byte(e.delta)})
	case "response.output_item.added":
		if e.itemValue != nil && e.itemValue.kind == "function_call" {
			a.calls.setItem(e.itemIndex, e.itemValue)
		}
	case "response.output_item.done":
		if e.itemValue != nil {
			a.addItem(e.itemIndex, e.itemValue)
		}
	case "response.created", "response.in_progress", "response.completed", "response.incomplete", "response.failed", "response.cancelled", "response.queued":
		if e.response == nil {
			return nil
		}
		return httpwire.Decode(e.response, func(d *jx.Decoder) error { return a.decodeResponseObject(d, false) })
	case "error":
		a.err = classify(e.err)
	}
	return nil
}

// markStreamed records that the contents of an item arrived in delta events.
func (a *assembler) markStreamed(index int) {
	if len(a.streamedItems) == 0 || a.streamedItems[len(a.streamedItems)-1] != index {
		a.streamedItems = append(a.streamedItems, index)
	}
}

// decodeResponseObject decodes a response object. It uses the output items only
// if they did not arrive in earlier events.
func (a *assembler) decodeResponseObject(d *jx.Decoder, isWhole bool) error {
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
			return a.decodeUsage(d)
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
	if (isWhole || status == "completed" || status == "incomplete") && !a.HasContent && len(a.calls.all) == 0 && len(output) > 0 {
		if err := a.decodeOutput(output); err != nil {
			return err
		}
	}
	switch {
	case status == "failed", failed.Message != "":
		a.err = classify(failed)
	case status == "completed":
		a.finishReason = llm.FinishStop
	case status == "incomplete" && reason == "content_filter":
		a.finishReason = llm.FinishSafety
	case status == "incomplete":
		a.finishReason = llm.FinishMaxTokens
	case status == "cancelled":
		a.err = &llm.Error{Kind: llm.KindServer, Code: status, Message: "The provider cancelled the response"}
	}
	return nil
}

// decode decodes the error member of a response object.
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

// decodeOutput decodes an array of output items.
func (a *assembler) decodeOutput(list []byte) error {
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

// outputItem is an output item of a response.
type outputItem struct {
	kind, id, callID, name string
	args                   []byte
	hasObjectArgs          bool // args was an object
	texts                  []itemText
	encrypted              string
	summary                []byte
}

// itemText is a text, refusal or thought of an item.
type itemText struct{ kind, text string }

func (it *outputItem) decode(a *assembler, d *jx.Decoder) error {
	piece := func(d *jx.Decoder) error { return it.decodeText(a, d) }
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
			it.args, it.hasObjectArgs = bytes.Clone(raw), true
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

// decodeText decodes an element of an item's content or summary, and adds the
// sources it cites to a.
func (it *outputItem) decodeText(a *assembler, d *jx.Decoder) error {
	var s itemText
	err := httpwire.Members(d, func(d *jx.Decoder, key []byte) (err error) {
		switch string(key) {
		case "type":
			return httpwire.SetString(d, &s.kind)
		case "text", "refusal":
			s.text, err = httpwire.String(d)
			return err
		case "annotations":
			return httpwire.Elements(d, a.decodeAnnotation)
		}
		return d.Skip()
	})
	it.texts = append(it.texts, s)
	return err
}

// addItem adds a complete item. It skips text that arrived in delta events.
func (a *assembler) addItem(index int, it *outputItem) {
	isStreamed := false
	for _, i := range a.streamedItems {
		isStreamed = isStreamed || i == index
	}
	switch it.kind {
	case "function_call":
		a.calls.setItem(index, it)
	case "message":
		for _, s := range it.texts {
			switch {
			case isStreamed:
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
		if !isStreamed {
			a.AddThought(strings.Join(all, "\n\n"))
		}
		a.paragraph = 0
		if it.encrypted == "" { // the service stores nothing, so it cannot use this id
			return
		}
		o := httpwire.Object{}
		o.String("type", "reasoning")
		o.String("id", it.id)
		if len(it.summary) == 0 || it.summary[0] != '[' || !isValidJSONText(it.summary) {
			it.summary = []byte(`[]`)
		}
		o.Raw("summary", it.summary)
		o.String("encrypted_content", it.encrypted)
		a.HasContent = true
		a.Parts = append(a.Parts, llm.Part{Thought: true, ThoughtSignature: llm.Signed(a.t.vendor, string(o.End()))})
	}
}

// setItem adds a complete call. It replaces the arguments that arrived in
// pieces.
func (c *calls) setItem(index int, it *outputItem) {
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
			p.args, p.end = it.args, endScanner{}
			p.end.add(it.args)
		}
		return
	}
	c.add(callDelta{index: index, id: id, name: it.name, args: it.args, isComplete: it.hasObjectArgs})
}
