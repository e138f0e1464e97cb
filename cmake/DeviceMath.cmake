# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DLIBRARY=FILE -DTABLES="FILE;FILE" -DTOOLS=DIR -DTEXT=FILE -DBITCODE=FILE -DOUTPUT=FILE -P DeviceMath.cmake:
# takes from libclc, a library of LLVM bitcode for GPUs, the functions that TABLES list (MATH_FUNCTION rows), for float
# and double, with the tables that they read. TEXT is the code as LLVM IR, OUTPUT a C++ file with its bitcode.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(functions "")
foreach(table IN LISTS TABLES)
  file(STRINGS ${table} rows REGEX "^MATH_FUNCTION")
  foreach(row IN LISTS rows)
    string(REGEX REPLACE "^MATH_FUNCTION\\([A-Za-z0-9]+, ([a-z0-9]+), ([12]), .*$" "\\1;\\2" row "${row}")
    list(GET row 0 name)
    list(GET row 1 arity)
    string(LENGTH ${name} length)
    foreach(type f d)
      string(REPEAT ${type} ${arity} types)
      list(APPEND functions --func=_Z${length}${name}${types}) # OpenCL's functions are overloaded, as C++ names them
    endforeach()
  endforeach()
endforeach()

# Tables that nothing of this reads are left out again.
run(${TOOLS}/llvm-extract --recursive ${functions} --rglob=.*_TBL.*|TWO_TO_.* ${LIBRARY} -o ${BITCODE})
run(${TOOLS}/opt -passes=globaldce ${BITCODE} -o ${BITCODE})
run(${TOOLS}/llvm-dis ${BITCODE} -o ${TEXT})
file(READ ${TEXT} text)
# Constant memory serves one address of a warp at a time, and lanes look up different rows.
string(REPLACE "addrspace(4)" "addrspace(1)" text "${text}")
# The code counts on the hardware's conversion, which takes what does not fit to the nearest that does; in LLVM IR that
# has another name.
string(REGEX REPLACE "fptosi (float|double) (%[0-9]+) to (i32|i64)" "call \\3 @convert.\\1.\\3(\\1 \\2)" text "${text}")
foreach(float float double)
  string(REPLACE float f32 code ${float})
  string(REPLACE double f64 code ${code})
  foreach(integer i32 i64)
    string(REPLACE "@convert.${float}.${integer}" "@llvm.fptosi.sat.${integer}.${code}" text "${text}")
    string(APPEND text "declare ${integer} @llvm.fptosi.sat.${integer}.${code}(${float})\n")
  endforeach()
endforeach()
# What it says of the machine that it was compiled for, and where an approximation would do: the functions' accuracy is
# measured with exact operations.
string(REGEX REPLACE "\"[a-z-]+\"=\"[^\"]*\"" "" text "${text}")
string(REGEX REPLACE "\n!(llvm|opencl)\\.[^\n]*" "" text "${text}")
string(REGEX REPLACE ", !fpmath ![0-9]+" "" text "${text}")
file(WRITE ${TEXT} "${text}")
run(${TOOLS}/llvm-as ${TEXT} -o ${BITCODE})

file(READ ${BITCODE} bytes HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "// Made from libclc by cmake/DeviceMath.cmake.
#include \"backend/nvptx/ptx/DeviceMathCode.h\"

static const unsigned char bytes[] = {${bytes}};

std::span<const unsigned char> nereid::backend::nvptx::deviceMathCode() { return bytes; }
")
