// Package answer answers: what do the notes say to this question, and what is it
// worth?
//
// A Question is read for the state that it asks for: the view, the intent, whose
// state, at what time. Resolve takes the notes that recall found, with what was
// learned from them, groups what speaks of the asked state, puts it in order of
// time and gives every row its role and the reason for it. Assemble makes the
// Packet: the requested state first, then what keeps a reader from a mistake,
// under a budget of tokens. Read answers from it by grammar, Write with a language
// model; both cite, and say when it is not known. Explain maps an answer to its
// evidence. Overlay does all of this for rows of another memory.
//
// Nothing here reads a store or a clock; the same input gives the same answer.
//
// Start reading at Resolve in resolve.go, then packet.go and read.go.
package answer
