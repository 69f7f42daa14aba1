// Package scriptmodel is a language model that says what a script tells it to.
// It serves a vendor's wire protocol on loopback, so that the demo, the
// acceptance scripts and the tests of adapters drive the whole program, HTTP
// included, without a key and without a network.
//
// It is strict: a request that the vendor would refuse is refused, with the
// vendor's status and error body, and so is one that breaks the order of calls
// and results. What it refused, and what the script expected in vain, is told
// by [Server.Check].
//
// # Scripts
//
// A script is text, one statement a line. Blank lines are skipped, and so are
// lines that start with #. A statement is a word and what belongs to it; text
// is either the rest of the line as it stands or a JSON string ("two\nlines").
//
//	turn
//	  expect prompt Find the bug
//	  think **Looking** for the place where it goes wrong.
//	  call grep_search {"pattern": "total"}
//	turn
//	  expect result grep_search_1 Found 1 match
//	  text The bug is
//	  text " in total."
//
// Each turn answers one request for content, streamed or not. Turns are used
// in their order. What the model says in a turn:
//
//	text TEXT              a chunk of the answer
//	think TEXT             a chunk of reasoning
//	call NAME {ARGS}       a function call; the object may go on over lines. Its
//	                       id is NAME_1, NAME_2 ... in the order of the script;
//	                       "call id=X NAME {}" sets it, id=none sends none, and
//	                       sig=BASE64 attaches a thought signature
//	fill 5MB [TEXT]        one chunk of this size, TEXT (default x) repeated
//	finish REASON          ends the answer; "finish none" ends it without a
//	                       reason. Without this line the reason is STOP
//	usage prompt=9 candidates=3 cached=2 thoughts=1 tool=1
//	                       token counts; by default they are estimated, "usage
//	                       none" sends none
//
// How it misbehaves, in the place where the line stands:
//
//	delay 300ms            waits
//	hang                   says no more, until the client goes away
//	drop                   breaks the connection
//	fail 429 RESOURCE_EXHAUSTED TEXT
//	                       the vendor's error: as the response where nothing was
//	                       said yet, as a frame of the stream otherwise
//	detail {OBJECT}        adds to the details of the fail before it
//	header NAME: TEXT      adds a header to the response (before the first chunk)
//	html 502 TEXT          a page that no vendor wrote, as proxies send them
//	frame TEXT             one frame with TEXT for data, JSON or not
//	raw TEXT               these bytes and no more
//	raw64 BASE64           these bytes and no more
//
// After frame, raw, drop, hang, fail and html nothing is added: a turn that
// ends in one of them has no finish reason and no usage.
//
// How it sends; before the first turn these lines hold for all turns:
//
//	framing crlf|lf|cr     what ends a line of the stream (crlf)
//	split 7                writes the stream in pieces of so many bytes
//	pace 20ms              waits between chunks
//	times 3                uses the turn for three requests ("times always"); ids
//	                       of calls get -2, -3 ... from the second use on
//
// What it expects; a request that does not fit is refused and fails the check:
//
//	expect prompt TEXT     the user's newest message contains TEXT
//	expect anywhere TEXT   some text of the request contains TEXT
//	expect system TEXT     the system instruction contains TEXT
//	expect result ID TEXT  the newest message answers call ID, without an error,
//	                       with a result that contains TEXT (may be empty); a
//	                       call that was given no id goes by its function's name
//	expect error ID TEXT   the same, with an error
//	expect tool NAME ...   these tools are declared
//	expect model NAME      this model is asked
//	expect verb NAME       generateContent or streamGenerateContent
//	expect header NAME TEXT
//	                       the request's header contains TEXT
//	expect messages N      there are so many messages
//	expect not ...         none of that is so
//	when ...               as expect, but a request that does not fit leaves the
//	                       turn to a later one and uses the next turn
//
// And for the whole script, before the first turn:
//
//	key TEXT               the only API key that is let in (any, by default)
//	key none               requests without a key are let in
//	context 4096           requests of more than so many tokens are refused
//
// Texts, arguments and expectations may use earlier values: {{ID}} is the result
// of call ID, {{ID /REGEXP/}} the first group in it that REGEXP matches, and
// {{NAME}} a variable given to the server. In arguments REGEXP stands as it is,
// with no JSON escapes.
//
// # Protocols
//
// The server tells the protocol by the path of a request. A protocol is a
// [wire]: what it accepts, how it frames an answer, how it words an error.
// Gemini's, with Vertex's paths, is there; another one is another file.
package scriptmodel
