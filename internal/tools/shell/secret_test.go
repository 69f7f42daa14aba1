package shell

import "testing"

func TestSecret(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, value string
		want        bool
	}{
		{"GITHUB_TOKEN", "x", true},
		{"my_password", "x", true},
		{"NOTE", "AIzaSy0123456789abcdefghijklmnopqrstuvw", true},
		{"NOTE", "https://me:word@host/", true},
		{"HOME", "/home/me", false},
		{"PYTHONPATH", "/lib", false}, // kept from commands, but no secret
	} {
		if got := Secret(tt.name, tt.value); got != tt.want {
			t.Errorf("Secret(%s, %s) = %v", tt.name, tt.value, got)
		}
	}
}
