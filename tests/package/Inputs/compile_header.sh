# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# compile_header.sh LAUNCHER COMPILER DIRECTORY
set -eu
launcher=$(realpath "$1") compiler=$2 directory=$3
rm -rf "$directory"

make() { # one checkout's header
  (cd "$1" && "$launcher" "$compiler" -x c++-header -Xclang -fno-pch-timestamp -MD -MF pch.d -o a.pch -c "$1/cmake_pch.hxx" 2>errors)
}
for checkout in one other; do
  mkdir -p "$directory/$checkout/sub"
  cd "$directory/$checkout"
  echo 'int from_below();' >sub/b.h
  echo '#include "sub/b.h"' >a.h
  echo "#include \"$PWD/a.h\"" >cmake_pch.hxx # as CMake writes it
  make "$PWD"
done
cd "$directory"
if cmp -s one/a.pch other/a.pch; then echo "headers do not depend on their place: there is nothing to test"; exit 1; fi
cmp one/a.pch.sum other/a.pch.sum

# What any of the files says is part of it.
echo 'long from_below();' >other/sub/b.h
make "$PWD/other"
if cmp -s one/a.pch.sum other/a.pch.sum; then echo "another text has the same sum"; exit 1; fi

# A mistake is the compiler's, and nothing else gets a sum.
echo 'no text' >other/a.h
rm other/a.pch.sum
if make "$PWD/other"; then echo "the compiler's failure is lost"; exit 1; fi
echo 'int x;' >x.cpp
"$launcher" "$compiler" -c x.cpp -o x.o
if [ -e other/a.pch.sum ] || [ -e x.o.sum ] || [ ! -e x.o ]; then ls -R; exit 1; fi
