package adc_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/adc"
)

func TestAuthorize(t *testing.T) {
	t.Parallel()
	pays := adc.Tokens(func(context.Context) (string, string, error) { return "t", "payer", nil })
	for name, c := range map[string]struct {
		tokens adc.Tokens
		has    http.Header
		want   http.Header
	}{
		"given":         {adc.TokenFunc(func(context.Context) (string, error) { return "mine", nil }), http.Header{}, http.Header{"Authorization": {"Bearer mine"}}},
		"who pays":      {pays, http.Header{}, http.Header{"Authorization": {"Bearer t"}, "X-Goog-User-Project": {"payer"}}},
		"another pays":  {pays, http.Header{"X-Goog-User-Project": {"me"}}, http.Header{"Authorization": {"Bearer t"}, "X-Goog-User-Project": {"me"}}},
		"there already": {nil, http.Header{"Authorization": {"Basic x"}}, http.Header{"Authorization": {"Basic x"}}},
	} {
		if err := c.tokens.Authorize(t.Context(), c.has); err != nil || !reflect.DeepEqual(c.has, c.want) {
			t.Errorf("%s: %v, %v", name, c.has, err)
		}
	}
}

func TestNoCredentials(t *testing.T) {
	t.Parallel()
	no := errors.New("no file")
	fails := adc.Source{}.Tokens(func() (*http.Client, error) { return nil, no })
	err := fails.Authorize(t.Context(), http.Header{})
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindUnauthorized || !errors.Is(err, no) || e.Link == "" ||
		!strings.HasPrefix(e.Message, "Could not load the default credentials. ") {
		t.Errorf("%#v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(no)
	if err := fails.Authorize(ctx, http.Header{}); err != no {
		t.Errorf("cancelled: %v", err)
	}
}

func TestIsLocation(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"global": true, "us-central1": true, "": false, "a.b": false, "a/b": false, "a:1": false, "a@b": false, "a?b": false, "a#b": false, "\u00e4": false,
	} {
		if got := adc.IsLocation(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
