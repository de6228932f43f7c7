.kernel histogram_part
.registers 8
.stack 2
.local 1024
.argument global "uint*" data SIZE(4) ALIGN(4) OFFSET(36) CONST
.argument global "uint*" parts SIZE(4) ALIGN(4) OFFSET(40)
.argument value "uint" words_per_item SIZE(4) ALIGN(4) OFFSET(44)
00 ALU_PUSH_BEFORE: ADDR(86) CNT(5) KCACHE0(CB0:0-31)
      0  z: MOV         R0.z,  KC0[1].z
         w: MOV         R1.w,  KC0[2].w
         t: SETGT_UINT  R0.w,  R0.x,  (0x000000ff, 3.573311084e-43f).x
      1  x: PREDE_INT   ____,  PS0,  0.0f      UPDATE_EXEC_MASK
01 JUMP  POP_CNT(1) ADDR(10)
02 ALU: ADDR(91) CNT(5)
      2  y: MOV         R0.y,  R0.x
         z: MOV         R1.z,  (0x00000000, 0.000000000e+00f).x
         w: LSHL        R0.w,  R0.z,  (0x00000002, 2.802596929e-45f).y
         t: LSHL        R2.w,  R0.x,  (0x00000002, 2.802596929e-45f).y
03 LOOP_DX10 i0 FAIL_JUMP_ADDR(9)
04 ALU_PUSH_BEFORE: ADDR(96) CNT(6)
      3  x: LDS_WRITE   R2.w,  R1.z
      4  y: ADD_INT     R0.y,  R0.y,  R0.z
      5  w: SETGT_UINT  R3.w,  PV4.y,  (0x000000ff, 3.573311084e-43f).x
         t: ADD_INT     R2.w,  R2.w,  R0.w
      6  x: PREDNE_INT  ____,  PV5.w,  0.0f      UPDATE_EXEC_MASK
05 JUMP  POP_CNT(1) ADDR(8)
06 LOOP_BREAK ADDR(8)
07 POP (1) ADDR(8)
08 ENDLOOP i0 PASS_JUMP_ADDR(4)
09 POP (1) ADDR(10)
10 ALU: ADDR(102) CNT(4)
      7  w: SETGT_UINT  R0.w,  (0x00000100, 3.587324069e-43f).x,  R0.x
         t: SETE_INT    R2.w,  R1.w,  0.0f
      8  x: GROUP_BARRIER
11 ALU_PUSH_BEFORE: ADDR(106) CNT(1)
      9  x: PREDE_INT   ____,  R2.w,  0.0f      UPDATE_EXEC_MASK
12 JUMP  POP_CNT(1) ADDR(52)
13 ALU_PUSH_BEFORE: ADDR(107) CNT(5) KCACHE0(CB0:0-31)
     10  z: MOV         R1.z,  (0x00000000, 0.000000000e+00f).x
         w: MOV         R2.w,  KC0[2].y
         t: SETGT_UINT  R3.w,  (0x00000008, 1.121038771e-44f).y,  R1.w
     11  x: PREDE_INT   ____,  PS10,  0.0f      UPDATE_EXEC_MASK
14 JUMP  POP_CNT(1) ADDR(39)
15 ALU: ADDR(112) CNT(14)
     12  t: MULLO_INT   R0.y,  R1.x,  R0.z
     13  t: MULLO_INT   R0.y,  PS12,  R1.w
     14  w: ADD_INT     R4.w,  R0.x,  PS13
         t: MOV         R3.w,  (0x00000001, 1.401298464e-45f).x
     15  w: LSHL        R4.w,  PV14.w,  (0x00000002, 2.802596929e-45f).x
     16  x: ADD_INT     R2.x,  R2.w,  PV15.w
         y: LSHL        R0.y,  R0.z,  (0x00000002, 2.802596929e-45f).x
         z: MOV         R1.z,  (0x00000000, 0.000000000e+00f).y
         w: LSHL        R4.w,  R0.z,  (0x00000005, 7.006492322e-45f).z
         t: AND_INT     R5.w,  R1.w,  (0xfffffff8, -nanf).w
16 LOOP_DX10 i0 FAIL_JUMP_ADDR(38)
17 ALU: ADDR(126) CNT(1)
     17  x: MOV         R3.x,  R2.x
18 TEX: ADDR(68) CNT(1)
     18  VFETCH R3.x___, R3.x, fc1  MEGA(5) FORMAT(32) NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)
19 ALU: ADDR(127) CNT(19)
     19  x: ADD_INT     R4.x,  R2.x,  R0.y
         w: AND_INT     R6.w,  R3.x,  (0x000000ff, 3.573311084e-43f).x      VEC_120
     20  x: MOV         R5.x,  PV19.x
         w: LSHR        R7.w,  R3.x,  (0x00000006, 8.407790786e-45f).x
         t: LSHL        R6.w,  PV19.w,  (0x00000002, 2.802596929e-45f).y
     21  x: LDS_ADD     R6.w,  R3.w
     22  w: LSHR        R6.w,  R3.x,  (0x0000000e, 1.961817850e-44f).x
         t: AND_INT     R7.w,  R7.w,  (0x000003fc, 1.429324434e-42f).y
     23  x: LDS_ADD     R7.w,  R3.w
     24  w: LSHR        R7.w,  R3.x,  (0x00000016, 3.082856622e-44f).x
         t: AND_INT     R6.w,  R6.w,  (0x000003fc, 1.429324434e-42f).y
     25  x: LDS_ADD     R6.w,  R3.w
     26  w: AND_INT     R6.w,  R7.w,  (0x000003fc, 1.429324434e-42f).x
     27  x: LDS_ADD     R6.w,  R3.w
20 TEX: ADDR(70) CNT(1)
     28  VFETCH R5.x___, R5.x, fc1  MEGA(5) FORMAT(32) NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)
21 ALU: ADDR(146) CNT(19)
     29  x: ADD_INT     R3.x,  R4.x,  R0.y
         w: AND_INT     R6.w,  R5.x,  (0x000000ff, 3.573311084e-43f).x      VEC_120
     30  x: MOV         R4.x,  PV29.x
         w: LSHR        R7.w,  R5.x,  (0x00000006, 8.407790786e-45f).x
         t: LSHL        R6.w,  PV29.w,  (0x00000002, 2.802596929e-45f).y
     31  x: LDS_ADD     R6.w,  R3.w
     32  w: LSHR        R6.w,  R5.x,  (0x0000000e, 1.961817850e-44f).x
         t: AND_INT     R7.w,  R7.w,  (0x000003fc, 1.429324434e-42f).y
     33  x: LDS_ADD     R7.w,  R3.w
     34  w: LSHR        R7.w,  R5.x,  (0x00000016, 3.082856622e-44f).x
         t: AND_INT     R6.w,  R6.w,  (0x000003fc, 1.429324434e-42f).y
     35  x: LDS_ADD     R6.w,  R3.w
     36  w: AND_INT     R6.w,  R7.w,  (0x000003fc, 1.429324434e-42f).x
     37  x: LDS_ADD     R6.w,  R3.w
22 TEX: ADDR(72) CNT(1)
     38  VFETCH R4.x___, R4.x, fc1  MEGA(5) FORMAT(32) NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)
23 ALU: ADDR(165) CNT(19)
     39  x: ADD_INT     R3.x,  R3.x,  R0.y
         w: AND_INT     R6.w,  R4.x,  (0x000000ff, 3.573311084e-43f).x      VEC_120
     40  x: MOV         R5.x,  PV39.x
         w: LSHR        R7.w,  R4.x,  (0x00000006, 8.407790786e-45f).x
         t: LSHL        R6.w,  PV39.w,  (0x00000002, 2.802596929e-45f).y
     41  x: LDS_ADD     R6.w,  R3.w
     42  w: LSHR        R6.w,  R4.x,  (0x0000000e, 1.961817850e-44f).x
         t: AND_INT     R7.w,  R7.w,  (0x000003fc, 1.429324434e-42f).y
     43  x: LDS_ADD     R7.w,  R3.w
     44  w: LSHR        R7.w,  R4.x,  (0x00000016, 3.082856622e-44f).x
         t: AND_INT     R6.w,  R6.w,  (0x000003fc, 1.429324434e-42f).y
     45  x: LDS_ADD     R6.w,  R3.w
     46  w: AND_INT     R6.w,  R7.w,  (0x000003fc, 1.429324434e-42f).x
     47  x: LDS_ADD     R6.w,  R3.w
24 TEX: ADDR(74) CNT(1)
     48  VFETCH R5.x___, R5.x, fc1  MEGA(5) FORMAT(32) NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)
25 ALU: ADDR(184) CNT(19)
     49  x: ADD_INT     R3.x,  R3.x,  R0.y
         w: AND_INT     R6.w,  R5.x,  (0x000000ff, 3.573311084e-43f).x      VEC_120
     50  x: MOV         R4.x,  PV49.x
         w: LSHR        R7.w,  R5.x,  (0x00000006, 8.407790786e-45f).x
         t: LSHL        R6.w,  PV49.w,  (0x00000002, 2.802596929e-45f).y
     51  x: LDS_ADD     R6.w,  R3.w
     52  w: LSHR        R6.w,  R5.x,  (0x0000000e, 1.961817850e-44f).x
         t: AND_INT     R7.w,  R7.w,  (0x000003fc, 1.429324434e-42f).y
     53  x: LDS_ADD     R7.w,  R3.w
     54  w: LSHR        R7.w,  R5.x,  (0x00000016, 3.082856622e-44f).x
         t: AND_INT     R6.w,  R6.w,  (0x000003fc, 1.429324434e-42f).y
     55  x: LDS_ADD     R6.w,  R3.w
     56  w: AND_INT     R6.w,  R7.w,  (0x000003fc, 1.429324434e-42f).x
     57  x: LDS_ADD     R6.w,  R3.w
26 TEX: ADDR(76) CNT(1)
     58  VFETCH R4.x___, R4.x, fc1  MEGA(5) FORMAT(32) NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)
27 ALU: ADDR(203) CNT(19)
     59  x: ADD_INT     R3.x,  R3.x,  R0.y
         w: AND_INT     R6.w,  R4.x,  (0x000000ff, 3.573311084e-43f).x      VEC_120
     60  x: MOV         R5.x,  PV59.x
         w: LSHR        R7.w,  R4.x,  (0x00000006, 8.407790786e-45f).x
         t: LSHL        R6.w,  PV59.w,  (0x00000002, 2.802596929e-45f).y
     61  x: LDS_ADD     R6.w,  R3.w
     62  w: LSHR        R6.w,  R4.x,  (0x0000000e, 1.961817850e-44f).x
         t: AND_INT     R7.w,  R7.w,  (0x000003fc, 1.429324434e-42f).y
     63  x: LDS_ADD     R7.w,  R3.w
     64  w: LSHR        R7.w,  R4.x,  (0x00000016, 3.082856622e-44f).x
         t: AND_INT     R6.w,  R6.w,  (0x000003fc, 1.429324434e-42f).y
     65  x: LDS_ADD     R6.w,  R3.w
     66  w: AND_INT     R6.w,  R7.w,  (0x000003fc, 1.429324434e-42f).x
     67  x: LDS_ADD     R6.w,  R3.w
28 TEX: ADDR(78) CNT(1)
     68  VFETCH R5.x___, R5.x, fc1  MEGA(5) FORMAT(32) NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)
29 ALU: ADDR(222) CNT(19)
     69  x: ADD_INT     R3.x,  R3.x,  R0.y
         w: AND_INT     R6.w,  R5.x,  (0x000000ff, 3.573311084e-43f).x      VEC_120
     70  x: MOV         R4.x,  PV69.x
         w: LSHR        R7.w,  R5.x,  (0x00000006, 8.407790786e-45f).x
         t: LSHL        R6.w,  PV69.w,  (0x00000002, 2.802596929e-45f).y
     71  x: LDS_ADD     R6.w,  R3.w
     72  w: LSHR        R6.w,  R5.x,  (0x0000000e, 1.961817850e-44f).x
         t: AND_INT     R7.w,  R7.w,  (0x000003fc, 1.429324434e-42f).y
     73  x: LDS_ADD     R7.w,  R3.w
     74  w: LSHR        R7.w,  R5.x,  (0x00000016, 3.082856622e-44f).x
         t: AND_INT     R6.w,  R6.w,  (0x000003fc, 1.429324434e-42f).y
     75  x: LDS_ADD     R6.w,  R3.w
     76  w: AND_INT     R6.w,  R7.w,  (0x000003fc, 1.429324434e-42f).x
     77  x: LDS_ADD     R6.w,  R3.w
30 TEX: ADDR(80) CNT(1)
     78  VFETCH R4.x___, R4.x, fc1  MEGA(5) FORMAT(32) NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)
31 ALU: ADDR(241) CNT(18)
     79  w: AND_INT     R6.w,  R4.x,  (0x000000ff, 3.573311084e-43f).x
     80  x: ADD_INT     R3.x,  R3.x,  R0.y
         w: LSHR        R7.w,  R4.x,  (0x00000006, 8.407790786e-45f).x      VEC_120
         t: LSHL        R6.w,  PV79.w,  (0x00000002, 2.802596929e-45f).y
     81  x: LDS_ADD     R6.w,  R3.w
     82  w: LSHR        R6.w,  R4.x,  (0x0000000e, 1.961817850e-44f).x
         t: AND_INT     R7.w,  R7.w,  (0x000003fc, 1.429324434e-42f).y
     83  x: LDS_ADD     R7.w,  R3.w
     84  w: LSHR        R7.w,  R4.x,  (0x00000016, 3.082856622e-44f).x
         t: AND_INT     R6.w,  R6.w,  (0x000003fc, 1.429324434e-42f).y
     85  x: LDS_ADD     R6.w,  R3.w
     86  w: AND_INT     R6.w,  R7.w,  (0x000003fc, 1.429324434e-42f).x
     87  x: LDS_ADD     R6.w,  R3.w
32 TEX: ADDR(82) CNT(1)
     88  VFETCH R3.x___, R3.x, fc1  MEGA(5) FORMAT(32) NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)
33 ALU_PUSH_BEFORE: ADDR(259) CNT(21)
     89  w: AND_INT     R6.w,  R3.x,  (0x000000ff, 3.573311084e-43f).x
     90  x: ADD_INT     R2.x,  R2.x,  R4.w
         w: LSHR        R7.w,  R3.x,  (0x00000006, 8.407790786e-45f).x      VEC_120
         t: LSHL        R6.w,  PV89.w,  (0x00000002, 2.802596929e-45f).y
     91  x: LDS_ADD     R6.w,  R3.w
     92  w: LSHR        R6.w,  R3.x,  (0x0000000e, 1.961817850e-44f).x
         t: AND_INT     R7.w,  R7.w,  (0x000003fc, 1.429324434e-42f).y
     93  x: LDS_ADD     R7.w,  R3.w
     94  w: LSHR        R7.w,  R3.x,  (0x00000016, 3.082856622e-44f).x
         t: AND_INT     R6.w,  R6.w,  (0x000003fc, 1.429324434e-42f).y
     95  x: LDS_ADD     R6.w,  R3.w
     96  z: ADD_INT     R1.z,  R1.z,  (0x00000008, 1.121038771e-44f).x
         w: AND_INT     R6.w,  R7.w,  (0x000003fc, 1.429324434e-42f).y
     97  x: LDS_ADD     R6.w,  R3.w
     98  w: SETE_INT    R6.w,  R5.w,  R1.z
     99  x: PREDNE_INT  ____,  PV98.w,  0.0f      UPDATE_EXEC_MASK
34 JUMP  POP_CNT(1) ADDR(37)
35 LOOP_BREAK ADDR(37)
36 POP (1) ADDR(37)
37 ENDLOOP i0 PASS_JUMP_ADDR(17)
38 POP (1) ADDR(39)
39 ALU_PUSH_BEFORE: ADDR(280) CNT(5) KCACHE0(CB0:0-31)
    100  w: AND_INT     R1.w,  R1.w,  (0x00000007, 9.809089250e-45f).x
         t: MULLO_INT   R0.y,  R1.x,  KC0[2].w
    101  w: SETE_INT    R3.w,  PV100.w,  0.0f
    102  x: PREDE_INT   ____,  PV101.w,  0.0f      UPDATE_EXEC_MASK
40 JUMP  POP_CNT(1) ADDR(51)
41 ALU: ADDR(285) CNT(9)
    103  w: ADD_INT     R3.w,  R1.z,  R0.y
    104  t: MULLO_INT   R0.y,  R0.z,  PV103.w
    105  w: ADD_INT     R3.w,  R0.x,  PS104
    106  w: LSHL        R3.w,  PV105.w,  (0x00000002, 2.802596929e-45f).x
    107  x: ADD_INT     R2.x,  R2.w,  PV106.w
         w: MOV         R2.w,  (0x00000001, 1.401298464e-45f).x
         t: LSHL        R3.w,  R0.z,  (0x00000002, 2.802596929e-45f).y
42 LOOP_DX10 i0 FAIL_JUMP_ADDR(50)
43 ALU: ADDR(294) CNT(1)
    108  x: MOV         R3.x,  R2.x
44 TEX: ADDR(84) CNT(1)
    109  VFETCH R3.x___, R3.x, fc1  MEGA(5) FORMAT(32) NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)
45 ALU_PUSH_BEFORE: ADDR(295) CNT(21)
    110  w: AND_INT     R4.w,  R3.x,  (0x000000ff, 3.573311084e-43f).x
    111  x: ADD_INT     R2.x,  R2.x,  R3.w
         w: LSHR        R5.w,  R3.x,  (0x00000006, 8.407790786e-45f).x      VEC_120
         t: LSHL        R4.w,  PV110.w,  (0x00000002, 2.802596929e-45f).y
    112  x: LDS_ADD     R4.w,  R2.w
    113  w: LSHR        R4.w,  R3.x,  (0x0000000e, 1.961817850e-44f).x
         t: AND_INT     R5.w,  R5.w,  (0x000003fc, 1.429324434e-42f).y
    114  x: LDS_ADD     R5.w,  R2.w
    115  w: LSHR        R5.w,  R3.x,  (0x00000016, 3.082856622e-44f).x
         t: AND_INT     R4.w,  R4.w,  (0x000003fc, 1.429324434e-42f).y
    116  x: LDS_ADD     R4.w,  R2.w
    117  w: ADD_INT     R1.w,  R1.w,  (0xffffffff, -nanf).x
         t: AND_INT     R4.w,  R5.w,  (0x000003fc, 1.429324434e-42f).y
    118  x: LDS_ADD     R4.w,  R2.w
    119  w: SETNE_INT   R4.w,  R1.w,  0.0f
    120  x: PREDE_INT   ____,  PV119.w,  0.0f      UPDATE_EXEC_MASK
46 JUMP  POP_CNT(1) ADDR(49)
47 LOOP_BREAK ADDR(49)
48 POP (1) ADDR(49)
49 ENDLOOP i0 PASS_JUMP_ADDR(43)
50 POP (1) ADDR(51)
51 POP (1) ADDR(52)
52 ALU: ADDR(316) CNT(3)
    121  w: AND_INT     R0.w,  R0.w,  1
    122  w: SETE_INT    R0.w,  PV121.w,  0.0f
    123  x: GROUP_BARRIER
53 ALU_PUSH_BEFORE: ADDR(319) CNT(1)
    124  x: PREDE_INT   ____,  R0.w,  0.0f      UPDATE_EXEC_MASK
54 JUMP  POP_CNT(1) ADDR(65)
55 ALU: ADDR(320) CNT(7) KCACHE0(CB0:0-31)
    125  w: LSHL        R1.w,  R1.x,  (0x0000000a, 1.401298464e-44f).x
         t: MOV         R2.w,  KC0[2].z
    126  z: LSHL        R1.z,  R0.z,  (0x00000002, 2.802596929e-45f).x
         w: LSHL        R0.w,  R0.x,  (0x00000002, 2.802596929e-45f).x
         t: ADD_INT     R1.w,  PS125,  PV125.w
56 LOOP_DX10 i0 FAIL_JUMP_ADDR(64)
57 ALU: ADDR(327) CNT(5)
    127  w: ADD_INT     R2.w,  R1.w,  R0.w
    128  x: LSHR        R1.x,  PV127.w,  (0x00000002, 2.802596929e-45f).x
    129  x: LDS_READ_RET QA,  R0.w
    130  x: MOV         R2.x,  QA.pop
58 MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R1].x___, R2, ARRAY_SIZE(0)
59 ALU_PUSH_BEFORE: ADDR(332) CNT(5)
    131  x: ADD_INT     R0.x,  R0.x,  R0.z
    132  w: SETGT_UINT  R2.w,  PV131.x,  (0x000000ff, 3.573311084e-43f).x
         t: ADD_INT     R0.w,  R0.w,  R1.z
    133  x: PREDNE_INT  ____,  PV132.w,  0.0f      UPDATE_EXEC_MASK
60 JUMP  POP_CNT(1) ADDR(63)
61 LOOP_BREAK ADDR(63)
62 POP (1) ADDR(63)
63 ENDLOOP i0 PASS_JUMP_ADDR(57)
64 POP (1) ADDR(65)
65 NOP
END_OF_PROGRAM
.kernel histogram_merge
.registers 3
.stack 2
.local 0
.argument global "uint*" parts SIZE(4) ALIGN(4) OFFSET(36) CONST
.argument global "uint*" histogram SIZE(4) ALIGN(4) OFFSET(40)
.argument value "uint" groups SIZE(4) ALIGN(4) OFFSET(44)
00 ALU_PUSH_BEFORE: ADDR(18) CNT(8) KCACHE0(CB0:0-31)
      0  t: MULLO_INT   R0.y,  KC0[1].z,  R1.x
      1  w: ADD_INT     R0.w,  PS0,  R0.x
      2  w: ADD_INT     R0.w,  PV1.w,  KC0[3].y
      3  x: MOV         R0.x,  (0x00000000, 0.000000000e+00f).x
         w: LSHL        R0.w,  PV2.w,  (0x00000002, 2.802596929e-45f).y
         t: SETE_INT    R1.w,  KC0[2].w,  0.0f
      4  x: PREDE_INT   ____,  PS3,  0.0f      UPDATE_EXEC_MASK
01 JUMP  POP_CNT(1) ADDR(12)
02 ALU: ADDR(26) CNT(5) KCACHE0(CB0:0-31)
      5  x: MOV         R0.x,  (0x00000000, 0.000000000e+00f).x
         w: MOV         R1.w,  KC0[2].y
      6  x: ADD_INT     R1.x,  PV5.w,  R0.w
         w: MOV         R1.w,  KC0[2].w
03 LOOP_DX10 i0 FAIL_JUMP_ADDR(11)
04 ALU: ADDR(31) CNT(2)
      7  w: ADD_INT     R2.w,  R1.x,  (0x00000400, 1.434929627e-42f).x
05 TEX: ADDR(16) CNT(1)
      8  VFETCH R1.x___, R1.x, fc1  MEGA(5) FORMAT(32) NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)
06 ALU_PUSH_BEFORE: ADDR(33) CNT(6)
      9  x: ADD_INT     R0.x,  R1.x,  R0.x
         w: ADD_INT     R1.w,  R1.w,  (0xffffffff, -nanf).x
         t: MOV         R1.x,  R2.w
     10  w: SETE_INT    R2.w,  PV9.w,  0.0f
     11  x: PREDNE_INT  ____,  PV10.w,  0.0f      UPDATE_EXEC_MASK
07 JUMP  POP_CNT(1) ADDR(10)
08 LOOP_BREAK ADDR(10)
09 POP (1) ADDR(10)
10 ENDLOOP i0 PASS_JUMP_ADDR(4)
11 POP (1) ADDR(12)
12 ALU: ADDR(39) CNT(4) KCACHE0(CB0:0-31)
     12  y: MOV         R0.y,  KC0[2].z
     13  w: ADD_INT     R0.w,  PV12.y,  R0.w
     14  x: LSHR        R1.x,  PV13.w,  (0x00000002, 2.802596929e-45f).x
13 MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R1].x___, R0, ARRAY_SIZE(0)
14 NOP
END_OF_PROGRAM
