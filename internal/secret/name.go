package secret

import "strings"

// InName reports whether the name of a variable, a flag, a header, a parameter or a member is one of a secret.
// It compares whole words, which "_", "-", "." and changes of case separate: DB_PASS, dbPass and --db-pass are
// one name, and COMPASS, MONKEY and AUTHOR are none.
func InName(name string) bool {
	if !mayBeSecret(name) {
		return false
	}
	words := split(name)
	switch last := len(words) - 1; {
	case last < 0, isSetting(words[last]):
		return false
	case last == 0 && (words[0] == "PWD" || words[0] == "OLDPWD"): // the working directory in shells
		return false
	}
	for i, word := range words {
		switch {
		case strings.HasPrefix(word, "TOKEN") && countsTokens(words):
		case (word == "KEY" || word == "KEYS") && i+1 < len(words) && isOfKeyboard(words[i+1]):
		case isSecretWord(word), hasSecretPart(word):
			return true
		}
	}
	return isAddress(words)
}

// mayBeSecret reports whether a name has letters of one of the words that are looked for. Most names have none.
func mayBeSecret(name string) bool {
	var last uint32 // the three letters before, in upper case
	for i := range len(name) {
		c := name[i]
		if c >= 0x80 {
			return true
		}
		last = last<<8&0xFFFFFF | uint32(c&^0x20)
		switch last {
		case 'K'<<16 | 'E'<<8 | 'Y', 'T'<<16 | 'O'<<8 | 'K', 'S'<<16 | 'E'<<8 | 'C', 'P'<<16 | 'A'<<8 | 'S', 'A'<<16 | 'U'<<8 | 'T', 'R'<<16 | 'E'<<8 | 'D',
			'I'<<16 | 'V'<<8 | 'A', 'C'<<16 | 'E'<<8 | 'R', 'O'<<16 | 'O'<<8 | 'K', 'J'<<16 | 'W'<<8 | 'T', 'P'<<16 | 'A'<<8 | 'T', 'B'<<16 | 'E'<<8 | 'A',
			'D'<<16 | 'S'<<8 | 'N', 'S'<<16 | 'A'<<8 | 'L', 'P'<<16 | 'E'<<8 | 'P', 'H'<<16 | 'M'<<8 | 'A', 'O'<<16 | 'T'<<8 | 'P', 'P'<<16 | 'I'<<8 | 'N',
			'C'<<16 | 'V'<<8 | 'V', 'M'<<16 | 'N'<<8 | 'E', 'S'<<16 | 'I'<<8 | 'G', 'S'<<16 | 'A'<<8 | 'S', 'W'<<16 | 'E'<<8 | 'B', 'N'<<16 | 'E'<<8 | 'T',
			'K'<<16 | 'U'<<8 | 'B', 'U'<<16 | 'R'<<8 | 'L', 'U'<<16 | 'R'<<8 | 'I', 'O'<<16 | 'N'<<8 | 'N', 'K'<<16 | 'E'<<8 | 'N':
			return true
		}
		if last&0xFFFF == 'P'<<8|'W' {
			return true
		}
	}
	return false
}

// isPlainlySecret reports whether a name leaves no doubt that its value is a secret: also the names of members
// in program text and documents, where "key" and "auth" mean much else.
func isPlainlySecret(name string) bool {
	if !InName(name) {
		return false
	}
	words := split(name)
	for i, word := range words {
		switch word {
		case "KEY", "KEYS":
			if i > 0 && isKeyKind(words[i-1]) {
				return true
			}
		case "AUTH", "PRIVATE", "CERT", "CERTS", "CERTIFICATE", "SIG", "SIGNATURE", "SALT", "PIN", "PASS", "PAT", "PW", "SAS", "OTP", "WEBHOOK", "WEBHOOKS":
		default:
			if isSecretWord(word) || hasSecretPart(word) && !strings.HasSuffix(word, "KEY") || strings.HasSuffix(word, "APIKEY") {
				return true
			}
		}
	}
	return false
}

// split returns the words of a name in upper case, without the digits at the end of each.
func split(name string) []string {
	const longest = 128 // bytes of a name
	name = strings.Trim(name, " \t:\"'-$")
	if len(name) > longest {
		name = name[len(name)-longest:]
	}
	upper := strings.ToUpper(name)
	if len(upper) != len(name) { // of a letter that is not ASCII
		name = upper
	}
	words := make([]string, 0, 8)
	begin := 0
	add := func(end int) {
		if word := strings.TrimRight(upper[begin:end], "0123456789"); word != "" {
			words = append(words, word)
		}
	}
	for i := range len(name) {
		c := name[i]
		switch {
		case !isAlnum(c):
			add(i)
			begin = i + 1
		case i > begin && isUpper(c) && (!isUpper(name[i-1]) || i+1 < len(name) && isLower(name[i+1])):
			add(i)
			begin = i
		}
	}
	add(len(name))
	return words
}

func isSecretWord(word string) bool {
	switch word {
	case "TOKEN", "TOKENS", "SECRET", "SECRETS", "PASSWORD", "PASSWORDS", "PASSWD", "PASSPHRASE", "PASSCODE", "PASS", "PWD", "PW",
		"KEY", "KEYS", "AUTH", "AUTHORIZATION", "XAUTHORITY", "CREDENTIAL", "CREDENTIALS", "CRED", "CREDS", "PRIVATE", "CERT", "CERTS", "CERTIFICATE",
		"COOKIE", "COOKIES", "JWT", "PAT", "BEARER", "DSN", "SALT", "PEPPER", "HMAC", "OTP", "TOTP", "PIN", "CVV", "MNEMONIC",
		"SIG", "SIGNATURE", "SAS", "WEBHOOK", "WEBHOOKS", "NETRC", "KUBECONFIG", "PGPASS", "HTPASSWD":
		return true
	}
	return false
}

// hasSecretPart reports whether a word is made of several, one of which names a secret, such as PGPASSWORD and
// APIKEY.
func hasSecretPart(word string) bool {
	for _, part := range [...]string{"PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY", "ACCESSKEY", "PRIVATEKEY", "SECRET", "CONNECTIONSTRING", "CONNSTR"} {
		if strings.Contains(word, part) {
			return !strings.HasPrefix(word, "SECRETAR")
		}
	}
	for _, end := range [...]string{"TOKEN", "COOKIE", "COOKIES", "KEY", "PASS", "PWD", "DSN", "JWT", "CREDS", "AUTH"} {
		if strings.HasSuffix(word, end) {
			return !isOrdinary(word)
		}
	}
	return false
}

// isOrdinary reports whether a word only ends like one that names a secret.
func isOrdinary(word string) bool {
	switch word {
	case "MONKEY", "DONKEY", "TURKEY", "HOCKEY", "JOCKEY", "WHISKEY", "HOTKEY", "VALKEY",
		"COMPASS", "BYPASS", "ASKPASS", "TRESPASS", "SURPASS", "ENCOMPASS", "OVERPASS", "UNDERPASS",
		"OLDPWD", "OAUTH", "PREAUTH", "UNAUTH":
		return true
	}
	return false
}

// isSetting reports whether the last word of a name names the description of a secret, not a
// secret.
func isSetting(last string) bool {
	switch last {
	case "TYPE", "MODE", "METHOD", "MECHANISM", "ENABLED", "DISABLED", "ALGORITHM", "ALG", "FORMAT", "TTL", "TIMEOUT", "EXPIRY", "EXPIRES", "EXPIRATION",
		"LENGTH", "SIZE", "COUNT", "VAR", "VARS", "HEADER", "LIMIT", "BUDGET", "USAGE", "VERSION", "POLICY", "ROTATION", "PARALLELISM", "THROUGH", "RATE":
		return true
	}
	return false
}

// countsTokens reports whether a name is about units of text, or about a position in a list.
func countsTokens(words []string) bool {
	for _, word := range words {
		switch word {
		case "MAX", "MIN", "NUM", "NUMBER", "COUNT", "OUTPUT", "INPUT", "CONTEXT", "THINKING", "TOTAL", "PROMPT", "COMPLETION", "CACHED", "PER",
			"PAGE", "NEXT", "SYNC", "CONTINUATION":
			return true
		}
	}
	return false
}

// isOfKeyboard reports whether a word after KEY names a key of a keyboard.
func isOfKeyboard(word string) bool {
	switch word {
	case "BINDING", "BINDINGS", "MAP", "MAPS", "CODE", "CODES", "REPEAT", "DELAY", "BOARD", "PRESS", "DOWN", "UP":
		return true
	}
	return false
}

// isKeyKind reports whether a word before KEY makes the key a secret.
func isKeyKind(word string) bool {
	switch word {
	case "API", "ACCESS", "SECRET", "PRIVATE", "SIGNING", "ENCRYPTION", "MASTER", "ACCOUNT", "SHARED", "AUTH", "SERVICE", "APP", "LICENSE", "DEPLOY", "SSH":
		return true
	}
	return false
}

// isAddress reports whether a name is that of the address of a service that asks for a password, which is
// usually in the address.
func isAddress(words []string) bool {
	for i, word := range words[:len(words)-1] {
		if word == "CONNECTION" || word == "CONN" {
			switch words[i+1] {
			case "STRING", "STRINGS", "STR", "URL", "URI":
				return true
			}
		}
	}
	last := words[len(words)-1]
	for _, end := range [...]string{"URLS", "URL", "URI", "BACKEND"} {
		service, ok := strings.CutSuffix(last, end)
		switch {
		case !ok:
		case service != "":
			return isService(service)
		default:
			for _, word := range words[:len(words)-1] {
				if isService(word) {
					return true
				}
			}
		}
	}
	return false
}

// isService reports whether a word names a kind of service that asks for a password.
func isService(word string) bool {
	switch word {
	case "DATABASE", "DB", "SQL", "REDIS", "VALKEY", "MONGO", "MONGODB", "POSTGRES", "POSTGRESQL", "PG", "PGBOUNCER", "MYSQL", "MARIADB", "MSSQL", "SQLSERVER", "ORACLE",
		"AMQP", "RABBITMQ", "CLOUDAMQP", "BROKER", "CELERY", "NATS", "KAFKA", "ELASTIC", "ELASTICSEARCH", "OPENSEARCH", "CLICKHOUSE", "CASSANDRA", "NEO", "NEO4J",
		"JDBC", "ODBC", "JAWSDB", "CLEARDB", "UPSTASH", "MEMCACHED", "MEMCACHIER", "INFLUX", "INFLUXDB", "COUCHDB", "COCKROACH", "COCKROACHDB", "TURSO", "LIBSQL",
		"SMTP", "MAILER", "EMAIL", "IMAP", "LDAP", "KV", "CACHE", "PRISMA", "DIRECT", "SHADOW":
		return true
	}
	return false
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlnum(c byte) bool { return isUpper(c) || isLower(c) || isDigit(c) }
func isWord(c byte) bool  { return isAlnum(c) || c == '_' }
