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

// func widenRowAVX2(dst *float32, data *int8, fine *uint8, dim int)
//
// dim is a multiple of 32. Each number is sixteen times the byte, plus the four
// bits of the fine part, less 8.
TEXT ·widenRowAVX2(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	MOVQ         data+8(FP), SI
	MOVQ         fine+16(FP), DX
	MOVQ         dim+24(FP), CX
	MOVL         $0x0f0f0f0f, AX
	VMOVD        AX, X12
	VPBROADCASTD X12, X12
	MOVL         $0x00080008, AX
	VMOVD        AX, X13
	VPBROADCASTD X13, Y13

widen:
	VMOVDQU      (DX), X0
	VPAND        X12, X0, X1
	VPSRLW       $4, X0, X2
	VPAND        X12, X2, X2
	VPUNPCKLBW   X2, X1, X3
	VPUNPCKHBW   X2, X1, X4
	VPMOVZXBW    X3, Y3
	VPMOVZXBW    X4, Y4
	VPMOVSXBW    (SI), Y5
	VPMOVSXBW    16(SI), Y6
	VPSLLW       $4, Y5, Y5
	VPSLLW       $4, Y6, Y6
	VPADDW       Y3, Y5, Y5
	VPADDW       Y4, Y6, Y6
	VPSUBW       Y13, Y5, Y5
	VPSUBW       Y13, Y6, Y6
	VPMOVSXWD    X5, Y0
	VEXTRACTI128 $1, Y5, X5
	VPMOVSXWD    X5, Y1
	VPMOVSXWD    X6, Y2
	VEXTRACTI128 $1, Y6, X6
	VPMOVSXWD    X6, Y3
	VCVTDQ2PS    Y0, Y0
	VCVTDQ2PS    Y1, Y1
	VCVTDQ2PS    Y2, Y2
	VCVTDQ2PS    Y3, Y3
	VMOVUPS      Y0, (DI)
	VMOVUPS      Y1, 32(DI)
	VMOVUPS      Y2, 64(DI)
	VMOVUPS      Y3, 96(DI)
	ADDQ         $128, DI
	ADDQ         $32, SI
	ADDQ         $16, DX
	SUBQ         $32, CX
	JNZ          widen
	VZEROUPPER
	RET

// func dotFloatsAVX2(a, b *float32, dim int) float32
//
// dim is a multiple of 32. Products are rounded before they are summed, in 32 sums
// that are put together at the end: see dotFloatsGo.
TEXT ·dotFloatsAVX2(SB), NOSPLIT, $0-28
	MOVQ   a+0(FP), SI
	MOVQ   b+8(FP), DX
	MOVQ   dim+16(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3

floats:
	VMOVUPS (SI), Y4
	VMOVUPS 32(SI), Y5
	VMOVUPS 64(SI), Y6
	VMOVUPS 96(SI), Y7
	VMULPS  (DX), Y4, Y4
	VMULPS  32(DX), Y5, Y5
	VMULPS  64(DX), Y6, Y6
	VMULPS  96(DX), Y7, Y7
	VADDPS  Y4, Y0, Y0
	VADDPS  Y5, Y1, Y1
	VADDPS  Y6, Y2, Y2
	VADDPS  Y7, Y3, Y3
	ADDQ    $128, SI
	ADDQ    $128, DX
	SUBQ    $32, CX
	JNZ     floats

	VADDPS       Y1, Y0, Y0
	VADDPS       Y3, Y2, Y2
	VADDPS       Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VADDPS       X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VADDPS       X1, X0, X0
	VMOVSS       X0, ret+24(FP)
	VZEROUPPER
	RET

// How far the bytes of a sketch are shifted to get at each of its four parts.
DATA sketchShifts<>+0(SB)/8, $0
DATA sketchShifts<>+8(SB)/8, $0
DATA sketchShifts<>+16(SB)/8, $0
DATA sketchShifts<>+24(SB)/8, $0
DATA sketchShifts<>+32(SB)/8, $2
DATA sketchShifts<>+40(SB)/8, $2
DATA sketchShifts<>+48(SB)/8, $2
DATA sketchShifts<>+56(SB)/8, $2
DATA sketchShifts<>+64(SB)/8, $4
DATA sketchShifts<>+72(SB)/8, $4
DATA sketchShifts<>+80(SB)/8, $4
DATA sketchShifts<>+88(SB)/8, $4
DATA sketchShifts<>+96(SB)/8, $6
DATA sketchShifts<>+104(SB)/8, $6
DATA sketchShifts<>+112(SB)/8, $6
DATA sketchShifts<>+120(SB)/8, $6
GLOBL sketchShifts<>(SB), RODATA, $128

// func sketchRowsVNNI(out *int32, query *int8, codes *uint8, n, groups int)
//
// As sketchRowsAVX2, two of the four parts at a time, summed to 32 bits.
TEXT ·sketchRowsVNNI(SB), NOSPLIT, $0-40
	MOVQ         out+0(FP), DI
	MOVQ         query+8(FP), SI
	MOVQ         codes+16(FP), DX
	MOVQ         n+24(FP), CX
	MOVQ         groups+32(FP), R8
	MOVL         $0x03030303, AX
	VPBROADCASTD AX, Z13
	VMOVDQU64    sketchShifts<>+0(SB), Z14
	VMOVDQU64    sketchShifts<>+64(SB), Z15

vnnirow:
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	MOVQ   SI, R9
	MOVQ   R8, R10

vnnigroup:
	VBROADCASTI64X4 (DX), Z2
	VPSRLVQ         Z14, Z2, Z3
	VPSRLVQ         Z15, Z2, Z4
	VPANDQ          Z13, Z3, Z3
	VPANDQ          Z13, Z4, Z4
	VPDPBUSD        (R9), Z3, Z0
	VPDPBUSD        64(R9), Z4, Z1
	ADDQ            $32, DX
	ADDQ            $128, R9
	DECQ            R10
	JNZ             vnnigroup

	VPADDD        Z1, Z0, Z0
	VEXTRACTI64X4 $1, Z0, Y1
	VPADDD        Y1, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	VPSHUFD       $0x4e, X0, X1
	VPADDD        X1, X0, X0
	VPSHUFD       $0xb1, X0, X1
	VPADDD        X1, X0, X0
	VMOVD         X0, (DI)
	ADDQ          $4, DI
	DECQ          CX
	JNZ           vnnirow
	VZEROUPPER
	RET
