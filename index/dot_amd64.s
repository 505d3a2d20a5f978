#include "textflag.h"

// func dotRowsAVX2(out *int32, query *int16, rows *int8, n, dim int)
//
// dim is a multiple of 32. Each row is widened to 16 bits, multiplied with the
// query and summed in pairs to 32 bits.
TEXT ·dotRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ query+8(FP), SI
	MOVQ rows+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ dim+32(FP), R8

row:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	MOVQ  SI, R9
	MOVQ  R8, R10

loop:
	VPMOVSXBW (DX), Y2
	VPMOVSXBW 16(DX), Y3
	VPMADDWD  (R9), Y2, Y2
	VPMADDWD  32(R9), Y3, Y3
	VPADDD    Y2, Y0, Y0
	VPADDD    Y3, Y1, Y1
	ADDQ      $32, DX
	ADDQ      $64, R9
	SUBQ      $32, R10
	JNZ       loop

	VPADDD       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (DI)
	ADDQ         $4, DI
	DECQ         CX
	JNZ          row
	VZEROUPPER
	RET

// func sketchRowsAVX2(out *int32, query *int8, codes *uint8, n, groups int)
//
// A group is 128 dimensions: 32 bytes of codes, 128 bytes of the query. Four
// levels of two bits are taken out of each byte in turn.
TEXT ·sketchRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ         out+0(FP), DI
	MOVQ         query+8(FP), SI
	MOVQ         codes+16(FP), DX
	MOVQ         n+24(FP), CX
	MOVQ         groups+32(FP), R8
	MOVL         $0x03030303, AX
	VMOVD        AX, X13
	VPBROADCASTD X13, Y13
	VPCMPEQW     Y14, Y14, Y14
	VPSRLW       $15, Y14, Y14

row:
	VPXOR Y0, Y0, Y0
	MOVQ  SI, R9
	MOVQ  R8, R10

group:
	VMOVDQU    (DX), Y1
	VPAND      Y13, Y1, Y2
	VPSRLW     $2, Y1, Y3
	VPSRLW     $4, Y1, Y4
	VPSRLW     $6, Y1, Y5
	VPAND      Y13, Y3, Y3
	VPAND      Y13, Y4, Y4
	VPAND      Y13, Y5, Y5
	VPMADDUBSW (R9), Y2, Y2
	VPMADDUBSW 32(R9), Y3, Y3
	VPMADDUBSW 64(R9), Y4, Y4
	VPMADDUBSW 96(R9), Y5, Y5
	VPADDW     Y2, Y0, Y0
	VPADDW     Y3, Y4, Y4
	VPADDW     Y5, Y0, Y0
	VPADDW     Y4, Y0, Y0
	ADDQ       $32, DX
	ADDQ       $128, R9
	DECQ       R10
	JNZ        group

	VPMADDWD     Y14, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (DI)
	ADDQ         $4, DI
	DECQ         CX
	JNZ          row
	VZEROUPPER
	RET
