package main

import "math"

// The constants of the vector functions. expLow keeps results so far above the
// smallest normal number that softmax's division cannot make a subnormal of
// them, which would cost a hundred cycles each. exp is Cephes' expf polynomial, erf
// is Abramowitz and Stegun 7.1.26 (absolute error below 1.5e-7).
var floats = []struct {
	name  string
	value float32
}{
	{"expLow", -80}, {"expHigh", 88.3}, {"log2e", 1.44269504088896341}, {"ln2hi", 0.693359375}, {"ln2lo", -2.12194440e-4},
	{"e0", 1.9875691500e-4}, {"e1", 1.3981999507e-3}, {"e2", 8.3334519073e-3},
	{"e3", 4.1665795894e-2}, {"e4", 1.6666665459e-1}, {"e5", 5.0000001201e-1},
	{"one", 1}, {"half", 0.5}, {"rsqrt2", 0.70710678118654752}, {"erfp", 0.3275911},
	{"a1", 0.254829592}, {"a2", -0.284496736}, {"a3", 1.421413741}, {"a4", -1.453152027}, {"a5", 1.061405429},
	{"tanhA", -2 * 0.7978845608028654}, {"tanhB", -2 * 0.7978845608028654 * 0.044715},
	{"levels", 127}, {"tiny", 1e-30},
}

func c(name string) string { return "·c_" + name + "(SB)" }

func (a *asm) constants() {
	for _, k := range floats {
		a.constant("c_"+k.name, math.Float32bits(k.value))
	}
	a.constant("c_abs", 0x7fffffff)
	a.constant("c_127", 127)
	a.constant("ones16", 0x00010001)
	for i, lane := range []int{0, 4, 1, 5, 2, 6, 3, 7} {
		a.p("DATA ·packOrder+%d(SB)/4, $%d", i*4, lane)
	}
	a.p("GLOBL ·packOrder(SB), RODATA|NOPTR, $32")
}

// constant writes bits sixteen times: one full register of either family.
func (a *asm) constant(name string, bits uint32) {
	for i := range 8 {
		a.p("DATA ·%s+%d(SB)/8, $0x%08x%08x", name, i*8, bits, bits)
	}
	a.p("GLOBL ·%s(SB), RODATA|NOPTR, $64", name)
}

// exp writes x = exp(x); t and u are scratch.
func (a *asm) exp(f family, x, t, u string) {
	a.p("\tVMAXPS %s, %s, %s\n\tVMULPS %s, %s, %s", c("expLow"), x, x, c("log2e"), x, t)
	a.p("\t%s $8, %s, %s", map[string]string{"Y": "VROUNDPS", "Z": "VRNDSCALEPS"}[f.reg], t, t)
	a.p("\tVFNMADD231PS %s, %s, %s\n\tVFNMADD231PS %s, %s, %s", c("ln2hi"), t, x, c("ln2lo"), t, x)
	a.p("\tVCVTPS2DQ %s, %s\n\tVPADDD %s, %s, %s\n\tVPSLLD $23, %s, %s", t, t, c("127"), t, t, t, t)
	a.p("\tVMOVUPS %s, %s", c("e0"), u)
	for _, k := range []string{"e1", "e2", "e3", "e4", "e5", "one", "one"} {
		a.p("\tVFMADD213PS %s, %s, %s", c(k), x, u)
	}
	a.p("\tVMULPS %s, %s, %s", t, u, x)
}

// reciprocal writes x = 1/x, a quick guess with one Newton step: far cheaper
// than a division and as good in float32. t and u are scratch.
func (a *asm) reciprocal(f family, x, t, u string) {
	a.p("\t%s %s, %s", map[string]string{"Y": "VRCPPS", "Z": "VRCP14PS"}[f.reg], x, t)
	a.p("\tVMOVUPS %s, %s\n\tVFNMADD231PS %s, %s, %s", c("one"), u, t, x, u) // u = 1 − x·t
	a.p("\tVMOVAPS %s, %s\n\tVFMADD231PS %s, %s, %s", t, x, u, t, x)         // x = t + t·u
}

func (a *asm) gelu(f family) {
	a.fn("gelu"+f.name, "x *float32, n int", 16)
	a.load("x+0", "SI", "n+8", "CX")
	r := f.r
	a.p("loop:\n\tVMOVUPS (SI), %s\n\tVANDPS %s, %s, %s", r(0), c("abs"), r(0), r(1))
	a.p("\tVMULPS %s, %s, %s", c("rsqrt2"), r(1), r(2))
	a.p("\tVMOVUPS %s, %s\n\tVMOVAPS %s, %s", c("one"), r(3), r(3), r(7))
	a.p("\tVFMADD231PS %s, %s, %s", c("erfp"), r(2), r(3))
	a.reciprocal(f, r(3), r(8), r(9))
	a.p("\tVMULPS %s, %s, %s\n\tVXORPS %s, %s, %s\n\tVSUBPS %s, %s, %s", r(2), r(2), r(4), r(5), r(5), r(5), r(4), r(5), r(4))
	a.exp(f, r(4), r(5), r(6))
	a.p("\tVMOVUPS %s, %s", c("a5"), r(5))
	for _, k := range []string{"a4", "a3", "a2", "a1"} {
		a.p("\tVFMADD213PS %s, %s, %s", c(k), r(3), r(5))
	}
	// 0.5·(x + |x|·(1 − t·poly(t)·exp(−x²/2)))
	a.p("\tVMULPS %s, %s, %s\n\tVFNMADD213PS %s, %s, %s", r(3), r(5), r(5), r(7), r(4), r(5))
	a.p("\tVFMADD213PS %s, %s, %s\n\tVMULPS %s, %s, %s\n\tVMOVUPS %s, (SI)", r(0), r(1), r(5), c("half"), r(5), r(5), r(5))
	a.p("\tADDQ $%d, SI\n\tSUBQ $%d, CX\n\tJG loop", f.bytes(), f.lanes)
	a.ret()
}

// geluTanh writes x / (1 + exp(−2·0.7979·(x + 0.044715·x³))).
func (a *asm) geluTanh(f family) {
	a.fn("geluTanh"+f.name, "x *float32, n int", 16)
	a.load("x+0", "SI", "n+8", "CX")
	r := f.r
	a.p("loop:\n\tVMOVUPS (SI), %s\n\tVMULPS %s, %s, %s", r(0), r(0), r(0), r(1))
	a.p("\tVMOVUPS %s, %s\n\tVMOVUPS %s, %s", c("tanhB"), r(2), c("tanhA"), r(3))
	a.p("\tVFMADD132PS %s, %s, %s\n\tVMULPS %s, %s, %s", r(1), r(3), r(2), r(0), r(2), r(2))
	a.p("\tVMINPS %s, %s, %s", c("expHigh"), r(2), r(2))
	a.exp(f, r(2), r(3), r(4))
	a.p("\tVADDPS %s, %s, %s\n\tVDIVPS %s, %s, %s\n\tVMOVUPS %s, (SI)", c("one"), r(2), r(2), r(2), r(0), r(0), r(0))
	a.p("\tADDQ $%d, SI\n\tSUBQ $%d, CX\n\tJG loop", f.bytes(), f.lanes)
	a.ret()
}

// reduce folds register i with op into all of its lanes; register j is scratch.
func (a *asm) reduce(f family, op string, i, j int) {
	if f.reg == "Z" {
		a.p("\tVEXTRACTF64X4 $1, Z%d, Y%d\n\t%s Y%d, Y%d, Y%d", i, j, op, j, i, i)
	}
	a.p("\tVEXTRACTF128 $1, Y%d, X%d\n\t%s X%d, X%d, X%d", i, j, op, j, i, i)
	a.p("\tVPERMILPS $0x4e, X%d, X%d\n\t%s X%d, X%d, X%d", i, j, op, j, i, i)
	a.p("\tVPERMILPS $0xb1, X%d, X%d\n\t%s X%d, X%d, X%d", i, j, op, j, i, i)
	a.p("\tVBROADCASTSS X%d, %s", i, f.r(i))
}

func (a *asm) softmax(f family) {
	a.fn("softmax"+f.name, "s *float32, rows, n, stride int", 32)
	a.load("s+0", "SI", "rows+8", "DX", "n+16", "R8", "stride+24", "R9")
	r, next := f.r, func(label string) {
		a.p("\tADDQ $%d, DI\n\tSUBQ $%d, CX\n\tJG %s", f.bytes(), f.lanes, label)
	}
	a.p("row:\n\tMOVQ SI, DI\n\tMOVQ R8, CX\n\tVMOVUPS (SI), %s", r(0))
	a.p("max:\n\tVMAXPS (DI), %s, %s", r(0), r(0))
	next("max")
	a.reduce(f, "VMAXPS", 0, 1)
	a.p("\tVXORPS %s, %s, %s\n\tMOVQ SI, DI\n\tMOVQ R8, CX", r(7), r(7), r(7))
	a.p("exp:\n\tVMOVUPS (DI), %s\n\tVSUBPS %s, %s, %s", r(4), r(0), r(4), r(4))
	a.exp(f, r(4), r(5), r(6))
	a.p("\tVADDPS %s, %s, %s\n\tVMOVUPS %s, (DI)", r(4), r(7), r(7), r(4))
	next("exp")
	a.reduce(f, "VADDPS", 7, 1)
	a.p("\tVMOVUPS %s, %s\n\tVDIVPS %s, %s, %s\n\tMOVQ SI, DI\n\tMOVQ R8, CX", c("one"), r(1), r(7), r(1), r(1))
	a.p("scale:\n\tVMULPS (DI), %s, %s\n\tVMOVUPS %s, (DI)", r(1), r(2), r(2))
	next("scale")
	a.p("\tADDQ R9, SI\n\tDECQ DX\n\tJNZ row")
	a.ret()
}

// addNorm writes dst = layernorm(x + res)·gamma + beta; dst may be x or res.
func (a *asm) addNorm(f family) {
	a.fn("addNorm"+f.name, "dst, x, res, gamma, beta *float32, n int, invN, eps float32", 56)
	a.load("dst+0", "DI", "x+8", "SI", "res+16", "DX", "gamma+24", "R8", "beta+32", "R9", "n+40", "CX")
	r, next := f.r, func(label string) { a.p("\tADDQ $%d, AX\n\tCMPQ AX, CX\n\tJLT %s", f.bytes(), label) }
	a.p("\tSHLQ $2, CX\n\tXORQ AX, AX\n\tVXORPS %s, %s, %s", r(0), r(0), r(0))
	a.p("sum:\n\tVMOVUPS (SI)(AX*1), %s\n\tVADDPS (DX)(AX*1), %s, %s", r(1), r(1), r(1))
	a.p("\tVADDPS %s, %s, %s\n\tVMOVUPS %s, (DI)(AX*1)", r(1), r(0), r(0), r(1))
	next("sum")
	a.reduce(f, "VADDPS", 0, 1)
	a.p("\tVBROADCASTSS invN+48(FP), %s\n\tVMULPS %s, %s, %s", r(7), r(7), r(0), r(0))
	a.p("\tXORQ AX, AX\n\tVXORPS %s, %s, %s", r(2), r(2), r(2))
	a.p("var:\n\tVMOVUPS (DI)(AX*1), %s\n\tVSUBPS %s, %s, %s\n\tVFMADD231PS %s, %s, %s", r(1), r(0), r(1), r(1), r(1), r(1), r(2))
	next("var")
	a.reduce(f, "VADDPS", 2, 1)
	a.p("\tVBROADCASTSS eps+52(FP), %s\n\tVFMADD213PS %s, %s, %s\n\tVSQRTPS %s, %s", r(1), r(1), r(7), r(2), r(2), r(2))
	a.p("\tVMOVUPS %s, %s\n\tVDIVPS %s, %s, %s\n\tXORQ AX, AX", c("one"), r(3), r(2), r(3), r(3))
	a.p("norm:\n\tVMOVUPS (DI)(AX*1), %s\n\tVSUBPS %s, %s, %s\n\tVMULPS %s, %s, %s", r(1), r(0), r(1), r(1), r(3), r(1), r(1))
	a.p("\tVMOVUPS (R9)(AX*1), %s\n\tVFMADD231PS (R8)(AX*1), %s, %s\n\tVMOVUPS %s, (DI)(AX*1)", r(4), r(1), r(4), r(4))
	next("norm")
	a.ret()
}

// quantise writes one row of bytes 0…127 with its scale and low end:
// x ≈ low + scale·byte, where the range always contains zero.
func (a *asm) quantise(f family) {
	a.fn("quantise"+f.name, "dst *uint8, x *float32, n int, scale, low *float32", 40)
	a.load("dst+0", "DI", "x+8", "SI", "n+16", "CX", "scale+24", "DX", "low+32", "R10")
	r := f.r
	a.p("\tVXORPS %s, %s, %s\n\tVMOVAPS %s, %s\n\tMOVQ SI, R8\n\tMOVQ CX, R9", r(0), r(0), r(0), r(0), r(1))
	a.p("range:\n\tVMOVUPS (R8), %s\n\tVMAXPS %s, %s, %s\n\tVMINPS %s, %s, %s", r(2), r(2), r(0), r(0), r(2), r(1), r(1))
	a.p("\tADDQ $%d, R8\n\tSUBQ $%d, R9\n\tJG range", f.bytes(), f.lanes)
	a.reduce(f, "VMAXPS", 0, 2)
	a.reduce(f, "VMINPS", 1, 2)
	a.p("\tVSUBPS %s, %s, %s\n\tVMAXPS %s, %s, %s", r(1), r(0), r(0), c("tiny"), r(0), r(0))
	a.p("\tVMOVUPS %s, %s\n\tVDIVPS %s, %s, %s\n\tVDIVPS %s, %s, %s", c("levels"), r(2), r(2), r(0), r(3), r(0), r(2), r(4))
	a.p("\tVMOVSS X3, (DX)\n\tVMOVSS X1, (R10)\nloop:") // r(4) is 127/range, r(1) the low end
	if f.reg == "Z" {
		a.p("\tVMOVUPS (SI), Z0\n\tVSUBPS Z1, Z0, Z0\n\tVMULPS Z4, Z0, Z0\n\tVCVTPS2DQ Z0, Z0\n\tVPMOVUSDB Z0, (DI)")
		a.p("\tADDQ $64, SI\n\tADDQ $16, DI\n\tSUBQ $16, CX\n\tJG loop")
	} else {
		for i, reg := range []int{0, 2, 3, 5} {
			a.p("\tVMOVUPS %d(SI), Y%d\n\tVSUBPS Y1, Y%d, Y%d\n\tVMULPS Y4, Y%d, Y%d\n\tVCVTPS2DQ Y%d, Y%d", i*32, reg, reg, reg, reg, reg, reg, reg)
		}
		a.p("\tVPACKSSDW Y2, Y0, Y0\n\tVPACKSSDW Y5, Y3, Y3\n\tVPACKUSWB Y3, Y0, Y0\n\tVMOVDQU ·packOrder(SB), Y6\n\tVPERMD Y0, Y6, Y0")
		a.p("\tVMOVDQU Y0, (DI)\n\tADDQ $128, SI\n\tADDQ $32, DI\n\tSUBQ $32, CX\n\tJG loop")
	}
	a.ret()
}
