// Package mcp answers: how does an agent that speaks the Model Context Protocol use
// a memory?
//
// A Door makes one server for each caller: the caller's Reach says whose memory it
// is, whether the calls may name the user themselves, and whether they may write.
// The same server runs over standard input and output (daybook mcp) and over
// streamable HTTP (daybook serve). There are eight tools, two resources and one prompt;
// each tool has a file or shares one with its neighbours, decodes its arguments, calls
// the engine once, and says the result twice: as a structure with a schema, and as a
// text in which everything that people wrote stands between quotation marks.
//
// Start reading at Door.server in server.go, then recall.go.
package mcp
