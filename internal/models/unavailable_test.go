package models_test

import (
	"errors"
	"testing"

	"pollux/internal/models"
	"pollux/llm"
)

// Without a model, every request and every choice of one fails with the reason.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	why := errors.New("no model")
	d := models.Unavailable(why, models.Options{Requested: "auto"})
	req := &llm.Request{Model: "auto"}
	_, generated := d.Generate(t.Context(), req)
	_, counted := d.CountTokens(t.Context(), req)
	_, embedded := d.Embed(t.Context(), "auto", nil)
	_, chosen := d.Choose("other")
	errs := []error{generated, counted, embedded, chosen, d.Unreachable()}
	for _, err := range d.Stream(t.Context(), req) {
		errs = append(errs, err)
	}
	for i, err := range errs {
		if !errors.Is(err, why) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if len(errs) != 6 {
		t.Errorf("%d results of a stream", len(errs)-5)
	}
}
