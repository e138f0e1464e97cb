/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiles with the system's LLVM, by a Nereid kernel, and with LLVM again. */
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"
#include "llvm-c/TargetMachine.h"
#include "nereid-c/nereid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void compileByLlvm(void) {
  char *message = NULL, *triple = LLVMGetDefaultTargetTriple();
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("twice", context);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
  LLVMValueRef function = LLVMAddFunction(module, "twice", LLVMFunctionType(i32, &i32, 1, 0));
  LLVMValueRef value = LLVMGetParam(function, 0);
  LLVMTargetRef target;
  LLVMTargetMachineRef machine;
  LLVMMemoryBufferRef object;
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, "entry"));
  LLVMBuildRet(builder, LLVMBuildAdd(builder, value, value, "sum"));
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  if (LLVMGetTargetFromTriple(triple, &target, &message)) {
    fprintf(stderr, "%s\n", message);
    exit(1);
  }
  machine = LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                    LLVMCodeModelDefault);
  if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object)) {
    fprintf(stderr, "%s\n", message);
    exit(1);
  }
  printf("LLVM made %zu bytes\n", LLVMGetBufferSize(object));
  LLVMDisposeMemoryBuffer(object);
  LLVMDisposeTargetMachine(machine);
  LLVMDisposeBuilder(builder);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  LLVMDisposeMessage(triple);
}

static void require(nereid_status status, nereid_error *error) {
  if (status == NEREID_OK)
    return;
  fprintf(stderr, "%s\n", nereid_error_message(error));
  exit(1);
}

static void runByNereid(void) {
  static const char text[] = "import triton\n"
                             "import triton.language as tl\n"
                             "@triton.jit\n"
                             "def twice(x):\n"
                             "    i = tl.arange(0, 4)\n"
                             "    tl.store(x + i, tl.load(x + i) * 2)\n";
  const int64_t shape[1] = {4};
  int32_t values[4] = {21, 21, 21, 21};
  nereid_error *error = NULL;
  nereid_device *device;
  nereid_module *module;
  nereid_kernel *kernel;
  nereid_array *array;
  nereid_argument argument;
  require(nereid_device_open("cpu", NULL, &device, &error), error);
  require(nereid_module_from_text(text, strlen(text), NULL, NULL, &module, &error), error);
  require(nereid_module_kernel(module, "twice", &kernel, &error), error);
  require(nereid_array_borrow(device, values, NEREID_DTYPE_Int32, shape, NULL, 1, &array, &error),
          error);
  argument = nereid_arg_array("x", array);
  require(nereid_kernel_launch(kernel, device, 1, 1, 1, &argument, 1, NULL, &error), error);
  printf("Nereid says %d\n", values[3]);
  nereid_array_release(array);
  nereid_kernel_release(kernel);
  nereid_module_release(module);
  nereid_device_release(device);
}

int main(void) {
  compileByLlvm();
  runByNereid();
  compileByLlvm();
  return 0;
}
