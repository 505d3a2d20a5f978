package main

import "fmt"

// mulF32 writes a tile of rows × two registers: c = bias + a·b, where b is one
// panel, k rows of two registers each.
func (a *asm) mulF32(f family, rows int) {
	name := fmt.Sprintf("mulF32%sx%d", f.name, rows)
	a.fn(name, "k int, a *float32, lda int, b, c *float32, ldc int, bias *float32", 56)
	a.load("k+0", "CX", "a+8", "SI", "lda+16", "R8", "b+24", "DX", "bias+48", "R10")
	acc := func(r, j int) string { return f.r(r*2 + j) }
	b := [2]string{f.r(rows * 2), f.r(rows*2 + 1)}
	spare := min(4, f.regs-rows*2-2) // registers that hold broadcast elements of a
	for j := range 2 {
		a.p("\tVMOVUPS %d(R10), %s", j*f.bytes(), acc(0, j))
	}
	for r := 1; r < rows; r++ {
		for j := range 2 {
			a.p("\tVMOVAPS %s, %s", acc(0, j), acc(r, j))
		}
	}
	bases := a.rowBases("SI", "R8", rows)
	step := func(u int) {
		for j := range 2 {
			a.p("\tVMOVUPS %d(DX), %s", (u*2+j)*f.bytes(), b[j])
		}
		for r := range rows {
			elem := f.r(rows*2 + 2 + r%spare)
			a.p("\tVBROADCASTSS %s, %s", at(bases, "R8", r, u*4), elem)
			for j := range 2 {
				a.p("\tVFMADD231PS %s, %s, %s", b[j], elem, acc(r, j))
			}
		}
	}
	a.p("\tMOVQ CX, R12\n\tSHRQ $2, R12\n\tJZ tail\n\tPCALIGN $32\nloop:")
	for u := range 4 {
		step(u)
	}
	a.p("\tADDQ $%d, DX", 8*f.bytes())
	a.advance(bases, 16)
	a.p("\tDECQ R12\n\tJNZ loop\ntail:\n\tANDQ $3, CX\n\tJZ done\none:")
	step(0)
	a.p("\tADDQ $%d, DX", 2*f.bytes())
	a.advance(bases, 4)
	a.p("\tDECQ CX\n\tJNZ one\ndone:")
	a.load("c+32", "DI", "ldc+40", "R9")
	out := a.rowBases("DI", "R9", rows)
	for r := range rows {
		for j := range 2 {
			a.p("\tVMOVUPS %s, %s", acc(r, j), at(out, "R9", r, j*f.bytes()))
		}
	}
	a.ret()
}

// mulI8 writes a tile of rows × two registers of quantised products:
//
//	c = rowScale·scale·(a·b) + rowLow·sum + bias
//
// a holds bytes 0…127, b one panel of 32 columns in groups of four k: [k/4][32][4].
// With seven-bit bytes VPMADDUBSW cannot saturate, so the AVX2 sums are exact.
func (a *asm) mulI8(f family, rows int) {
	name := fmt.Sprintf("mulI8%sx%d", f.name, rows)
	a.fn(name, "k4 int, a *uint8, lda int, b *int8, c *float32, ldc int, scale, sum, bias, rowScale, rowLow *float32", 88)
	a.load("k4+0", "CX", "a+8", "SI", "lda+16", "R8", "b+24", "DX")
	for i := range rows * 2 {
		a.p("\tVPXOR%s %s, %s, %s", map[string]string{"Y": "", "Z": "D"}[f.reg], f.r(i), f.r(i), f.r(i))
	}
	bases := a.rowBases("SI", "R8", rows)
	if f.reg == "Z" {
		a.loopVNNI(f, bases, rows)
	} else {
		a.loopMADD(f, bases, rows)
	}
	a.load("c+32", "DI", "ldc+40", "R9", "scale+48", "R10", "sum+56", "R8", "bias+64", "R12", "rowScale+72", "DX", "rowLow+80", "CX")
	a.dequantise(f, rows)
	a.ret()
}

// loopVNNI accumulates with VPDPBUSD, two groups of four k a turn.
func (a *asm) loopVNNI(f family, bases []string, rows int) {
	a.p("\tPCALIGN $32\nloop:")
	for line := range 4 { // weights come from far away: ask for them early
		a.p("\tPREFETCHT0 %d(DX)", 2048+line*64)
	}
	for u := range 2 {
		a.p("\tVMOVDQU32 %d(DX), Z24\n\tVMOVDQU32 %d(DX), Z25", u*128, u*128+64)
		for r := range rows {
			elem := f.r(26 + r%4)
			a.p("\tVPBROADCASTD %s, %s", at(bases, "R8", r, u*4), elem)
			a.p("\tVPDPBUSD Z24, %s, %s\n\tVPDPBUSD Z25, %s, %s", elem, f.r(r*2), elem, f.r(r*2+1))
		}
	}
	a.p("\tADDQ $256, DX")
	a.advance(bases, 8)
	a.p("\tSUBQ $2, CX\n\tJNZ loop")
}

// loopMADD accumulates with VPMADDUBSW and VPMADDWD over half a panel: 16
// columns, so b moves a whole panel row (128 bytes) and reads half of it.
func (a *asm) loopMADD(f family, bases []string, rows int) {
	a.p("\tVMOVDQU ·ones16(SB), Y15\n\tPCALIGN $32\nloop:")
	a.p("\tVMOVDQU (DX), Y10\n\tVMOVDQU 32(DX), Y11")
	for r := range rows {
		a.p("\tVPBROADCASTD %s, Y12", at(bases, "R8", r, 0))
		for j := range 2 {
			t, acc := f.r(13+j), f.r(r*2+j)
			a.p("\tVPMADDUBSW Y%d, Y12, %s\n\tVPMADDWD Y15, %s, %s\n\tVPADDD %s, %s, %s", 10+j, t, t, t, t, acc, acc)
		}
	}
	a.p("\tADDQ $128, DX")
	a.advance(bases, 4)
	a.p("\tDECQ CX\n\tJNZ loop")
}

// dequantise turns the int32 accumulators into the float32 result.
func (a *asm) dequantise(f family, rows int) {
	out := a.rowBases("DI", "R9", rows)
	top := f.regs - 4
	rs, low, t, v := f.r(top), f.r(top+1), f.r(top+2), f.r(top+3)
	for r := range rows {
		a.p("\tVBROADCASTSS %d(DX), %s\n\tVBROADCASTSS %d(CX), %s", r*4, rs, r*4, low)
		for j := range 2 {
			off := j * f.bytes()
			a.p("\tVMOVUPS %d(R12), %s\n\tVFMADD231PS %d(R8), %s, %s", off, t, off, low, t)
			a.p("\tVCVTDQ2PS %s, %s\n\tVMULPS %s, %s, %s", f.r(r*2+j), v, rs, v, v)
			a.p("\tVFMADD231PS %d(R10), %s, %s\n\tVMOVUPS %s, %s", off, v, t, t, at(out, "R9", r, off))
		}
	}
}
