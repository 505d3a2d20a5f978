package main

import "fmt"

// The registers the tile instructions address, by their number.
var number = map[string]int{"AX": 0, "CX": 1, "DX": 2, "BX": 3, "SI": 6, "DI": 7, "R8": 8, "R9": 9, "R10": 10, "R11": 11}

func (a *asm) bytes(what string, code ...int) {
	a.text.WriteString("\t")
	for i, b := range code {
		if i > 0 {
			a.text.WriteString("; ")
		}
		fmt.Fprintf(&a.text, "BYTE $0x%02X", b)
	}
	a.p(" // %s", what)
}

// tileMove writes TILELOADD (prefix 0x7B) or TILESTORED (0x7A) of a tile at
// disp(base), its rows stride apart. The Go assembler knows neither.
func (a *asm) tileMove(prefix, tile int, base, stride string, disp int) {
	b, x := number[base], number[stride]
	a.bytes(fmt.Sprintf("tile %d, %d(%s)(%s*1)", tile, disp, base, stride),
		0xC4, 0xE2^(x>>3<<6)^(b>>3<<5), prefix, 0x4B, 0x44|tile<<3, x&7<<3|b&7, disp)
}

func (a *asm) tileLoad(tile int, base, stride string, disp int) {
	a.tileMove(0x7B, tile, base, stride, disp)
}

func (a *asm) tileStore(tile int, base, stride string, disp int) {
	a.tileMove(0x7A, tile, base, stride, disp)
}

func (a *asm) tileZero(tile int) {
	a.bytes(fmt.Sprintf("TILEZERO %d", tile), 0xC4, 0xE2, 0x7B, 0x49, 0xC0|tile<<3)
}

// tileDot adds the products of the unsigned bytes of tile l and the signed ones
// of tile r to tile dst.
func (a *asm) tileDot(dst, l, r int) {
	a.bytes(fmt.Sprintf("TDPBUSD %d, %d, %d", r, l, dst), 0xC4, 0xE2, 0x01|(^r&15)<<3, 0x5E, 0xC0|dst<<3|l)
}

// mulTiles writes the product of mulI8 with AMX: up to 16 rows for each of high
// tiles, over panels of 32 columns that lie one after another. Tiles 0…3 hold
// sums, 4 and 5 rows of a, 6 and 7 the halves of a panel of b. The sums go
// through the stack, not through c, whose rows lie so far apart that they would
// share a few lines of the cache.
func (a *asm) mulTiles(high int) {
	a.frame(fmt.Sprintf("mulTilesAMXx%d", high), "panels, k64 int, a *uint8, lda int, b *int8, c *float32, ldc int, config *[64]uint8, scale, sum, bias, rowScale, rowLow *float32, rows int", 112, tileSums+64)
	a.load("config+56", "AX")
	a.bytes("LDTILECFG (AX)", 0xC4, 0xE2, 0x78, 0x49, 0x00)
	a.load("a+16", "SI", "lda+24", "R8", "b+32", "DX", "ldc+48", "R10")
	a.p("\tMOVQ $128, R9\n\tLEAQ 63(SP), DI\n\tANDQ $~63, DI")
	if high == 2 { // the second tile begins at row (rows+1)/2
		a.p("\tMOVQ rows+104(FP), AX\n\tINCQ AX\n\tSHRQ $1, AX\n\tMOVQ AX, BX\n\tIMULQ R8, BX\n\tADDQ SI, BX")
		a.p("\tSHLQ $7, AX\n\tLEAQ (DI)(AX*1), R11")
	}
	a.p("panel:\n\tMOVQ k64+8(FP), CX")
	for t := range 2 * high {
		a.tileZero(t)
	}
	a.p("\tPCALIGN $32\nloop:")
	for line := range tileAhead {
		a.p("\tPREFETCHT0 %d(DX)", 8192+line*64)
	}
	aBase, cBase := []string{"SI", "BX"}[:high], []string{"DI", "R11"}[:high]
	a.tileLoad(6, "DX", "R9", 0)
	a.tileLoad(7, "DX", "R9", 64)
	for t, base := range aBase {
		a.tileLoad(4+t, base, "R8", 0)
		a.tileDot(2*t, 4+t, 6)
		a.tileDot(2*t+1, 4+t, 7)
	}
	a.p("\tADDQ $2048, DX")
	a.advance(aBase, 64)
	a.p("\tDECQ CX\n\tJNZ loop")
	for t, base := range cBase {
		a.tileStore(2*t, base, "R9", 0)
		a.tileStore(2*t+1, base, "R9", 64)
	}
	a.p("\tMOVQ k64+8(FP), CX\n\tSHLQ $6, CX")
	for _, base := range aBase {
		a.p("\tSUBQ CX, %s", base)
	}
	a.dequantisePanel()
	a.p("\tDECQ panels+0(FP)\n\tJNZ panel")
	a.bytes("TILERELEASE", 0xC4, 0xE2, 0x78, 0x49, 0xC0)
	a.ret()
}

// tileAhead is how many lines of weights a turn asks for early: all it reads.
const tileAhead = 32

// tileSums is the bytes of four tiles of sums.
const tileSums = 4096

// frame opens a function that needs size bytes of stack, too many for NOSPLIT.
func (a *asm) frame(name, params string, args, size int) {
	fmt.Fprintf(&a.decl, "//go:noescape\nfunc %s(%s)\n\n", name, params)
	a.p("\n// func %s(%s)", name, params)
	a.p("TEXT ·%s(SB), 0, $%d-%d\n\tNO_LOCAL_POINTERS", name, size, args)
}

// dequantisePanel turns the rows of sums at DI to a panel of c, in the order of
// dequantise, so that both give the same bits, and moves the arguments of the
// columns on.
func (a *asm) dequantisePanel() {
	for i, arg := range []string{"scale+64", "sum+72", "bias+80"} {
		a.p("\tMOVQ %s(FP), AX\n\tVMOVUPS (AX), Z%d\n\tVMOVUPS 64(AX), Z%d\n\tADDQ $128, %s(FP)", arg, i*2, i*2+1, arg)
	}
	a.load("rowScale+88", "R12", "rowLow+96", "R13", "rows+104", "CX", "c+40", "AX")
	a.p("\tADDQ $128, c+40(FP)\n\tMOVQ DI, R8\nrow:\n\tVBROADCASTSS (R12), Z6\n\tVBROADCASTSS (R13), Z7")
	for j := range 2 {
		t, v := 8+j*2, 9+j*2
		a.p("\tVMOVAPS Z%d, Z%d\n\tVFMADD231PS Z%d, Z7, Z%d", 4+j, t, 2+j, t)
		a.p("\tVCVTDQ2PS %d(R8), Z%d\n\tVMULPS Z6, Z%d, Z%d", j*64, v, v, v)
		a.p("\tVFMADD231PS Z%d, Z%d, Z%d\n\tVMOVUPS Z%d, %d(AX)", j, v, t, t, j*64)
	}
	a.p("\tADDQ R10, AX\n\tADDQ $128, R8\n\tADDQ $4, R12\n\tADDQ $4, R13\n\tDECQ CX\n\tJNZ row\n\tMOVQ lda+24(FP), R8")
}
