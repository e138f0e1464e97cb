// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels written by hand, for tests on a real GPU.
#pragma once

namespace nereid::test {

/// add: out[i] = x[i] + factor * y[i] for i < n. store: writes 1 where it is told. trap. check:
/// fails an assertion if it is given 0.
constexpr const char *ampereKernels = R"(
.version 7.0
.target sm_80
.address_size 64

.visible .entry add(.param .u64 x, .param .u64 y, .param .u64 out, .param .u32 n, .param .s16 factor)
{
  .reg .pred %p;
  .reg .b16 %h;
  .reg .b32 %r<5>;
  .reg .b64 %d<4>;
  .reg .f32 %f<4>;
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %ntid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r0, %r1, %r2;
  ld.param.u32 %r4, [n];
  setp.ge.u32 %p, %r3, %r4;
  @%p bra DONE;
  mul.wide.u32 %d3, %r3, 4;
  ld.param.u64 %d0, [x];
  ld.param.u64 %d1, [y];
  ld.param.u64 %d2, [out];
  add.u64 %d0, %d0, %d3;
  add.u64 %d1, %d1, %d3;
  add.u64 %d2, %d2, %d3;
  ld.global.f32 %f0, [%d0];
  ld.global.f32 %f1, [%d1];
  ld.param.s16 %h, [factor];
  cvt.rn.f32.s16 %f2, %h;
  fma.rn.f32 %f3, %f1, %f2, %f0;
  st.global.f32 [%d2], %f3;
DONE:
  ret;
}

.visible .entry store(.param .u64 where)
{
  .reg .b64 %d;
  ld.param.u64 %d, [where];
  st.global.u32 [%d], 1;
  ret;
}

.visible .entry trap()
{
  trap;
}

.extern .func __assertfail(.param .b64 text, .param .b64 file, .param .b32 line, .param .b64 function, .param .b64 size);
.global .align 1 .b8 words[10] = {119, 97, 115, 32, 122, 101, 114, 111, 0, 0};

.visible .entry check(.param .u32 value)
{
  .reg .pred %p;
  .reg .b32 %r;
  .reg .b64 %d<2>;
  ld.param.u32 %r, [value];
  setp.ne.u32 %p, %r, 0;
  @%p bra DONE;
  mov.u64 %d0, words;
  cvta.global.u64 %d0, %d0;
  mov.u64 %d1, 1;
  {
    .param .b64 a;
    .param .b64 b;
    .param .b32 c;
    .param .b64 d;
    .param .b64 e;
    st.param.b64 [a], %d0;
    st.param.b64 [b], %d0;
    st.param.b32 [c], 7;
    st.param.b64 [d], %d0;
    st.param.b64 [e], %d1;
    call.uni __assertfail, (a, b, c, d, e);
  }
DONE:
  ret;
}
)";

/// ranks: each block writes its rank in its cluster. chain: adds 1 to a number, after its
/// predecessor in the stream.
constexpr const char *hopperKernels = R"(
.version 7.8
.target sm_90
.address_size 64

.visible .entry ranks(.param .u64 out)
{
  .reg .b32 %r<2>;
  .reg .b64 %d<2>;
  ld.param.u64 %d0, [out];
  mov.u32 %r0, %ctaid.x;
  mul.wide.u32 %d1, %r0, 4;
  add.u64 %d0, %d0, %d1;
  mov.u32 %r1, %cluster_ctarank;
  st.global.u32 [%d0], %r1;
  ret;
}

.visible .entry chain(.param .u64 number)
{
  .reg .b32 %r;
  .reg .b64 %d;
  griddepcontrol.launch_dependents;
  griddepcontrol.wait;
  ld.param.u64 %d, [number];
  ld.global.u32 %r, [%d];
  add.u32 %r, %r, 1;
  st.global.u32 [%d], %r;
  ret;
}
)";

} // namespace nereid::test
