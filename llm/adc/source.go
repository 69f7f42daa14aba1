package adc

import (
	"cmp"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"cloud.google.com/go/compute/metadata"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// Source is the location of credentials. The zero Source searches all places that
// Google's libraries search, using the environment of the process.
type Source struct {
	// File is the path of a credentials file, "" for none. Login is the path of the
	// file that gcloud writes at login. If File is "" and Login does not exist, the
	// metadata server of this machine is asked.
	File, Login string
	// QuotaProject is the project that pays for requests, "" for the one in the file.
	QuotaProject string
	// Scopes are the scopes of the tokens, nil for the scope of all of Google Cloud.
	Scopes []string
	// Custom, if not nil, provides the tokens instead.
	Custom Tokens
}

// FromEnv returns the source that environment variables name.
func FromEnv(env func(name string) string) Source {
	s := Source{File: strings.TrimSpace(env("GOOGLE_APPLICATION_CREDENTIALS")), QuotaProject: strings.TrimSpace(env("GOOGLE_CLOUD_QUOTA_PROJECT"))}
	dir := env("APPDATA")
	if home := env("HOME"); runtime.GOOS != "windows" && home != "" {
		dir = filepath.Join(home, ".config")
	}
	if dir != "" {
		s.Login = filepath.Join(dir, "gcloud", "application_default_credentials.json")
	}
	return s
}

// Check returns an error if the credentials file is invalid. It makes no requests.
func (s Source) Check() error {
	if s.Custom != nil {
		return nil
	}
	_, _, err := s.read()
	return err
}

// Locate returns the path of the credentials file, and the project that it or the environment names for requests; each is "" if
// there is none. The error is that of [Source.Check]. It makes no requests.
func (s Source) Locate() (path, project string, err error) {
	data, _, err := s.read()
	if err != nil || data == nil {
		return "", "", err
	}
	var file struct {
		QuotaProject string `json:"quota_project_id"`
		Project      string `json:"project_id"` // of a service account
	}
	_ = json.Unmarshal(data, &file) // typeOf has read it; without the fields, there is no project
	return cmp.Or(s.File, s.Login), strings.TrimSpace(cmp.Or(s.QuotaProject, file.QuotaProject, file.Project)), nil
}

// read returns the content and type of the credentials file, nil if there is no file.
func (s Source) read() (data []byte, kind google.CredentialsType, err error) {
	path := cmp.Or(s.File, s.Login)
	if path == "" {
		return nil, "", nil
	}
	data, err = readFile(path)
	if s.File == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil
	}
	if err == nil {
		kind, err = typeOf(data)
	}
	if err != nil {
		return nil, "", fmt.Errorf("cannot use the credentials file %s: %w", path, err)
	}
	return data, kind, nil
}

func (s Source) scopes() []string {
	if s.Scopes == nil {
		return []string{scope}
	}
	return s.Scopes
}

// account is who tokens are for.
type account struct {
	data         []byte // of the credentials file, nil for the account of this machine
	kind         google.CredentialsType
	quotaProject string
}

// find returns the account of the credentials file, or that of this machine.
func (s Source) find(ctx context.Context) (*account, error) {
	data, kind, err := s.read()
	if s.File == "" && s.Login == "" {
		var found *google.Credentials
		if found, err = google.FindDefaultCredentials(ctx, s.scopes()...); err == nil && found.JSON != nil {
			data = found.JSON
			kind, err = typeOf(data)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case data == nil && !metadata.OnGCE():
		return nil, errors.New("there is no credentials file, and this machine has no service account")
	}
	a := &account{data: data, kind: kind}
	var file struct {
		QuotaProject string `json:"quota_project_id"`
	}
	if json.Unmarshal(data, &file) == nil {
		a.quotaProject = file.QuotaProject
	}
	return a, nil
}

// token requests a token, with the HTTP client in ctx.
func (a *account) token(ctx context.Context, scopes []string) (*oauth2.Token, error) {
	if a.data == nil {
		return machineToken(ctx, metadata.NewClient(nil), scopes)
	}
	found, err := google.CredentialsFromJSONWithType(ctx, a.data, a.kind, scopes...)
	if err != nil {
		return nil, err
	}
	return found.TokenSource.Token()
}

// maxFile is the maximum size of a credentials file in bytes.
const maxFile = 1 << 20

// readFile reads a regular file of at most maxFile bytes. It does not block on other
// files.
func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, cause(err)
	case info.IsDir():
		return nil, errors.New("it is a directory")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("it is larger than %d MB", maxFile>>20)
	}
	return data, cause(err)
}

// cause returns a file error without its operation and path.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// typeOf returns the type of credentials in a file. Its errors do not contain the
// content of the file.
func typeOf(data []byte) (google.CredentialsType, error) {
	var file struct {
		Type       google.CredentialsType `json:"type"`
		Email      string                 `json:"client_email"`
		PrivateKey string                 `json:"private_key"`
		Installed  json.RawMessage        `json:"installed"`
		Web        json.RawMessage        `json:"web"`
	}
	if json.Unmarshal(data, &file) != nil {
		return "", errors.New("it is not a JSON credentials file")
	}
	switch {
	case file.Installed != nil || file.Web != nil:
		return "", errors.New("it describes an OAuth client, which has no credentials")
	case file.Type == "":
		return "", errors.New(`it has no "type"`)
	case !slices.Contains(credentialTypes, file.Type):
		return "", fmt.Errorf("unknown credentials type %.40q", file.Type)
	case file.Type != google.ServiceAccount:
	case file.Email == "":
		return "", errors.New(`the service account has no "client_email"`)
	default:
		if block, _ := pem.Decode([]byte(file.PrivateKey)); block == nil {
			return "", errors.New(`the service account has no "private_key" in PEM form`)
		}
	}
	return file.Type, nil
}

// credentialTypes are the supported types of credentials.
var credentialTypes = []google.CredentialsType{
	google.ServiceAccount, google.AuthorizedUser, google.ExternalAccount, google.ExternalAccountAuthorizedUser, google.ImpersonatedServiceAccount,
}

// MachineTokens returns the tokens of the service account of this machine, from the
// metadata server (at GCE_METADATA_HOST, if set), and the project of the machine, ""
// if unknown. It requests a first token to check the account.
func MachineTokens(ctx context.Context) (tokens Tokens, project string, err error) {
	client := metadata.NewClient(nil)
	token := renew(func(ctx context.Context) (*oauth2.Token, error) { return machineToken(ctx, client, []string{scope}) })
	tokens = func(ctx context.Context) (string, string, error) {
		t, err := token(ctx)
		if err != nil {
			return "", "", err
		}
		return t.AccessToken, "", nil
	}
	if _, _, err := tokens(ctx); err != nil {
		return nil, "", err
	}
	project, _ = client.ProjectIDWithContext(ctx) // optional: the user can set a project
	return tokens, strings.TrimSpace(project), nil
}

// machineToken requests a token from the metadata server.
func machineToken(ctx context.Context, client *metadata.Client, scopes []string) (*oauth2.Token, error) {
	body, err := client.GetWithContext(ctx, "instance/service-accounts/default/token?"+url.Values{"scopes": {strings.Join(scopes, ",")}}.Encode())
	if err != nil {
		return nil, err
	}
	var token struct {
		Value   string `json:"access_token"`
		Seconds int    `json:"expires_in"`
	}
	if json.Unmarshal([]byte(body), &token) != nil || token.Value == "" || strings.ContainsFunc(token.Value, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, errors.New("the metadata server returned no token")
	}
	return &oauth2.Token{AccessToken: token.Value, Expiry: time.Now().Add(time.Duration(token.Seconds) * time.Second)}, nil
}
