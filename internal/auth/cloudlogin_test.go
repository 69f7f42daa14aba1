package auth

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/tool"
)

// gcloudLogin writes the file of a login with gcloud, and returns the home directory.
func gcloudLogin(t *testing.T, more string) string {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "gcloud")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"` + more + `}`
	if err := os.WriteFile(filepath.Join(dir, "application_default_credentials.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// TestCloudLogin checks that a sign-in offers Google Cloud credentials that it finds, and what it does with them.
func TestCloudLogin(t *testing.T) {
	t.Parallel()
	withProject := `, "quota_project_id": "paid"`
	file := filepath.Join(gcloudLogin(t, withProject), ".config", "gcloud", "application_default_credentials.json")
	for name, c := range map[string]struct {
		settings, env string
		storesOnly    bool
		offer, want   string // the description of the option and the result; "" for none
	}{
		"a login":           {"", "HOME=" + gcloudLogin(t, withProject), false, "✓ login of gcloud", "Using Vertex AI with the Google Cloud project paid in global.\n" + `Set security.auth.selectedType to "vertex-ai" in settings.json.`},
		"a file":            {"", "HOME=/none GOOGLE_APPLICATION_CREDENTIALS=" + file, false, "✓ credentials in GOOGLE_APPLICATION_CREDENTIALS", "Using Vertex AI with the Google Cloud project paid in global.\n" + `Set security.auth.selectedType to "vertex-ai" in settings.json.`},
		"variables":         {"", "GOOGLE_CLOUD_PROJECT=mine GOOGLE_CLOUD_LOCATION=us-central1 HOME=" + gcloudLogin(t, withProject), false, "✓ login of gcloud", "Using Vertex AI with the Google Cloud project mine in us-central1.\n" + `Set security.auth.selectedType to "vertex-ai" in settings.json.`},
		"one who pays":      {"", "GOOGLE_CLOUD_QUOTA_PROJECT=payer HOME=" + gcloudLogin(t, withProject), false, "✓ login of gcloud", "Using Vertex AI with the Google Cloud project payer in global.\n" + `Set security.auth.selectedType to "vertex-ai" in settings.json.`},
		"no project":        {"", "HOME=" + gcloudLogin(t, ""), false, "✓ login of gcloud", noCloudProject},
		"a wrong location":  {"", "GOOGLE_CLOUD_LOCATION=a.b/c HOME=" + gcloudLogin(t, withProject), false, "✓ login of gcloud", "GOOGLE_CLOUD_LOCATION is"},
		"another is chosen": {selected("gemini-api-key"), "HOME=" + gcloudLogin(t, withProject), false, "✓ login of gcloud", "Using Vertex AI with the Google Cloud project paid in global.\n" + `Set security.auth.selectedType to "vertex-ai" in settings.json.`},
		"a broken file":     {"", "HOME=/none GOOGLE_APPLICATION_CREDENTIALS=" + filepath.Dir(file), false, "", ""},
		"nothing":           {"", "HOME=/none", false, "", ""},
		"a key":             {"", "GOOGLE_API_KEY=k HOME=" + gcloudLogin(t, withProject), false, "", ""},
		"no session":        {"", "HOME=" + gcloudLogin(t, withProject), true, "", ""},
		"not allowed":       {`{"security": {"auth": {"enforcedType": "gemini-api-key", "selectedType": "gemini-api-key"}}}`, "HOME=" + gcloudLogin(t, withProject), false, "", ""},
	} {
		in := inputs(t, c.settings, strings.Fields(c.env)...)
		command := Command{Inputs: in, Paths: config.NewPaths(in.Env.User(), t.TempDir()), StoresOnly: c.storesOnly}
		offer, again := "", ""
		done, err := command.SignIn(t.Context(), func(_ context.Context, details tool.Confirmation) (tool.Answer, error) {
			q := details.(*tool.QuestionConfirmation).Questions[0]
			answer := "Vertex AI"
			switch {
			case q.Header == "Settings":
				answer = "Change it"
			case offer != "":
				again, _, _ = strings.Cut(q.Text, "\nWhich provider")
				return tool.Answer{Outcome: tool.Cancel}, nil
			case q.Options[0].Label != answer:
				return tool.Answer{Outcome: tool.Cancel}, nil
			default:
				offer = q.Options[0].Description
			}
			return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": answer}}}, nil
		}, "")
		got := strings.ReplaceAll(done.Text, filepath.Dir(in.Settings.UserFile())+"/", "")
		if again != "" {
			got = again
		}
		if c.want == "" {
			c.want = unchanged
		}
		if offer != c.offer || !strings.HasPrefix(got, c.want) || err != nil {
			t.Errorf("%s: offered %q, want %q; result %q, want %q; %v", name, offer, c.offer, got, c.want, err)
		}
		if done.Type == "" {
			continue
		}
		// The next session has the account without a question.
		s, _, err := config.Load(config.Sources{Paths: command.Paths, Env: in.Env.User()})
		if err != nil {
			t.Fatal(err)
		}
		one, err := choose(Inputs{Settings: s, Env: in.Env})
		if err != nil || one.Type != VertexAI || !strings.Contains(got, " "+one.Project+" in "+one.Location+".") {
			t.Errorf("%s: the next session has %+v, %v", name, one, err)
		}
	}
}
