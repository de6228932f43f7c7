.kernel vector_add
.registers 2
.stack 0
.local 0
.argument global "float*" a SIZE(4) ALIGN(4) OFFSET(36) CONST
.argument global "float*" b SIZE(4) ALIGN(4) OFFSET(40) CONST
.argument global "float*" c SIZE(4) ALIGN(4) OFFSET(44)
00 ALU: ADDR(10) CNT(7) KCACHE0(CB0:0-31)
      0  t: MULLO_INT   R0.y,  KC0[1].z,  R1.x
      1  w: ADD_INT     R0.w,  PS0,  R0.x
      2  w: ADD_INT     R0.w,  PV1.w,  KC0[3].y
      3  w: LSHL        R0.w,  PV2.w,  (0x00000002, 2.802596929e-45f).x
      4  x: ADD_INT     R0.x,  KC0[2].y,  PV3.w
         t: ADD_INT     R1.x,  KC0[2].z,  PV3.w
01 TEX: ADDR(6) CNT(2)
      5  VFETCH R1.x___, R1.x, fc1  MEGA(5) FORMAT(32) NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)
      6  VFETCH R0.x___, R0.x, fc1  MEGA(5) FORMAT(32) NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)
02 ALU: ADDR(17) CNT(4) KCACHE0(CB0:0-31)
      7  x: ADD         R0.x,  R0.x,  R1.x
         w: ADD_INT     R0.w,  KC0[2].w,  R0.w
      8  x: LSHR        R1.x,  PV7.w,  (0x00000002, 2.802596929e-45f).x
03 MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R1].x___, R0, ARRAY_SIZE(0)
04 NOP
END_OF_PROGRAM
