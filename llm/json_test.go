package llm_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pollux/llm"
)

// Messages whose JSON comes back byte by byte.
var exactContents = []string{
	`{}`,
	`{"role":"user"}`,
	`{"role":"user","parts":[]}`,
	`{"role":"user","parts":[{"text":"hello"}]}`,
	`{"role":"model","parts":[{"text":""}]}`,
	`{"role":"model","parts":[{"text":"","thoughtSignature":"c2ln"}]}`,
	`{"role":"model","parts":[{"thoughtSignature":"c2ln"}]}`,
	`{"role":"model","parts":[{}]}`,
	`{"role":"model","parts":[{"text":"hm","thought":true},{"text":"Grüße 🦆 <&> \" \\ \n\t"}]}`,
	`{"role":"model","parts":[{"functionCall":{"id":"ls__1","name":"ls","args":{"n":12345678901234567890.50,"e":1E400,"s":"\u003c\ud83e\udd86"}},"thoughtSignature":"x"}]}`,
	`{"role":"model","parts":[{"functionCall":{"name":"ls"}}]}`,
	`{"role":"user","parts":[{"functionResponse":{"id":"1","name":"ls","response":{"output":"a"},"parts":[{"inlineData":{"mimeType":"image/png","data":"AAEC/w=="}}]}}]}`,
	`{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"error":"no"}}}]}`,
	`{"role":"user","parts":[{"inlineData":{"mimeType":"audio/wav","data":"","displayName":"a.wav"}}]}`,
	`{"role":"user","parts":[{"fileData":{"mimeType":"video/mp4","fileUri":"gs://b/v.mp4","displayName":"v"},"videoMetadata":{"fps":2.0}}]}`,
	`{"role":"model","parts":[{"executableCode":{"code":"1+1","language":"PYTHON"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK"}}]}`,
	`{"role":"model","parts":[{"a\"b":[1,{"c":false}],"zzz":"unknown"}]}`,
}

func TestContentRoundTrip(t *testing.T) {
	t.Parallel()
	for _, want := range exactContents {
		var c llm.Content
		if err := json.Unmarshal([]byte(want), &c); err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		if got := string(c.AppendJSON(nil)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// Answers whose JSON comes back byte by byte.
var exactResponses = []string{
	`{}`,
	`{"usageMetadata":{}}`,
	`{"candidates":[{}]}`,
	`{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]},"finishReason":"STOP","finishMessage":"m","index":1}],` +
		`"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2,"thoughtsTokenCount":3,"cachedContentTokenCount":4,"toolUsePromptTokenCount":5,"totalTokenCount":6},` +
		`"modelVersion":"v","responseId":"r"}`,
	`{"candidates":[{"citationMetadata":{"citations":[{"uri":"u","title":"t"},{"uri":"v"}]},"safetyRatings":[{"blocked":true}],"groundingMetadata":{"a":[]},"urlContextMetadata":{}}]}`,
	`{"promptFeedback":{"blockReason":"SAFETY","blockReasonMessage":"no","safetyRatings":[]}}`,
}

func TestResponseRoundTrip(t *testing.T) {
	t.Parallel()
	for _, want := range exactResponses {
		var r llm.Response
		if err := json.Unmarshal([]byte(want), &r); err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		if got := string(r.AppendJSON(nil)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// Vendors write the same values in other ways than Pollux.
func TestDecodeLoosely(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		` {"candidates" : null, "usageMetadata":{"totalTokenCount":"12","promptTokenCount":3.0}, "createTime":"x"} `:   `{"usageMetadata":{"promptTokenCount":3,"totalTokenCount":12}}`,
		`{"usageMetadata":{"totalTokenCount":1e99,"promptTokenCount":-1e999}}`:                                         `{"usageMetadata":{"promptTokenCount":-9007199254740992,"totalTokenCount":9007199254740992}}`,
		`{"candidates":[{"citationMetadata":{"citationSources":[{"uri":"u","startIndex":1}]}}]}`:                       `{"candidates":[{"citationMetadata":{"citations":[{"uri":"u"}]}}]}`,
		`{"candidates":[{"content":{"parts":[null,{"text":null,"thought":false}]}}]}`:                                  `{"candidates":[{"content":{"parts":[{}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"inlineData":{"data":"-_8"}}]}}]}`:                                       `{"candidates":[{"content":{"parts":[{"inlineData":{"data":"+/8="}}]}}]}`,
		"{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"args\":{\r\n  \"a\": \"x\\ny\"\n}}}]}}]}":      `{"candidates":[{"content":{"parts":[{"functionCall":{"args":{"a":"x\ny"}}}]}}]}`,
		"{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\xff\",\"functionCall\":{\"args\":{\"\xfe\":1}}}]}}]}":  `{"candidates":[{"content":{"parts":[{"text":"�","functionCall":{"args":{"�":1}}}]}}]}`,
		`{"candidates":[{"index":0}],"candidates":[{"index":1}]}`:                                                      `{"candidates":[{"index":1}]}`,
		`{"candidates":[{"content":{"parts":[{"te\u0078t":"a\ud800"}],"ro\u006ce":"mod\u0065l"},"finishReason":"X"}]}`: `{"candidates":[{"content":{"role":"model","parts":[{"text":"a�"}]},"finishReason":"X"}]}`,
	} {
		var r llm.Response
		if err := r.UnmarshalJSON([]byte(from)); err != nil {
			t.Errorf("%s: %v", from, err)
			continue
		}
		if got := string(r.AppendJSON(nil)); got != want {
			t.Errorf("from %s\ngot  %s\nwant %s", from, got, want)
		}
	}
}

func TestMalformed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, ` `, `null`, `[]`, `"x"`, `{`, `{"candidates":[{"content":{"parts":[{"text":"a`, `{}{}`, `{} x`, `{} {`, `{} ]`,
		`{"candidates":{}}`, `{"candidates":[{"content":[]}]}`, `{"candidates":[{"content":{"parts":[{"text":5}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"thought":"yes"}]}}]}`, `{"candidates":[{"content":{"parts":[{"inlineData":{"data":"%%"}}]}}]}`,
		`{"usageMetadata":{"totalTokenCount":"many"}}`, `{"a":01}`, "{\"a\":\"\x01\"}", `{"a":}`, `{"a" 1}`,
		strings.Repeat(`{"x":`, 20000) + strings.Repeat(`}`, 20000),
		`{"candidates":[{"content":` + strings.Repeat(`{"parts":[{"functionResponse":`, 5000) + strings.Repeat(`}]}`, 5000) + `}]}`,
		`{"candidates":[{"content":{"parts":[` + strings.Repeat(`{"functionResponse":{"parts":[`, 5000),
	} {
		var r llm.Response
		if err := r.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%.60s: no error", text)
		}
	}
}

// TestDecodeAnew checks that decoding into a value removes all its former fields.
func TestDecodeAnew(t *testing.T) {
	t.Parallel()
	c := llm.Model(llm.Text("old"))
	c.Encoded("x", func(dst []byte, _ *llm.Content) []byte { return append(dst, "old"...) })
	if err := c.UnmarshalJSON([]byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	kept := c.Encoded("x", func(dst []byte, _ *llm.Content) []byte { return append(dst, "new"...) })
	if c.Role != "" || c.Parts != nil || string(kept) != "new" {
		t.Errorf("role %q, parts %v, kept %s", c.Role, c.Parts, kept)
	}
}

// TestNothingAliased checks that decoded values stay valid after the bytes change.
func TestNothingAliased(t *testing.T) {
	t.Parallel()
	text := []byte(`{"candidates":[{"content":{"role":"model","parts":[{"text":"abc","thoughtSignature":"sig","extra":{"k":"v"}},` +
		`{"functionCall":{"id":"i","name":"n","args":{"a":"b"}}},{"inlineData":{"mimeType":"m","data":"AAAA"}}]},"safetyRatings":[{"x":"y"}]}],"responseId":"r"}`)
	var r llm.Response
	if err := r.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	before := string(r.AppendJSON(nil))
	for i := range text {
		text[i] = '#'
	}
	if after := string(r.AppendJSON(nil)); after != before {
		t.Errorf("before %s\nafter  %s", before, after)
	}
}

// plainContent and the types of its fields are the types as encoding/json would have them.
type plainContent struct {
	Role  string      `json:"role,omitempty"`
	Parts []plainPart `json:"parts"`
}

type plainPart struct {
	Text             *string        `json:"text,omitempty"`
	InlineData       *plainBlob     `json:"inlineData,omitempty"`
	FunctionCall     *plainCall     `json:"functionCall,omitempty"`
	FunctionResponse *plainResponse `json:"functionResponse,omitempty"`
	Thought          bool           `json:"thought,omitempty"`
	ThoughtSignature string         `json:"thoughtSignature,omitempty"`
}

type plainBlob struct {
	MIMEType    string `json:"mimeType,omitempty"`
	Data        []byte `json:"data"`
	DisplayName string `json:"displayName,omitempty"`
}

type plainCall struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
	Args any    `json:"args,omitempty"`
}

type plainResponse struct {
	ID       string      `json:"id,omitempty"`
	Name     string      `json:"name,omitempty"`
	Response any         `json:"response,omitempty"`
	Parts    []plainPart `json:"parts,omitempty"`
}

// FuzzContent compares the hand-written codec with encoding/json.
func FuzzContent(f *testing.F) {
	for _, s := range exactContents {
		f.Add([]byte(s))
	}
	f.Add([]byte("{\"parts\":[{\"text\":\"\xff\\ud800\\u2028\x7f\"}]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c llm.Content
		err := c.UnmarshalJSON(data)
		if err == nil && !json.Valid(data) {
			t.Fatalf("decodes what is not JSON")
		}
		if err != nil {
			return
		}
		out := c.AppendJSON(nil)
		if !json.Valid(out) || bytes.ContainsAny(out, "\n\r") || !utf8.Valid(out) {
			t.Fatalf("not one line of JSON: %q", out)
		}
		var again llm.Content
		if err := again.UnmarshalJSON(out); err != nil {
			t.Fatalf("cannot read its own %s: %v", out, err)
		}
		if got := again.AppendJSON(nil); !bytes.Equal(got, out) {
			t.Fatalf("second round %s\nfirst round  %s", got, out)
		}
		// encoding/json matches keys in any case, and merges the values of a
		// repeated member: where keys are plain the two must agree.
		if hasOddKeys(data) {
			return
		}
		var a, b plainContent
		if json.Unmarshal(data, &a) != nil || json.Unmarshal(out, &b) != nil {
			return // null or a wrong type where Pollux is more patient
		}
		if diff := cmp.Diff(a, b, cmpopts.EquateEmpty()); diff != "" && !bytes.Contains(data, []byte("null")) {
			t.Fatalf("encoding/json reads something else:\n%s", diff)
		}
	})
}

// hasOddKeys reports whether an object in data repeats a key or has one that
// differs from those of a message in nothing but case.
func hasOddKeys(data []byte) bool {
	known := map[string]bool{}
	for k := range strings.FieldsSeq("role parts text inlineData functionCall functionResponse thought thoughtSignature mimeType data displayName id name args response") {
		known[strings.ToLower(k)] = true
	}
	d := json.NewDecoder(bytes.NewReader(data))
	seen := []map[string]bool{}
	key := []bool{}
	for {
		tok, err := d.Token()
		if err != nil {
			return false
		}
		switch v := tok.(type) {
		case json.Delim:
			switch v {
			case '{':
				seen, key = append(seen, map[string]bool{}), append(key, true)
				continue
			case '[':
				seen, key = append(seen, nil), append(key, false)
				continue
			default:
				seen, key = seen[:len(seen)-1], key[:len(key)-1]
			}
		case string:
			if n := len(key); n > 0 && key[n-1] {
				lower := strings.ToLower(v)
				if seen[n-1][lower] || known[lower] && !strings.Contains(" role parts text inlineData functionCall functionResponse thought thoughtSignature mimeType data displayName id name args response ", " "+v+" ") {
					return true
				}
				seen[n-1][lower] = true
				key[n-1] = false
				continue
			}
		}
		if n := len(key); n > 0 && seen[n-1] != nil {
			key[n-1] = true
		}
	}
}

// FuzzResponseRoundTrip checks that a second round of decoding and encoding
// changes nothing, and that encoding/json has the same result.
func FuzzResponseRoundTrip(f *testing.F) {
	for _, s := range exactResponses {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r llm.Response
		if r.UnmarshalJSON(data) != nil {
			return
		}
		out := r.AppendJSON(nil)
		std, err := json.Marshal(&r) // compacts, and refuses invalid JSON
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		var x, y any
		if json.Unmarshal(out, &x) != nil || json.Unmarshal(std, &y) != nil || !reflect.DeepEqual(x, y) {
			t.Fatalf("json.Marshal gives %s, AppendJSON %s", std, out)
		}
		var again llm.Response
		if err := again.UnmarshalJSON(out); err != nil {
			t.Fatalf("cannot read its own %s: %v", out, err)
		}
		if got := again.AppendJSON(nil); !bytes.Equal(got, out) {
			t.Fatalf("second round %s\nfirst round  %s", got, out)
		}
		if r.Text() != again.Text() || len(r.Parts()) != len(again.Parts()) {
			t.Fatalf("text %q, then %q", r.Text(), again.Text())
		}
	})
}

// TestAppendString compares appendString with encoding/json, except for the escapes
// of HTML and of U+2028, which JSON does not require.
func TestAppendString(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "plain", "\x00\x1f\x7f", "\"\\/\b\f\n\r\t", "Grüße 🦆", "a\xffb\xc3", "\xed\xa0\x80", "<&>\u2028"} {
		var back string
		got := llm.AppendString([]byte("x"), s)[1:]
		if err := json.Unmarshal(got, &back); err != nil {
			t.Errorf("%q: %s: %v", s, got, err)
		}
		var std string
		data, _ := json.Marshal(s)
		_ = json.Unmarshal(data, &std)
		if back != std || !utf8.Valid(got) || bytes.IndexByte(got, '\n') >= 0 {
			t.Errorf("%q: %s reads as %q, want %q", s, got, back, std)
		}
	}
}
