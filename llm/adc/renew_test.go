package adc

import (
	"context"
	"errors"
	"testing"
	"time"

	"golang.org/x/oauth2"
)

// A token is fetched again before it ends, and used until then if that fails.
func TestRenew(t *testing.T) {
	t.Parallel()
	var answers []*oauth2.Token // nil fails
	token := renew(func(context.Context) (*oauth2.Token, error) {
		next := answers[0]
		if answers = answers[1:]; next == nil {
			return nil, errors.New("no")
		}
		return next, nil
	})
	life := func(name string, d time.Duration) *oauth2.Token {
		return &oauth2.Token{AccessToken: name, Expiry: time.Now().Add(d)}
	}
	answers = []*oauth2.Token{nil, life("a", time.Minute), nil, life("b", time.Hour), nil}
	for i, want := range []string{"", "a", "a", "b", "b"} {
		got, err := token(t.Context())
		if (err != nil) != (want == "") || err == nil && got.AccessToken != want {
			t.Errorf("%d: %v, %v, want %s", i, got, err, want)
		}
	}
	if len(answers) != 1 {
		t.Errorf("left: %v", answers)
	}
}
