package ollama

import "testing"

func TestAddress(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                               "http://127.0.0.1:11434",
		" \"127.0.0.1:11434\"\n":         "http://127.0.0.1:11434",
		"0.0.0.0":                        "http://127.0.0.1:11434",
		"0.0.0.0:8080":                   "http://127.0.0.1:8080",
		":8080":                          "http://127.0.0.1:8080",
		"::":                             "http://127.0.0.1:11434",
		"[::]:8080":                      "http://127.0.0.1:8080",
		"::1":                            "http://[::1]:11434",
		"[::1]":                          "http://[::1]:11434",
		"[::1]:8080":                     "http://[::1]:8080",
		"gpu.example":                    "http://gpu.example:11434",
		"gpu.example:1":                  "http://gpu.example:1",
		"gpu.example/":                   "http://gpu.example:11434",
		"gpu.example/ollama/":            "http://gpu.example:11434/ollama",
		"http://gpu.example":             "http://gpu.example",
		"http://gpu.example:1":           "http://gpu.example:1",
		"http://gpu.example:1/":          "http://gpu.example:1",
		"http://gpu.example:1/v1":        "http://gpu.example:1",
		"http://gpu.example:1/v1/":       "http://gpu.example:1",
		"http://gpu.example:1/api":       "http://gpu.example:1",
		"http://gpu.example:1/api/chat":  "http://gpu.example:1",
		"http://gpu.example/x/api/":      "http://gpu.example/x",
		"http://[::1]":                   "http://[::1]",
		"https://gpu.example":            "https://gpu.example",
		"https://0.0.0.0":                "https://127.0.0.1",
		"ollama.com":                     "https://ollama.com",
		"https://ollama.com/v1":          "https://ollama.com",
		"http://h:1/v1/chat/completions": "http://h:1",
		"ftp://gpu.example":              "",
		"http://":                        "",
		"gpu.example:port":               "",
		"http://%":                       "",
		"unix:///var/run/ollama.sock":    "",
	} {
		u, err := parseAddress(in)
		if err != nil && want != "" || err == nil && u.String() != want {
			t.Errorf("%q: %v, %v, want %s", in, u, err, want)
		}
	}
}
