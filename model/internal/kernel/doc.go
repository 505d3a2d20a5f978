// Package kernel answers: how fast can this processor multiply the encoder's
// matrices, and does every processor get the same numbers?
//
// A [Set] is one implementation of all primitives: AVX-512 with VNNI, the same
// with the products in AMX tiles, AVX2 with FMA, or plain Go. [Choose] picks one. The assembly is written by the generator
// in gen and kept beside it; the wrappers in this package check every bound
// before they call it, because assembly checks none.
//
// There is one quantisation, the same on every processor, so that vectors made
// on different machines may be compared: weights are int8 with a scale per
// column, activations are seven-bit bytes (0…127) with a scale and a low end per
// row, x ≈ low + scale·byte. Seven bits keep the AVX2 instructions from
// saturating; an affine range loses less than a symmetric one because the
// activations are skewed. Integer sums are exact and equal in all sets; floats
// around them may differ in the last bits.
//
// Start reading at [Set].
package kernel

//go:generate go run ./gen
