package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestPrefixOfSummary checks that the request for a summary starts like the last request of the
// conversation, which is in the vendor's cache: with the same tools, system instruction and
// messages, up to the place where the history is cut. After the summary, each request again
// starts with the request before it.
func TestPrefixOfSummary(t *testing.T) {
	t.Parallel()
	for _, wire := range protocols {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			script := overflowing(12, 6)
			if wire == "responses" { // the scripted model counts its thoughts by the messages, of which there are less now
				script = strings.ReplaceAll(script, "  think", "  # think")
			}
			// Of Anthropic's models the one that is cheapest even with nothing in its cache.
			asked := converse(t, wire, script, "ANTHROPIC_MODEL=claude-haiku-4-5")
			if len(asked) != 12+1+2+1+6 {
				t.Fatalf("%d requests were answered", len(asked))
			}
			refused, summary, verified := reading(t, wire, asked[12]), reading(t, wire, asked[13]), reading(t, wire, asked[14])
			if same := common(refused.messages, summary.messages); same < len(refused.messages)/2 {
				t.Errorf("of %d bytes of messages, the summary begins with %d:\n%s", len(refused.messages), same, apart(refused.messages, summary.messages))
			}
			if !bytes.HasPrefix(verified.messages, summary.messages) {
				t.Errorf("the second look does not begin with the first:\n%s", apart(summary.messages, verified.messages))
			}
			for i, body := range asked[13:15] {
				if diff := otherwise(t, wire, asked[12], body); diff != "" {
					t.Errorf("call %d of the summary differs in %s", i+1, diff)
				}
			}
			last := reading(t, wire, asked[15])
			if bytes.HasPrefix(last.messages, refused.messages) {
				t.Error("the history was not compressed")
			}
			for i, body := range asked[16:] {
				next := reading(t, wire, body)
				if !bytes.Equal(next.fixed, last.fixed) || !bytes.HasPrefix(next.messages, last.messages) {
					t.Fatalf("request %d behind the summary does not begin with the one before it:\n%s", i+1, apart(last.messages, next.messages))
				}
				if wire == "anthropic" {
					found(t, i+1, last, next)
				}
				last = next
			}
		})
	}
}

// overflowing returns a session whose history becomes too large after some rounds, with more
// rounds after that.
func overflowing(rounds, more int) string {
	var b strings.Builder
	for i := range rounds {
		fmt.Fprintf(&b, "turn\n  think **Step** %d\n  text Step %d.\n  call read_file {\"file_path\": \"note.txt\", \"start_line\": %d}\n", i, i, i+1)
	}
	b.WriteString("turn\n  fail 400 context_length_exceeded Your input exceeds the context window of this model. Please adjust your input and try again.\n")
	for range 2 {
		b.WriteString("turn\n  expect verb generateContent\n  text <state_snapshot><overall_goal>Work.</overall_goal><key_knowledge>It goes on.</key_knowledge></state_snapshot>\n")
	}
	for i := range more {
		fmt.Fprintf(&b, "turn\n  expect anywhere It goes on.\n  think **Step** %d\n  text Step %d.\n  call read_file {\"file_path\": \"note.txt\", \"end_line\": %d}\n", rounds+i, rounds+i, i+1)
	}
	b.WriteString("turn\n  text done\n")
	return b.String()
}

// otherwise names the first field that differs between two requests, of the fields that come
// before the messages or change how they are read; "" if there is none.
func otherwise(t *testing.T, wire string, one, other []byte) string {
	t.Helper()
	a, b := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := json.Unmarshal(one, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(other, &b); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"model", "tools", "tool_choice", "toolConfig", "system", "systemInstruction", "instructions", "thinking", "prompt_cache_key"} {
		x, y := a[name], b[name]
		if wire == "anthropic" && (name == "system" || name == "tools") {
			continue // marks are not part of the content
		}
		if !bytes.Equal(x, y) {
			return name + ":\n" + apart(x, y)
		}
	}
	if wire == "anthropic" {
		if x, y := reading(t, wire, one).fixed, reading(t, wire, other).fixed; !bytes.Equal(x, y) {
			return "tools or system:\n" + apart(x, y)
		}
	}
	return ""
}

// common returns the length of the common prefix of two texts.
func common(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
