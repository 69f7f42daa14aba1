package models

import (
	"strings"
	"testing"

	"pollux/internal/auth"
	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
	"pollux/internal/outcome"
	"pollux/llm/catalog"
)

func TestModels(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Check(Command(), []managetest.Case{{Line: "moon", Want: `Unknown provider "moon". The providers are: `, Code: exit.General}})
	p.Check(SessionCommand(), []managetest.Case{
		{Line: "/", Want: "The current model is still gemini-2.5-flash."},
		{Line: "/manage", Want: "The current model is still gemini-2.5-flash."},
		{Line: "/set", Want: "Name one model, as in: /model set gemini-2.5-pro --persist", Code: exit.Input},
		{Line: "/set a b", Want: "Name one model", Code: exit.Input},
		{Line: "/set " + strings.Repeat("x", MaxName+1), Want: "Name one model", Code: exit.Input},
		{Line: "/set gemini-2.5-pro --persist", Want: "Model set to gemini-2.5-pro (persisted)"},
	})
	if p.Session.Models.Current().Model != "gemini-2.5-pro" {
		t.Error(p.Session.Models.Current().Model)
	}
}

// Unknown values of a model are null for programs, and "-" for people.
func TestRows(t *testing.T) {
	t.Parallel()
	rows := newModels([]listing{{account: auth.Account{ConfiguredID: "p"}, models: []catalog.Model{
		{Name: "a\x1b[31m", Input: 200_000, Tools: catalog.Yes, Thinking: catalog.No, Images: catalog.No, Price: &catalog.Price{Input: 0.1 + 0.2, Output: 2}},
		{Name: "b", Efforts: []string{"low", "high"}},
	}}})
	if got := strings.Join(rows[0].cells(), "|"); got != "p/a[31m|200k|-|yes|no|no|0.3|-|2" {
		t.Error(got)
	}
	if got := strings.Join(rows[1].cells(), "|"); got != "p/b|-|-|-|low high|-|-|-|-" {
		t.Error(got)
	}
	var b strings.Builder
	_ = outcome.Encode(&b, rows[1])
	if got := strings.Join(strings.Fields(b.String()), ""); got != `{"provider":"p","model":"b","contextWindow":null,"maxOutput":null,"tools":null,"thinking":null,"efforts":["low","high"],"images":null,"pdf":null,"audio":null,"video":null,"price":null}` {
		t.Error(got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{"fla": "flash", "openai/": "openai/gpt-", "open": "openai/"} {
		names, arePrefixes := Names(typed)
		if len(names) == 0 || !strings.HasPrefix(names[0], want) || arePrefixes != (typed == "open") {
			t.Errorf("%s: %q, %v", typed, names, arePrefixes)
		}
	}
	if ids := Providers("anth"); len(ids) != 1 || !strings.HasPrefix(ids[0], "anthropic\t") {
		t.Errorf("%q", ids)
	}
}
