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

// Source says where the credentials are. The zero Source is all the places in which
// Google's libraries look, by the environment of the process.
type Source struct {
	// File is a file of credentials, "" for none, and Login the one that gcloud's login
	// leaves, which need not be there. Without either the machine itself is asked, which
	// may be one of Google's.
	File, Login string
	// Given, where set, are the tokens.
	Given Tokens
}

// From returns the source that an environment names.
func From(env func(name string) string) Source {
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

// Check says what is wrong with the file of credentials, if there is one: all that can
// be known without asking Google.
func (s Source) Check() error {
	if s.Given != nil {
		return nil
	}
	_, _, err := s.read()
	return err
}

// read returns what the file has, and of which kind it is; nothing if there is none.
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
		kind, err = kindOf(data)
	}
	if err != nil {
		return nil, "", fmt.Errorf("the credentials file %s cannot be used: %w", path, err)
	}
	return data, kind, nil
}

// find looks for the credentials.
func (s Source) find(o *credentials.DetectOptions) (*auth.Credentials, error) {
	data, kind, err := s.read()
	switch {
	case err != nil:
		return nil, err
	case data == nil:
		return credentials.DetectDefault(o)
	}
	return credentials.NewCredentialsFromJSON(kind, data, o)
}

// maxFile bounds a file of credentials, in bytes.
const maxFile = 1 << 20

// readFile reads a regular file of no more than maxFile bytes, and waits for nothing.
func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, bare(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, bare(err)
	case info.IsDir():
		return nil, errors.New("it is a directory")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("it is larger than %d MB", maxFile>>20)
	}
	return data, bare(err)
}

// bare takes the operation and the path off a file error.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// kindOf returns the kind of credentials that a file holds. What it holds is not
// repeated in errors.
func kindOf(data []byte) (credentials.CredType, error) {
	var file struct {
		Type       credentials.CredType `json:"type"`
		Email      string               `json:"client_email"`
		PrivateKey string               `json:"private_key"`
		Installed  json.RawMessage      `json:"installed"`
		Web        json.RawMessage      `json:"web"`
	}
	if json.Unmarshal(data, &file) != nil {
		return "", errors.New("it is not JSON of credentials")
	}
	switch {
	case file.Type == "" && (file.Installed != nil || file.Web != nil):
		return "", errors.New("it is of an OAuth client, which has no credentials")
	case file.Type == "":
		return "", errors.New(`it has no "type"`)
	case !slices.Contains(kinds, file.Type):
		return "", fmt.Errorf("credentials of the type %.40q are not known", file.Type)
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

var kinds = []credentials.CredType{
	credentials.ServiceAccount, credentials.AuthorizedUser, credentials.ExternalAccount,
	credentials.ExternalAccountAuthorizedUser, credentials.ImpersonatedServiceAccount, credentials.GDCHServiceAccount,
}

// Machine returns the tokens of the machine's own account, which its metadata server
// gives out (at GCE_METADATA_HOST, if that is set), and the project that it belongs to,
// "" if that cannot be known. The first token has been asked for.
func Machine(ctx context.Context) (tokens Tokens, project string, err error) {
	client := metadata.NewClient(nil)
	cached := auth.NewCachedTokenProvider(machine{client}, &auth.CachedTokenProviderOptions{DisableAsyncRefresh: true})
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
	project, _ = client.ProjectIDWithContext(ctx) // the user can name another
	return tokens, strings.TrimSpace(project), nil
}

type machine struct{ client *metadata.Client }

// Token implements [auth.TokenProvider].
func (m machine) Token(ctx context.Context) (*auth.Token, error) {
	said, err := m.client.GetWithContext(ctx, "instance/service-accounts/default/token?"+url.Values{"scopes": {scope}}.Encode())
	if err != nil {
		return nil, err
	}
	var token struct {
		Value   string `json:"access_token"`
		Type    string `json:"token_type"`
		Seconds int    `json:"expires_in"`
	}
	if json.Unmarshal([]byte(said), &token) != nil || token.Value == "" || strings.ContainsFunc(token.Value, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, errors.New("what the metadata server says is no token")
	}
	return &auth.Token{Value: token.Value, Type: token.Type, Expiry: time.Now().Add(time.Duration(token.Seconds) * time.Second)}, nil
}
