package kernel

import "golang.org/x/sys/cpu"

var avx2 = &Set{
	name: "avx2", panel: 16, lanes: 8,
	mulF32: mulF32AVX2x[:], mulI8: mulI8AVX2x[:], colsI8: 16,
	gelu: geluAVX2, geluTanh: geluTanhAVX2, softmax: softmaxAVX2, addNorm: addNormAVX2, quantiser: quantiseAVX2,
}

var avx512 = &Set{
	name: "avx512", panel: 32, lanes: 16,
	mulF32: mulF32AVX512x[:], mulI8: mulI8AVX512x[:], colsI8: 32,
	gelu: geluAVX512, geluTanh: geluTanhAVX512, softmax: softmaxAVX512, addNorm: addNormAVX512, quantiser: quantiseAVX512,
}

// amx is avx512 with the big products in tiles: the same bits, sooner.
var amx = func() *Set {
	s := *avx512
	s.name, s.mulTiles = "amx", [2]mulTilesFunc{mulTilesAMXx1, mulTilesAMXx2}
	return &s
}()

// native lists the assembly sets this processor and its operating system can
// run, best first; x/sys/cpu asks both.
func native() []*Set {
	x := &cpu.X86
	if !x.HasAVX2 || !x.HasFMA {
		return nil
	}
	if x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512VNNI {
		if tilesAllowed() {
			return []*Set{amx, avx512, avx2}
		}
		return []*Set{avx512, avx2}
	}
	return []*Set{avx2}
}
