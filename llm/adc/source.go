package adc

import (
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

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"
	"cloud.google.com/go/compute/metadata"
)

// Source is the location of credentials. The zero Source searches all places that
// Google's libraries search, using the environment of the process.
type Source struct {
	// File is the path of a credentials file, "" for none. Login is the path of the
	// file that gcloud writes at login, which may not exist. Without either, Google's
	// library searches its default places, including the metadata server.
	File, Login string
	// Scopes are the scopes of the tokens, nil for the scope of all of Google Cloud.
	Scopes []string
	// Custom, if not nil, provides the tokens instead.
	Custom Tokens
}

// FromEnv returns the source that environment variables name.
func FromEnv(env func(name string) string) Source {
	s := Source{File: strings.TrimSpace(env("GOOGLE_APPLICATION_CREDENTIALS"))}
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

// read returns the content and type of the credentials file, nil if there is no file.
func (s Source) read() (data []byte, kind credentials.CredType, err error) {
	path := s.File
	if path == "" {
		path = s.Login
	}
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

// detect returns the credentials.
func (s Source) detect(o *credentials.DetectOptions) (*auth.Credentials, error) {
	data, kind, err := s.read()
	switch {
	case err != nil:
		return nil, err
	case data == nil:
		return credentials.DetectDefault(o)
	}
	return credentials.NewCredentialsFromJSON(kind, data, o)
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
func typeOf(data []byte) (credentials.CredType, error) {
	var file struct {
		Type       credentials.CredType `json:"type"`
		Email      string               `json:"client_email"`
		PrivateKey string               `json:"private_key"`
		Installed  json.RawMessage      `json:"installed"`
		Web        json.RawMessage      `json:"web"`
	}
	if json.Unmarshal(data, &file) != nil {
		return "", errors.New("it is not a JSON credentials file")
	}
	switch {
	case file.Type == "" && (file.Installed != nil || file.Web != nil):
		return "", errors.New("it describes an OAuth client, which has no credentials")
	case file.Type == "":
		return "", errors.New(`it has no "type"`)
	case !slices.Contains(credentialTypes, file.Type):
		return "", fmt.Errorf("unknown credentials type %.40q", file.Type)
	case file.Type != credentials.ServiceAccount:
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
var credentialTypes = []credentials.CredType{
	credentials.ServiceAccount, credentials.AuthorizedUser, credentials.ExternalAccount,
	credentials.ExternalAccountAuthorizedUser, credentials.ImpersonatedServiceAccount, credentials.GDCHServiceAccount,
}

// MachineTokens returns the tokens of the service account of this machine, from the
// metadata server (at GCE_METADATA_HOST, if set), and the project of the machine, ""
// if unknown. It requests a first token to check the account.
func MachineTokens(ctx context.Context) (tokens Tokens, project string, err error) {
	client := metadata.NewClient(nil)
	cached := auth.NewCachedTokenProvider(metadataTokens{client}, &auth.CachedTokenProviderOptions{DisableAsyncRefresh: true})
	tokens = func(ctx context.Context) (string, string, error) {
		token, err := cached.Token(ctx)
		if err != nil {
			return "", "", err
		}
		return token.Value, "", nil
	}
	if _, _, err := tokens(ctx); err != nil {
		return nil, "", err
	}
	project, _ = client.ProjectIDWithContext(ctx) // optional: the user can set a project
	return tokens, strings.TrimSpace(project), nil
}

// metadataTokens requests tokens from the metadata server.
type metadataTokens struct{ client *metadata.Client }

// Token implements [auth.TokenProvider].
func (m metadataTokens) Token(ctx context.Context) (*auth.Token, error) {
	body, err := m.client.GetWithContext(ctx, "instance/service-accounts/default/token?"+url.Values{"scopes": {scope}}.Encode())
	if err != nil {
		return nil, err
	}
	var token struct {
		Value   string `json:"access_token"`
		Type    string `json:"token_type"`
		Seconds int    `json:"expires_in"`
	}
	if json.Unmarshal([]byte(body), &token) != nil || token.Value == "" || strings.ContainsFunc(token.Value, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, errors.New("the metadata server returned no token")
	}
	return &auth.Token{Value: token.Value, Type: token.Type, Expiry: time.Now().Add(time.Duration(token.Seconds) * time.Second)}, nil
}
