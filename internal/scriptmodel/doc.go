// Package scriptmodel is a language model that answers from a script. It serves
// the vendors' wire protocols on loopback, so that the demo, the acceptance
// scripts and the tests of adapters run the whole program, including HTTP,
// without a key and without a network.
//
// The server is strict: it refuses each request that the vendor would refuse,
// with the vendor's status and error body, and each request with calls and
// results in the wrong order. [Server.Check] reports refused requests and unmet
// expectations.
//
// # Scripts
//
// A script is text with one statement per line. Blank lines and lines that start
// with # are skipped. A statement is a word and its arguments; text is either the
// rest of the line or a JSON string ("two\nlines").
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
// in order. The output of a turn:
//
//	text TEXT              a chunk of the answer
//	think TEXT             a chunk of reasoning
//	call NAME {ARGS}       a function call; the object may go on over lines. Its
//	                       id is NAME_1, NAME_2 ... in the order of the script;
//	                       "call id=X NAME {}" sets it, and sig=BASE64 attaches a
//	                       thought signature
//	fill 5MB [TEXT]        one chunk of this size, TEXT (default x) repeated
//	finish REASON          ends the answer; "finish none" ends it without a
//	                       reason. Without this line the reason is STOP. Reasons
//	                       are Gemini's, which other protocols translate; one in
//	                       lower case is sent as it stands (call f, finish stop)
//	usage prompt=9 candidates=3 cached=2 thoughts=1 tool=1
//	                       token counts; by default they are estimated, "usage
//	                       none" sends none
//
// Misbehavior, at the place of the line:
//
//	delay 300ms            waits
//	hang                   sends nothing until the client closes the connection
//	drop                   breaks the connection
//	cut                    breaks it in the middle of the text, thought or call
//	                       that stands before
//	end                    ends the response at this place
//	fail 429 [CODE] [TEXT] the vendor's error: as the response where nothing was
//	                       sent yet, as a frame of the stream otherwise. CODE is
//	                       a vendor's, RESOURCE_EXHAUSTED or insufficient_quota;
//	                       a protocol that does not know it sends its usual code
//	                       for that status. Without TEXT, or without both,
//	                       the vendor's usual words are used. A text that begins
//	                       like a code is written as a JSON string
//	detail {OBJECT}        adds to the details of the fail before it; where a
//	                       protocol has none, to the error itself, and Gemini's
//	                       retryDelay becomes a header Retry-After
//	header NAME: TEXT      adds a header to the response (before the first chunk)
//	html 502 TEXT          an HTML page, as proxies send them; a
//	                       login page comes with 200
//	comment TEXT           a comment of the stream, as servers send them to keep
//	                       a connection alive
//	null                   a chunk with null instead of its delta
//	frame TEXT             one frame with TEXT for data, JSON or not
//	raw TEXT               only these bytes
//	raw64 BASE64           only these bytes
//
// After frame, raw, drop, cut, hang, end, fail and html nothing is added: a turn that
// ends in one of them has no finish reason and no usage.
//
// Malformed calls:
//
//	call id=none NAME      sends no id; id="" sends an empty one, and id=same
//	                       that of the call before
//	call args=object NAME {}
//	                       arguments as an object where a string belongs, in one
//	                       piece; args=broken sends half of them, and args=empty
//	                       an empty string. Gemini, whose arguments are an object,
//	                       sends a string for broken ones and none for empty ones
//	interleave             the deltas of calls that follow each other in this
//	                       turn are sent by turns
//
// How answers are sent; before the first turn, these lines apply to all turns:
//
//	framing crlf|lf|cr     ends each line of the stream (as the vendor does it:
//	                       crlf for Gemini, else lf)
//	split 7                writes the stream in pieces of so many bytes
//	pace 20ms              waits between chunks
//	rate 500               sends so many chunks a second: one that is late is
//	                       followed by the next ones at once
//	times 3                uses the turn for three requests ("times always"); ids
//	                       of calls get -2, -3 ... from the second use on
//	thoughts FIELD         the field for thoughts in Chat Completions: reasoning_content
//	                       (by default), reasoning ...; "thoughts tags" writes
//	                       <think> around it, into the text
//	interleave             see above
//
// Expectations; a request that does not meet them is refused and fails the check:
//
//	expect prompt TEXT     the user's newest message contains TEXT
//	expect anywhere TEXT   some text of the request contains TEXT
//	expect system TEXT     the system instruction contains TEXT
//	expect media TYPE      the user's newest message has media of this type, such
//	                       as image/png, in it or in its results
//	expect result ID TEXT  the newest message answers call ID, without an error,
//	                       with a result that contains TEXT (may be empty); a
//	                       call that was given no id goes by its function's name
//	expect error ID TEXT   the same, with an error; OpenAI's protocols do not
//	                       distinguish errors from results, so that either word fits there
//	expect tool NAME ...   these tools are declared
//	expect model NAME      this model is asked
//	expect verb NAME       generateContent or streamGenerateContent, in whatever
//	                       way the protocol asks for it
//	expect wire NAME       gemini, openai (Chat Completions), responses, anthropic,
//	                       ollama, text (see below)
//	expect smaller SIZE    the body has fewer bytes than this, such as 100KB
//	expect field PATH TEXT the body has this field, such as messages.0.role, and
//	                       TEXT is in its JSON (may be empty)
//	expect header NAME TEXT
//	                       the request's header contains TEXT
//	expect messages N      there are so many messages, counted as Gemini does: not
//	                       the system's, and those of one side together are one
//	expect not ...         the opposite of the condition
//	when ...               as expect, but a request that does not fit leaves the
//	                       turn to a later one and uses the next turn
//
// And for the whole script, before the first turn:
//
//	key TEXT               the only valid API key (default: any key)
//	key none               requests without a key are accepted
//	context 4096           requests of more than so many tokens are refused
//	refuse NAME [TEXT]     requests with this parameter are refused, as by a model
//	                       that does not know it: temperature, tools,
//	                       stream_options ...; "refuse system" (or developer) is
//	                       of messages of this role. It costs no turn, and is
//	                       nothing that fails the check
//	accept NAME ...        fields that the vendor does not know, and a server that
//	                       is like it does: enable_thinking, reasoning_content ...
//	models NAME ...        the names in the list of models
//
// Texts, arguments and expectations may use earlier values: {{ID}} is the result
// of call ID, {{ID /REGEXP/}} the first group in it that REGEXP matches, and
// {{NAME}} a variable of [Options].Vars. In arguments REGEXP is written without
// JSON escapes.
//
// # Protocols
//
// A server speaks the protocols in [Options].Wires, each of which is a package below
// this one. The path of a request selects the protocol:
//
//	gemini     /v1beta/models/M:generateContent, and Vertex AI's paths
//	openai     /v1/chat/completions, /v1/embeddings, /v1/models, and Azure's paths
//	responses  /v1/responses
//	anthropic  /v1/messages, /v1/messages/count_tokens, /v1/models, and Vertex AI's
//	           paths
//	ollama     /api/chat, /api/embed, /api/show, /api/tags, /api/version; it needs no
//	           key; "refuse" accepts tools, think and images, and removes the
//	           capability from the description of the model; "context" is the
//	           context window
//
// If [Options] list the protocol text before openai, or name it, it replaces openai:
// Chat Completions of a model without tool support, which refuses tools once, writes
// its calls into its text, and gets results as text.
//
// A script means the same in each protocol. A protocol that lacks a feature behaves
// like its vendor: Anthropic sends thoughts, and Responses sends summaries and
// encrypted reasoning, only if the request asks for it; Chat Completions sends no
// signatures. A signature belongs to the thought before the call; if there is none,
// the thought has no text. Thoughts without a signature in the script get one that
// every scripted server accepts as genuine.
//
// A protocol implements [Wire], which checks requests and encodes errors. Its encoder
// encodes one answer. A new protocol is a new package.
package scriptmodel
