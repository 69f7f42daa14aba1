// Package journal stores conversations on disk: one file a session, in the place and the format of
// Gemini CLI's session files, so that either program resumes the sessions of the other.
//
// A file consists of lines of JSON, each a record of one change of the history. These rules
// always hold:
//
//   - Lines are only ever appended. No line is changed or removed as long as the session exists.
//   - A change is in the file before the agent acts on it: a prompt before it is sent, a response
//     before its tools run, a result when its call ends.
//   - The history results from the records in their order (see [Load]). A record that cannot be read
//     has no effect on the others. An incomplete last line, which a crash can leave behind, is such a
//     record: the next writer ends it with a line feed.
//   - One process at a time writes a file. It holds a lock on it. If another program has written
//     to it anyway, the journal goes on in a new file.
//   - [Journal.Sync] returns when all records are on the disk. Before that, they survive the end of
//     the process, but not a power failure.
//
// Records, with the members that Pollux writes:
//
//	{"sessionId", "projectHash", "startTime", "lastUpdated", "kind", "pollux"}   the first line
//	{"id", "timestamp", "type", "content", ...}                                 a message; with a known id, its new content
//	{"$set": {...}}                                                             new values of the first line's members
//	{"$set": {"begun": 0}}                                                      the first call of the last response begins
//	{"$set": {"messages": [...]}}                                               the whole history, after a compression
//	{"$rewindTo": "<id>"}                                                       removes this message and all after it
//
// A message of type "user" holds a prompt or the results of tools, one of type "gemini" a response
// with its tool calls, both with the parts as they are sent. One of type "info" describes the tool
// calls whose results precede it, for people, or a request beside the conversation, for statistics; it
// is not a part of the history. While the calls of a response run, such a message also holds the result of
// a call that has ended before the others. It counts if the message with the results of all calls is missing,
// because the process was killed, and then each call without a result began if there is a record of it. A
// response has "tracked" if its calls have these records.
package journal
