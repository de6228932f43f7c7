; The kernel of double.cl: y = fma(y, x, 0.5); z = fma(z, y, 0.5); y = y * z;
; z = z + x, `rounds` times. Doubles: low dword in x, high one in y.
.kernel polynomial
.argument global "double*" input CONST
.argument global "double*" output
.argument value "uint" rounds
        ALU: KCACHE0(CB0:0-31)
0 t:        MULLO_INT R0.y, KC0[1].z, R1.x
1 x:        ADD_INT   R0.x, PS, R0.x
2 x:        ADD_INT   R0.x, PV.x, KC0[3].y
3 x:        LSHL      R0.x, PV.x, 3
4 x:        ADD_INT   R1.x, KC0[2].y, PV.x
  y:        ADD_INT   R1.y, KC0[2].z, PV.x
  z:        MOV       R1.z, KC0[2].w
        TEX:
            VFETCH R2.xy__, R1.x, fc1 MEGA(8) FORMAT(32_32) NUM_FORMAT(INT)
        ALU:
5 x:        MOV R3.x, 0
  y:        MOV R3.y, 0x3fe00000
6 x:        MOV R4.x, 0
  y:        MOV R4.y, 0x3fd00000
7 x:        MOV R5.x, 0
  y:        MOV R5.y, 0x3fe00000
        LOOP_DX10 i0 FAIL_JUMP_ADDR(@done)
@again:
        ALU_BREAK:
8 x:        PREDNE_INT ____, R1.z, 0 UPDATE_EXEC_MASK
        ALU:
9 x:        FMA_64 R3.x, R3.y, R2.y, R5.y
  y:        FMA_64 R3.y, R3.y, R2.y, R5.y
  z:        FMA_64 R6.z, R3.y, R2.y, R5.y
  w:        FMA_64 R6.w, R3.x, R2.x, R5.x
  t:        ADD_INT R1.z, R1.z, -1
10 x:       FMA_64 R4.x, R4.y, R3.y, R5.y
  y:        FMA_64 R4.y, R4.y, R3.y, R5.y
  z:        FMA_64 R6.z, R4.y, R3.y, R5.y
  w:        FMA_64 R6.w, R4.x, R3.x, R5.x
11 x:       MUL_64 R3.x, R3.y, R4.y
  y:        MUL_64 R3.y, R3.y, R4.y
  z:        MUL_64 ____, R3.y, R4.y
  w:        MUL_64 ____, R3.x, R4.x
12 x:       ADD_64 R4.x, R4.y, R2.y
  y:        ADD_64 R4.y, R4.x, R2.x
        ENDLOOP i0 PASS_JUMP_ADDR(@again)
@done:
        ALU:
13 x:       ADD_64 R3.x, R3.y, R4.y
  y:        ADD_64 R3.y, R3.x, R4.x
  t:        LSHR R1.x, R1.y, 2
        MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R1].xy__, R3, ARRAY_SIZE(4095)
END_OF_PROGRAM
