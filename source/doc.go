// Package source answers: what did people say, whatever file it is in?
//
// It reads the exports that people really have (chats as JSON, ChatGPT, Claude,
// WhatsApp, LoCoMo, LongMemEval, mem0), and documents (Markdown, text, PDF), and
// yields notes. It keeps nothing and calls no model. Three promises hold for
// every format:
//
//   - The same file gives the same notes with the same ids, whenever it is read; a
//     later export of the same chat gives the old notes again and the new ones.
//   - Nothing is lost without a word: what is broken is a *BadRecord with its
//     position, and what is left out by design (a hidden message, an abandoned
//     branch) is counted under its reason.
//   - What the file does not say (a time, a session) is marked as Assumed.
//
// Start reading at Open, then Source.Records; each format is one file.
package source
