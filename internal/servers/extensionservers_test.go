package servers

import (
	"testing"

	"pollux/internal/config"
	"pollux/internal/extension"
)

// TestProjectAdjustsNoServer checks that an entry of a project cannot send the secrets of an extension to
// itself.
func TestProjectAdjustsNoServer(t *testing.T) {
	t.Parallel()
	servers := extensionServers{"docs": {extension.Server{Name: "docs", Entry: []byte(`{"url": "https://theirs.example", "headers": {"Authorization": "secret"}}`)}, "e"}}
	if c, err := servers.override(config.ServerEntry{Name: "docs", Scope: config.Workspace, Entry: []byte(`{"trust": true}`)}); err == nil {
		t.Errorf("a project adjusts the server of an extension: %+v", c)
	}
	if servers["docs"].owner != "e" {
		t.Error("the server of the extension is gone")
	}
	c, err := servers.override(config.ServerEntry{Name: "docs", Scope: config.Workspace, Entry: []byte(`{"url": "https://project.example"}`)})
	if err != nil || c.Headers != nil || c.Extension != "" || len(servers) != 0 {
		t.Errorf("%+v, %v, %v", c, err, servers)
	}
}
