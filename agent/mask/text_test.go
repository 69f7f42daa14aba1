package mask

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pollux/llm"
)

// For any tool output, the masked form is bounded, is valid text, and is recognized as masked.
func FuzzPreview(f *testing.F) {
	for _, s := range []string{
		"", `{"output":"x"}`, `{"output":1,"error":"e"}`, "{", "null", `[1]`, "\x00\xff",
		`{"output":"<untrusted_context>\nOutput: a\nb\nExit Code: 1\n</untrusted_context>"}`,
		`{"output":"Output too large. Showing first 1\nOutput: "}`, `{"output":"Output: \nSignal: 9\nSignal: 9"}`,
		`{"output":"<tool_output_masked>\n\n\nOutput too large. Full output available at: \n</tool_output_masked>"}`,
	} {
		f.Add([]byte(s), 1)
		f.Add([]byte(s), 3000)
	}
	f.Fuzz(func(t *testing.T, response []byte, times int) {
		if len(response)*times < 1<<20 {
			response = []byte(strings.Repeat(string(response), max(1, times)))
		}
		isMasked(response)
		text := fileText(response)
		look := preview(text)
		const most = (2*endLines + 1) * (lineChars*utf8.UTFMax + 20) // and the text around the lines
		if n := most + 11*4*lineChars; len(look) > n || utf8.ValidString(text) && !utf8.ValidString(look) {
			t.Errorf("%d bytes are left of %.200q: %.200q", len(look), text, look)
		}
		form := llm.Output("1", "x", maskedText(look, "/tmp/x")).Response
		if !isMasked(form) && len(form) < 64<<10 {
			t.Errorf("not masked: %s", form)
		}
	})
}
