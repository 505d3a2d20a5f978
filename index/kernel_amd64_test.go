package index

import "testing"

// The assembly for processors without AVX-512 gives the same numbers.
func TestAssemblyWithoutVNNI(t *testing.T) {
	if !hasVNNI {
		t.Skip("SKIPPED, THERE IS NOTHING TO COMPARE: this processor has no AVX-512 VNNI")
	}
	hasVNNI = false
	defer func() { hasVNNI = true }()
	t.Run("assembly", TestAssembly)
	t.Run("overflow", TestSketchesDoNotOverflow)
}
