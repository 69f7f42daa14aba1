package anthropic

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"

	"pollux/llm"
	"pollux/llm/llmtest"
)

// put writes a temporary file and returns its path.
func put(t testing.TB, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestBedrockFromEnv(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"AWS_REGION": " eu-west-1\n", "AWS_DEFAULT_REGION": "x", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t",
		"AWS_PROFILE": "work", "AWS_CONFIG_FILE": "/c", "HOME": "/home/x",
	}
	want := Bedrock{"eu-west-1", "a", "s", "t", "work", "/home/x/.aws/credentials", "/c"}
	if got := BedrockFromEnv(func(name string) string { return env[name] }); *got != want {
		t.Errorf("%+v", got)
	}
	if got := BedrockFromEnv(func(string) string { return "" }); *got != (Bedrock{}) {
		t.Errorf("%+v", got)
	}
}

const (
	someConfig = `
region = nowhere
[default]
region = us-east-1 # near
[profile work]
region=eu-west-1
aws_access_key_id = FROMCONFIG
aws_secret_access_key = config
aws_session_token = config
s3 =
  max_concurrent_requests = 20
  region = not-this
output = json
[profile	spaced]  ; tabs
Region : ap-south-1
[work]
region = not-this
[profile sso]
sso_session = mine
region = us-west-2
[sso-session mine]
region = not-this
[profile "quoted"]
region = "us-gov-west-1"
`
	someCredentials = "[default]\r\naws_access_key_id=AKIADEFAULT\r\naws_secret_access_key = se/cr+et=\r\n" +
		"[work]\naws_access_key_id = AKIAWORK\n  aws_secret_access_key = wo#rk\n# [default]\n[half]\naws_access_key_id = AKIAHALF\n"
)

// TestProfiles compares profiles with the result of Amazon's own library.
func TestProfiles(t *testing.T) {
	t.Parallel()
	configFile, credentials := put(t, "config", someConfig), put(t, "credentials", someCredentials)
	for _, name := range []string{"default", "work", "spaced", "sso"} {
		k := &keyring{Bedrock: Bedrock{Profile: name, Config: configFile, Credentials: credentials}}
		got, err := k.profile()
		if err != nil {
			t.Fatal(err)
		}
		want, ok := amazonProfile(t, name, configFile, credentials)
		if !ok || got["region"] != want.Region || got["aws_access_key_id"] != want.Credentials.AccessKeyID ||
			got["aws_secret_access_key"] != want.Credentials.SecretAccessKey {
			t.Errorf("%s: %v, Amazon has %+v", name, got, want)
		}
	}
	// A session token belongs to the key in the same file. Amazon's library ignores
	// that.
	k := &keyring{Bedrock: Bedrock{Profile: "work", Config: configFile, Credentials: credentials}}
	if key, err := k.key(t.Context()); err != nil || key != (awsKey{AccessKeyID: "AKIAWORK", SecretAccessKey: "wo#rk"}) {
		t.Errorf("%+v, %v", key, err)
	}
}

// amazonProfile returns the profile that Amazon's library reads, false if it fails
// or panics.
func amazonProfile(t testing.TB, name, configFile, credentials string) (found config.SharedConfig, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	found, err := config.LoadSharedConfigProfile(t.Context(), name, func(o *config.LoadSharedConfigOptions) {
		o.ConfigFiles, o.CredentialsFiles = []string{configFile}, []string{credentials}
	})
	return found, err == nil
}

func TestBadProfiles(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := exec.Command("mkfifo", fifo).Run(); err != nil {
		t.Skipf("no pipes with names here: %v", err)
	}
	for _, file := range []string{fifo, t.TempDir(), "/dev/zero", put(t, "huge", strings.Repeat("#\n", maxProfileFile)), "\x00"} {
		for _, b := range []Bedrock{{Config: file}, {Credentials: file}} {
			if _, err := (&keyring{Bedrock: b}).profile(); err == nil {
				t.Errorf("%q is read", file)
			}
			b.Region = "us-east-1"
			_, err := ask(t, newClient(t, Options{Bedrock: &b, BaseURL: "http://127.0.0.1:1"}), llmtest.Prompt("hi"))
			if e := asError(t, err); e.Kind != llm.KindUnauthorized || e.Link == "" {
				t.Errorf("%q: %v", file, err)
			}
		}
	}
}

// TestProcess checks that a credential process runs again after its key has expired.
func TestProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the program of this test is a shell script")
	}
	const key = `"Version":1,"AccessKeyId":"A","SecretAccessKey":"S","SessionToken":"T"`
	for name, c := range map[string]struct {
		says  string // the program, which notes that it ran
		runs  int    // for two requests
		fails string
	}{
		"for long":     {`echo '{` + key + `,"Expiration":"` + time.Now().Add(time.Hour).Format(time.RFC3339) + `"}'`, 1, ""},
		"not for long": {`echo '{` + key + `,"Expiration":"` + time.Now().Add(time.Second).Format(time.RFC3339) + `"}'`, 2, ""},
		"who knows":    {`echo '{` + key + `}'`, 1, ""},
		"it fails": {`echo 'no
network' >&2; exit 3`, 2, "no network"},
		"no JSON":       {`echo hello`, 2, "no key"},
		"no key":        {`echo '{"Version":1}'`, 2, "no AccessKeyId"},
		"it goes on":    {`yes`, 2, "no key"},
		"with a blank ": {`echo '{` + key + `}' # 'fine'`, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "it goes on" {
				c.says = "yes | head -c 1000000"
			}
			ran := filepath.Join(t.TempDir(), "ran")
			script := put(t, "script", "#!/bin/sh\necho >>'"+ran+"'\n"+c.says+"\n")
			k := &keyring{Bedrock: Bedrock{Config: put(t, "config", "[default]\ncredential_process = sh '"+script+"'\n")}}
			for range 2 {
				got, err := k.key(t.Context())
				if c.fails != "" {
					if err == nil || !strings.Contains(err.Error(), c.fails) {
						t.Errorf("%v", err)
					}
					continue
				}
				if err != nil || got.AccessKeyID != "A" || got.SecretAccessKey != "S" || got.SessionToken != "T" {
					t.Errorf("%+v, %v", got, err)
				}
			}
			if data, err := os.ReadFile(ran); err != nil || len(data) != c.runs {
				t.Errorf("ran %d times, %v", len(data), err)
			}
		})
	}
}

// TestProcessCancelled checks that cancellation ends a process, and the wait for it and for
// the semaphore.
func TestProcessCancelled(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the program of this test is a shell script")
	}
	up := filepath.Join(t.TempDir(), "up")
	script := put(t, "script", "echo $$ >'"+up+".new'; mv '"+up+".new' '"+up+"'; exec sleep 600")
	c := newClient(t, Options{BaseURL: "http://127.0.0.1:1", Bedrock: &Bedrock{
		Region: "us-east-1", Config: put(t, "config", "[default]\ncredential_process = sh '"+script+"'\n"),
	}})
	escape := errors.New("escape")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := c.Generate(ctx, llmtest.Prompt("hi"))
			ended <- err
		}()
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(up); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Error("the process has not started in 20 seconds")
			break
		}
	}
	cancel(escape)
	for range 2 {
		if err := <-ended; err != escape {
			t.Error(err)
		}
	}
	text, err := os.ReadFile(up)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); program.Signal(syscall.Signal(0)) == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the process goes on")
		}
	}
}

// TestIsOneProgram checks which commands a shell can become, so that they end with it.
func TestIsOneProgram(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	for command, want := range map[string]bool{
		"sh -c 'x y'": true, "  sh": true, "": false, "cd x": false, "A=b sh": false, "sh; sh": false, "sh | sh": false, "sh &": false, "sh\nsh": false, "'sh' x": false,
	} {
		if got := isOneProgram(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}

// TestAmazonProgram checks that the aws command provides keys that are in no file.
func TestAmazonProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program of this test is a shell script")
	}
	program := put(t, "aws", `#!/bin/sh
[ "$*" = "configure export-credentials --format process --profile sso" ] || exit 1
echo '{"Version":1,"AccessKeyId":"A","SecretAccessKey":"S"}'
`)
	t.Setenv("PATH", filepath.Dir(program)+":/bin:/usr/bin")
	b := Bedrock{Profile: "sso", Config: put(t, "config", someConfig)}
	key, err := (&keyring{Bedrock: b}).key(t.Context())
	if err != nil || key.AccessKeyID != "A" {
		t.Errorf("%+v, %v", key, err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := (&keyring{Bedrock: b}).key(t.Context()); err == nil || !strings.Contains(err.Error(), `profile "sso" has no key`) {
		t.Error(err)
	}
	region, err := (&bedrock{keys: keyring{Bedrock: b}}).region()
	if region != "us-west-2" || err != nil {
		t.Error(region, err)
	}
}

// FuzzProfile compares the region and key in two files with the result of Amazon's
// own library.
func FuzzProfile(f *testing.F) {
	f.Add(someConfig, someCredentials)
	f.Add("[profile work]\nregion = a\n b = c\n[profile work]\nregion=\"d\"\n", "[work]\naws_access_key_id:a\naws_secret_access_key='b'\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, configText, credentialsText string) {
		configFile, credentials := filepath.Join(dir, "config"), filepath.Join(dir, "credentials")
		for file, text := range map[string]string{configFile: configText, credentials: credentialsText} {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := (&keyring{Bedrock: Bedrock{Profile: "work", Config: configFile, Credentials: credentials}}).profile()
		if err != nil {
			t.Fatal(err)
		}
		want, ok := amazonProfile(t, "work", configFile, credentials)
		if !ok || got["aws_access_key_id"] == "" || got["aws_secret_access_key"] == "" ||
			strings.Contains(want.Region+want.Credentials.AccessKeyID+want.Credentials.SecretAccessKey, "\n") {
			return // the result for invalid files, half a key and values of several lines is undefined
		}
		if got["region"] != want.Region || got["aws_access_key_id"] != want.Credentials.AccessKeyID ||
			got["aws_secret_access_key"] != want.Credentials.SecretAccessKey {
			t.Fatalf("%q, Amazon has %+v", got, want)
		}
	})
}
