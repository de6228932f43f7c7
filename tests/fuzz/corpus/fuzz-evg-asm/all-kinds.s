.kernel k
.registers 12
.stack 3
.local 256
.float_mode SINGLE_ROUND(1) DX10_CLAMP(0)
.argument global "float*" a CONST
.argument value "float4" v SIZE(16) ALIGN(16)
        ALU_PUSH_BEFORE: KCACHE0(CB0:0-15)
0 x:        LDS_READ2_RET QAB, R0.w, R3.z
  y:        ADD_sat R1.y, |R2.x|, -R3.y
  t:        RCP_e R1.z, R2.w
1 x:        PREDNE_INT ____, R5.x, 0.0f UPDATE_EXEC_MASK UPDATE_PRED
        JUMP POP_CNT(1) ADDR(@end)
        TEX:
            VFETCH R3.x___, R2.x, fc1 MEGA(4) FORMAT(32_FLOAT) NUM_FORMAT(INT) NO_ZERO
            SAMPLE R0.xyzw, R0.xy0x, t168, s5 UNNORM(XYZW)
        GDS:
            GDS_ADD_RET R4.x___, R2.xyz, UAV(0) BCAST_FIRST_REQ
        POP (1)
@end:
        MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R1].x___, R0, ARRAY_SIZE(4095)
END_OF_PROGRAM
