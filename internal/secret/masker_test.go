package secret

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// secretForms are secrets that are recognized in any text, each with the text around it: vertical bars mark the
// ends of the replaced part. Parts of keys are repeated, so that no scanner takes the file for one of keys.
var secretForms = func() map[string]string {
	r := strings.Repeat
	return map[string]string{
		"Google":               "|AIzaSy" + r("a1B", 11) + "|",
		"OpenAI":               "|sk-" + r("a1B2", 12) + "|",
		"OpenAI project":       "|sk-proj-" + r("a1_-", 30) + "|",
		"Anthropic":            "|sk-ant-api03-" + r("a1_-", 20) + "|",
		"Groq":                 "|gsk_" + r("a1B2", 8) + "|",
		"xAI":                  "|xai-" + r("a1B2", 8) + "|",
		"Hugging Face":         "|hf_" + r("a1B2", 8) + "|",
		"Perplexity":           "|pplx-" + r("a1B2", 8) + "|",
		"Replicate":            "|r8_" + r("a1B2", 8) + "|",
		"NVIDIA":               "|nvapi-" + r("a1B2", 14) + "|",
		"GitHub":               "|ghp_" + r("a1B2", 9) + "|",
		"GitHub app":           "|ghs_" + r("a1B2", 9) + "|",
		"GitHub fine-grained":  "|github_pat_" + r("a1B2_", 14) + "|",
		"GitLab":               "|glpat-" + r("a1B2", 5) + "|",
		"npm":                  "|npm_" + r("a1B2", 9) + "|",
		"PyPI":                 "|pypi-" + r("a1B2", 30) + "|",
		"Docker":               "|dckr_pat_" + r("a1B2", 7) + "|",
		"AWS":                  "|AKIA" + r("A1", 8) + "|",
		"AWS session":          "|ASIA" + r("A1", 8) + "|",
		"Google access":        "|ya29." + r("a1B2", 12) + "|",
		"Google secret":        "|GOCSPX-" + r("a1B2", 7) + "|",
		"DigitalOcean":         "|dop_v1_" + r("a1", 32) + "|",
		"Databricks":           "|dapi" + r("a1", 16) + "|",
		"Vault":                "|hvs." + r("a1B2", 12) + "|",
		"Stripe":               "|sk_live_" + r("a1B2", 6) + "|",
		"Stripe webhook":       "|whsec_" + r("a1B2", 8) + "|",
		"Slack":                "|xoxb-" + r("12-a", 6) + "|",
		"Slack webhook":        "https://|hooks.slack.com/services/T000/B000/" + r("a1B2", 6) + "|",
		"Discord webhook":      "https://|discord.com/api/webhooks/1234/" + r("a1B2", 17) + "|",
		"SendGrid":             "|SG." + r("a1B2", 5) + "." + r("a1B2", 10) + "|",
		"Shopify":              "|shpat_" + r("a1", 16) + "|",
		"Linear":               "|lin_api_" + r("a1B2", 10) + "|",
		"Atlassian":            "|ATATT3" + r("a1B2", 20) + "|",
		"Grafana":              "|glsa_" + r("a1B2", 10) + "|",
		"Telegram":             "bot |123456789:AA" + r("a1B2c", 6) + "abc| x",
		"JWT":                  "|eyJhbGciOi.eyJzdWIi.abc_-1|",
		"private key":          "|-----BEGIN RSA PRIVATE KEY-----\n" + r("MIIa1+/=\n", 9) + "-----END RSA PRIVATE KEY-----|\nrest",
		"PGP key":              "|-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1 x\n\n" + r("MIIa1+/=\n", 9) + "-----END PGP PRIVATE KEY BLOCK-----|",
		"key in YAML":          "k: |-----BEGIN PRIVATE KEY-----\n    MIIa1234567890abcdef\n    MII=\n    -----END PRIVATE KEY-----|\nb: 1",
		"key that is cut":      "|-----BEGIN PRIVATE KEY-----\nMIIa1234567890abcdefghijklm|",
		"URL":                  "postgres://|me:hunter2|@host/db",
		"URL with a key":       "https://|" + r("a1B2", 6) + "|@host/repo.git",
		"Redis":                "redis://|:hunter2|@host:6379",
		"query":                "https://h/p?a=1&access_token=|abc123def|&b=2",
		"query key":            "https://h/p?api_key=|abcdefgh|",
		"SAS":                  "https://h/p?sv=1&sig=|abc%2Bdef|",
		"connection string":    "Server=h;Password=|hunter22|;Pooling=true",
		"storage":              "AccountName=a;AccountKey=|abcdefgh12345|;x",
		"Bearer":               "Authorization: Bearer |abc123def|",
		"bearer":               "authorization: bearer |abc.123~def+/=|",
		"Basic":                "Authorization: Basic |bWU6aHVudGVyMg==|",
		"cookie":               "Cookie: |sid=abc; b=c|\nnext",
		"set-cookie":           "Set-Cookie: |sid=abc; Path=/|",
		"env line":             "A=1\nDB_PASSWORD=|hunter22|\nB=2",
		"env line with export": "export API_TOKEN='|hunter22 x|'",
		"Python":               "SECRET_KEY = \"|django-insecure|\"",
		"flag":                 "run --token=|hunter22| --port=80",
		"JSON":                 `{"api_key": "|abc123def456|", "b": 1}`,
		"JSON in JSON":         `{\"password\": \"|abc123def456|\"}`,
		"YAML":                 "password: |abc123def456|\nuser: me",
	}
}()

func TestEraseForms(t *testing.T) {
	t.Parallel()
	for name, text := range secretForms {
		parts := strings.Split(text, "|")
		plain, want := strings.Join(parts, ""), parts[0]+Redacted+parts[2]
		if got := EraseForms(plain); got != want {
			t.Errorf("%s: %q is %q, want %q", name, plain, got, want)
		}
		for _, around := range []string{"see %s, x", "(%s)", "\"%s\"", "'%s' y", "line\n%s\nline"} {
			if got := EraseForms(fmt.Sprintf(around, plain)); strings.Contains(got, parts[1]) || !strings.Contains(got, Redacted) {
				t.Errorf("%s in %q is %q", name, around, got)
			}
		}
	}
	for _, plain := range plainTexts {
		if got := EraseForms(plain); got != plain {
			t.Errorf("%q is %q", plain, got)
		}
	}
}

// plainTexts are texts that resemble secrets.
var plainTexts = []string{
	`{"url":"http://127.0.0.1:80","mail":"a@b"}`,
	"risk-management-of-all-the-projects, task-0123456789012",
	"sk-estimator-doc-link-fitted is a class",
	"https://user@host/x git+ssh://git@github.com/a/b",
	"https://host:80/@scope/x?a=b&page_token=abc123def",
	"https://user:$PASSWORD@host and postgres://user:${PW}@h",
	"DB_PASSWORD=$PASSWORD API_KEY=${KEY} TOKEN=$(cat t) SECRET=<your secret> A_KEY=***** B_KEY=xxxxxxxx KEY_FILE=/etc/x",
	"token := lexer.next(); key = strings.ToLower(name); auth=getAuth(user1)",
	"func (p *parser) token(kind tokenKind) { password string }",
	"for key in sorted(keys2): print(key)",
	"max_tokens=100000 nextPageToken: abc123def456 tokens: 1234567",
	"the Bearer authentication scheme, Basic authentication",
	"Cookie: none, cookies: yes",
	"-----BEGIN CERTIFICATE-----\nMIIa1234567890abcdef\n-----END CERTIFICATE-----",
	"-----BEGIN PRIVATE KEY----- is the first line of a key. Everything after it is text that stays.",
	`strings.Contains(text, "-----BEGIN PRIVATE KEY-----")`,
	"ssh-rsa AAAAB3NzaC1yc2E me@host",
	strings.Repeat("QUFB", 40) + "/AKIA0123456789ABCDEF" + strings.Repeat("QUFB", 40),
	"eyJ.a.b and eyJabc", "PATH=/bin:/usr/bin KEYBOARD=german-layout AUTHOR=someone-else COMPASS=northwest",
	"key: sha512-abcdef012345 cache_key: npm-linux-12345678",
	"10:AAPL",
}

func TestMaskerValues(t *testing.T) {
	t.Parallel()
	m := NewMasker([]string{`pass"word\1`, "pass", "longer than pass", "longer", "a&b c/d€", "REDACTED", "verylongvaluethatiscut"})
	for text, want := range map[string]string{
		`a pass"word\1 b`:                       "a [REDACTED] b",
		`{"a":"pass\"word\\1"}`:                 `{"a":"[REDACTED]"}`,
		`{"a":"{\"b\":\"pass\\\"word\\\\1\"}"}`: `{"a":"{\"b\":\"[REDACTED]\"}"}`,
		"pass is short":                         "pass is short",
		"longer than pass, long":                "[REDACTED], long",
		"x=a%26b+c%2Fd%E2%82%AC&":               "x=[REDACTED]&",
		"/a&b%20c%2Fd%E2%82%AC":                 "/[REDACTED]",
		"REDACTED":                              "REDACTED",
		"is verylongvaluethat":                  "is [REDACTED]",
		"is verylongvaluethat...":               "is [REDACTED]",
		"is verylo":                             "is verylo",
		"is verylongvaluethat more":             "is verylongvaluethat more",
		"xverylongvaluethatiscuty":              "x[REDACTED]y",
	} {
		if got := m.Text(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestMaskerJSON(t *testing.T) {
	t.Parallel()
	m := NewMasker([]string{"hunter22&<x>", "displayContent", "gemini-2.5", "two\nlines"})
	for text, want := range map[string]string{
		`{"a":"hunter22&<x>"}`:                                                         `{"a":"[REDACTED]"}`,
		`{"a":"hunter22\u0026\u003cx\u003e","b":"\u0041\/"}`:                           `{"a":"[REDACTED]","b":"\u0041\/"}`,
		`{"displayContent":"displayContent"}`:                                          `{"displayContent":"[REDACTED]"}`,
		`{"hunter22&<x>":1}`:                                                           `{"[REDACTED]":1}`,
		`{"password":"short1","x":{"token":["a b"]}}`:                                  `{"password":"[REDACTED]","x":{"token":["a b"]}}`,
		`{"token" : "abcdef", "tokens":{"input":"123456789"}}`:                         `{"token" : "[REDACTED]", "tokens":{"input":"123456789"}}`,
		`{"apiKey":"$KEY_OF_MINE","key":"value12345"}`:                                 `{"apiKey":"$KEY_OF_MINE","key":"value12345"}`,
		`{"thoughtSignature":"sk-0123456789abcdef0123","a":"sk-0123456789abcdef0123"}`: `{"thoughtSignature":"sk-0123456789abcdef0123","a":"[REDACTED]"}`,
		`["two\nlines","\\\"", "a\\"]`:                                                 `["[REDACTED]","\\\"", "a\\"]`,
		"{\"a\":\"hunter22&<x>\"}\n{\"b\":1}\n":                                        "{\"a\":\"[REDACTED]\"}\n{\"b\":1}\n",
		`{"a":"x -----BEGIN RSA PRIVATE KEY-----\nMIIabcdefghijklmnop\nabc\n-----END RSA PRIVATE KEY-----\n","b":1}`: `{"a":"x [REDACTED]\n","b":1}`,
		`{"a":"open`: `{"a":"open`,
		`{}`:         `{}`,
	} {
		if got := string(m.JSON([]byte(text))); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

// Text recognizes the same secrets in JSON strings, also in one inside another one.
func TestFormsInJSON(t *testing.T) {
	t.Parallel()
	m := NewMasker(nil)
	for name, text := range secretForms {
		parts := strings.Split(text, "|")
		var line any = strings.Join(parts, "")
		for range 2 {
			data, err := json.Marshal(map[string]any{"a": line})
			if err != nil {
				t.Fatal(err)
			}
			masked := string(m.JSON(data))
			if !strings.Contains(masked, Redacted) || !json.Valid([]byte(masked)) || strings.Contains(masked, parts[1]) {
				t.Errorf("%s: %s is %s", name, data, masked)
			}
			line = string(data)
		}
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	environ := []string{
		"API_KEY= hunter2222 ", "TOKEN=short", "B_TOKEN=sh0rt1", "KEY_FILE=/etc/a/long/path", "EDITOR=a-long-editor", "custom=own secret",
		"DATABASE_URL=postgres://me:hunt%2Fer22@host/db", "POSTGRES_PASSWORD=postgres", "NOTE=" + "sk-" + strings.Repeat("a1", 10), "KUBECONFIG=config/kube.yaml",
	}
	want := []string{"hunter2222", "sh0rt1", "own secret", "postgres://me:hunt%2Fer22@host/db", "hunt%2Fer22", "hunt/er22", "sk-" + strings.Repeat("a1", 10)}
	if got := Values(environ, "CUSTOM"); !slices.Equal(got, want) {
		t.Errorf("the values are %q, want %q", got, want)
	}
}

// A masked text is not masked again, is not much longer, and has no known value. Records stay JSON.
func FuzzMasker(f *testing.F) {
	f.Add("", `-----BEGIN PRIVATE KEY-----" \`)
	f.Add("hunter22", `https://me:pass@host", "sk-0123456789abcdef0123 hunter22 API_KEY=hunter22`)
	f.Add("AKIA0123456789ABCDEF", "AKIA0123456789ABCDEFsk-0123456789abcdef01AKIA0123456789ABCDEF")
	f.Add("a", "Cookie: a=b; API_KEY='x' Bearer abc123def eyJhbGciOi.eyJzdWIi.abc :AA://:=")
	for _, text := range secretForms {
		f.Add("value1", text)
	}
	f.Fuzz(func(t *testing.T, value, text string) {
		if len(text) > 4096 {
			return
		}
		m := NewMasker([]string{value})
		masked := m.Text(text)
		if again := m.Text(masked); again != masked && !strings.ContainsAny(value, "[]") && strings.Count(text, "=")+strings.Count(text, ":") < 20 {
			t.Fatalf("%q becomes %q, then %q", text, masked, again)
		}
		if len(masked) > 2*len(text)+len(Redacted) {
			t.Fatalf("%q becomes %q", text, masked)
		}
		if len(value) >= shortest && strings.Contains(masked, value) && !strings.Contains(Redacted, value) && !strings.ContainsAny(value, "[]") {
			t.Fatalf("%q in %q stays: %q", value, text, masked)
		}
		line, err := json.Marshal(map[string]string{"a": text, text: value})
		if err != nil {
			t.Skip()
		}
		if erased := m.JSON(line); !json.Valid(erased) {
			t.Fatalf("%s becomes %s", line, erased)
		}
		if erased := EraseForms(string(line)); !json.Valid([]byte(erased)) {
			t.Fatalf("%s becomes %s", line, erased)
		}
		m.JSON([]byte(text)) // must not panic
	})
}

// BenchmarkMasker masks records without secrets: of 1 KB of text, and of 100 KB of a command's output.
func BenchmarkMasker(b *testing.B) {
	values := []string{}
	for i := range 30 {
		values = append(values, fmt.Sprintf("secret-value-%d-%x", i, i*7919))
	}
	m := NewMasker(values)
	const source = "func (p *parser) next(kind tokenKind) (tok token, err error) {\n\tif key := p.key; key == name { return p.tokens[i], nil } // see https://go.dev/x?y=z: a note\n}\n"
	for name, text := range map[string]string{"1KB": strings.Repeat("A sentence of an answer. ", 40), "100KB": strings.Repeat(source, 100<<10/len(source))} {
		b.Run(name, func(b *testing.B) {
			line, err := json.Marshal(map[string]string{"output": text})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				m.JSON(line)
			}
		})
	}
}
