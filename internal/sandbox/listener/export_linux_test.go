package listener

// ParseListening is parseListening.
var ParseListening = parseListening
