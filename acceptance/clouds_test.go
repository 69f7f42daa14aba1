package acceptance

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
)

// TestClouds runs the same task on models of several vendors that clouds serve, with the
// addresses, credentials and stream formats of the clouds.
func TestClouds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wire, model string
		set         func(t *testing.T, url string) []string
	}{
		"azure": {"openai", "azure/gpt-4.1", func(_ *testing.T, url string) []string {
			return []string{"AZURE_OPENAI_ENDPOINT=" + url, "AZURE_OPENAI_API_KEY=test-key"}
		}},
		"azure deployment": {"openai", "azure/gpt-4.1", func(_ *testing.T, url string) []string {
			return []string{
				"AZURE_OPENAI_ENDPOINT=" + url + "/openai/deployments/{model}/chat/completions?api-version=2024-10-21",
				"AZURE_OPENAI_AD_TOKEN=test-key",
			}
		}},
		"vertex": {"anthropic", "vertexai/claude-sonnet-4-6", func(t *testing.T, url string) []string {
			return []string{
				"GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_CLOUD_PROJECT=p", "GOOGLE_CLOUD_LOCATION=us-east5", "GOOGLE_VERTEX_BASE_URL=" + url,
				"GOOGLE_APPLICATION_CREDENTIALS=" + serviceAccount(t),
			}
		}},
		"bedrock": {"anthropic", "bedrock/us.anthropic.claude-sonnet-4-6", func(t *testing.T, url string) []string {
			return []string{
				"AWS_ENDPOINT_URL_BEDROCK_RUNTIME=" + bedrock(t, url, "Bearer test-key"), "AWS_REGION=eu-west-1",
				"AWS_BEARER_TOKEN_BEDROCK=test-key",
			}
		}},
		"bedrock signed": {"anthropic", "bedrock/us.anthropic.claude-sonnet-4-6", func(t *testing.T, url string) []string {
			return []string{
				"AWS_ENDPOINT_URL_BEDROCK_RUNTIME=" + bedrock(t, url, "AWS4-HMAC-SHA256 Credential=AKID/"), "AWS_REGION=eu-west-1",
				"AWS_ACCESS_KEY_ID=AKID", "AWS_SECRET_ACCESS_KEY=secret",
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := scripttest.Serve(t, "turn\n  expect prompt What is in the note?\n  think Where is it?\n  call read_file {\"file_path\": \"note\"}\n"+
				"turn\n  expect result read_file_1 buy milk\n  text Milk.\n", scriptmodel.Options{Wires: everyWire(), Wire: c.wire})
			p := newPerson(t)
			p.write("note", "buy milk\n")
			p.environ = append(p.environ, c.set(t, server.URL())...)
			var stderr bytes.Buffer
			cmd := p.command("pollux", "-m", c.model, "-p", "What is in the note?")
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil || string(out) != "Milk.\n" {
				t.Errorf("it said %q, %v\n%s", out, err, &stderr)
			}
			if err := server.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// serviceAccount returns the file of a service account, and serves its tokens.
func serviceAccount(t *testing.T) string {
	t.Helper()
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token": "test-key", "token_type": "Bearer", "expires_in": 3600}`)
	}))
	t.Cleanup(tokens.Close)
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "p", "private_key_id": "k", "client_email": "robot@example.com",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": tokens.URL,
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "account.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// bedrock returns the address of a proxy that gives a Messages server the form of Amazon Bedrock:
// the model is in the path, and streams use Amazon's frames.
func bedrock(t *testing.T, messages, authorization string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		model, streams := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/model/"), "/invoke-with-response-stream")
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || !streams || body["anthropic_version"] != "bedrock-2023-05-31" ||
			body["model"] != nil || body["stream"] != nil || !strings.HasPrefix(r.Header.Get("Authorization"), authorization) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"message": "Malformed input request"}`)
			t.Errorf("%s, %s: %v, %v", r.URL.Path, r.Header.Get("Authorization"), body["anthropic_version"], err)
			return
		}
		delete(body, "anthropic_version")
		delete(body, "anthropic_beta")
		body["model"], body["stream"] = strings.TrimPrefix(model, "us.anthropic."), true
		data, _ := json.Marshal(body) // it was decoded from JSON
		req, _ := http.NewRequestWithContext(r.Context(), http.MethodPost, messages+"/v1/messages", bytes.NewReader(data))
		req.Header = http.Header{"Content-Type": {"application/json"}, "X-Api-Key": {"test-key"}, "Anthropic-Version": {"2023-06-01"}}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return // the test has ended
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusOK {
			w.WriteHeader(res.StatusCode)
			_, _ = io.Copy(w, res.Body)
			return
		}
		w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			if event, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				_, _ = w.Write(frame(`{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(event)) + `"}`))
			}
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// frame encodes a chunk in Amazon's framing: lengths, headers, payload and checksums.
func frame(payload string) []byte {
	var headers []byte
	for _, h := range [...][2]string{{":event-type", "chunk"}, {":content-type", "application/json"}, {":message-type", "event"}} {
		headers = append(append(append(headers, byte(len(h[0]))), h[0]...), 7)
		headers = append(binary.BigEndian.AppendUint16(headers, uint16(len(h[1]))), h[1]...)
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(payload)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(headers)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, headers...), payload...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}
