// Package checkpoint answers: can this folder of somebody else's weights run in
// our encoder, and what exactly is in it?
//
// [Read] takes a Hugging Face folder (config.json, model.safetensors and
// tokenizer.json or vocab.txt), or an ONNX or safetensors file with what belongs to
// it beside it, and gives a bert.Checkpoint. Everything is read with bounds in mind: bytes that
// are cut short or garbled are Corrupt, an architecture the encoder does not
// have is Invalid and the error names what is missing.
//
// Start reading at [Read].
package checkpoint
