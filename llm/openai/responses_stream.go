package openai

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
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
	args        []byte
	response    []byte // JSON, valid until the decoder is reused
	err         apiError
}

func (e *responseEvent) decode(a *assembler, d *jx.Decoder) error {
	paragraph := func(d *jx.Decoder) error { // an event has one of them
		index := 0
		err := httpwire.SetCount(d, &index)
		e.paragraph += index
		return err
	}
	return httpwire.Table{
		{"type", &e.kind},
		{"delta", &e.delta},
		{"output_index", &e.itemIndex},
		{"summary_index", paragraph},
		{"content_index", paragraph},
		{"item", func(d *jx.Decoder) error {
			e.itemValue = new(outputItem)
			return e.itemValue.decode(a, d)
		}},
		{"annotation", a.decodeAnnotation},
		{"arguments", func(d *jx.Decoder) (err error) {
			e.args, _, err = decodeArguments(d)
			return err
		}},
		{"response", &e.response},
		{"message", &e.err.Message},
		{"code", &e.err.Code},
		{"param", &e.err.Param},
	}.Decode(d)
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
	case "response.function_call_arguments.done":
		a.calls.setItem(e.itemIndex, &outputItem{args: e.args})
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
	err := httpwire.Table{
		{"id", &a.ID},
		{"model", &a.Model},
		{"status", &status},
		{"usage", a.decodeUsage},
		{"output", &output},
		{"incomplete_details", httpwire.Table{{"reason", &reason}}},
		{"error", httpwire.Table{{"message", &failed.Message}, {"code", &failed.Code}}},
	}.Decode(d)
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
	return httpwire.Table{
		{"type", &it.kind},
		{"id", &it.id},
		{"call_id", &it.callID},
		{"name", &it.name},
		{"encrypted_content", &it.encrypted},
		{"arguments", func(d *jx.Decoder) (err error) {
			it.args, it.hasObjectArgs, err = decodeArguments(d)
			return err
		}},
		{"content", httpwire.Each(piece)},
		{"summary", func(d *jx.Decoder) error {
			raw, err := d.Raw()
			if err != nil {
				return err
			}
			it.summary = bytes.Clone(raw)
			return httpwire.Decode(it.summary, func(d *jx.Decoder) error { return httpwire.Elements(d, piece) })
		}},
	}.Decode(d)
}

// decodeText decodes an element of an item's content or summary, and adds the
// sources it cites to a.
func (it *outputItem) decodeText(a *assembler, d *jx.Decoder) error {
	var s itemText
	err := httpwire.Table{
		{"type", &s.kind},
		{"text", &s.text},
		{"refusal", &s.text},
		{"annotations", httpwire.Each(a.decodeAnnotation)},
	}.Decode(d)
	it.texts = append(it.texts, s)
	return err
}

// addItem adds a complete item. It skips text that arrived in delta events.
func (a *assembler) addItem(index int, it *outputItem) {
	isStreamed := slices.Contains(a.streamedItems, index)
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
// pieces. Some servers give all items the same index.
func (c *calls) setItem(index int, it *outputItem) {
	id := cmp.Or(it.callID, it.id)
	for _, p := range slices.Backward(c.all) {
		if p.index != index || p.itemID != "" && it.id != "" && p.itemID != it.id {
			continue
		}
		p.id, p.name, p.itemID = cmp.Or(id, p.id), cmp.Or(it.name, p.name), cmp.Or(it.id, p.itemID)
		if len(it.args) > 0 {
			p.args, p.end = it.args, endScanner{}
			p.end.add(it.args)
		}
		return
	}
	c.add(callDelta{index: index, id: id, itemID: it.id, name: it.name, args: it.args, isComplete: it.hasObjectArgs})
}
