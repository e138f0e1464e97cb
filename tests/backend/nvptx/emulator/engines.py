# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions for what works beside the threads, tensor cores and the copy engine: mixed into a Function."""

import re

import memory
import tensor
import wgmma
from operands import split


class Engines:
    def begin(self, body):
        """Before the first statement of this body."""
        self.has_engines = "wgmma." in body or "cp.async.bulk.tensor" in body
        self.overlaps = "griddepcontrol.wait" in body
        self.sum_lists = list(dict.fromkeys(re.findall(r"wgmma\.mma_async[^{]*\{([^}]*)\}", body)))
        self.unfenced = set()  # registers that this block of the code changed without a wgmma.fence behind it

    def changes(self, opcode, rest):
        if self.sum_lists and not opcode.startswith(("wgmma", "st", "bra", "bar", "ret")):
            first = split(rest)[:1]
            self.unfenced.update(re.findall(r"%\w+", first[0]) if first else ())

    def names(self, text):
        return "".join(f"{self.operand(register)}, " for register in split(text))

    # Products of warpgroups

    def op_wgmma(self, m, a):
        if "fence" in m:
            self.unfenced.clear()
            self.emit("M.products.fence(tid)")
        elif "commit_group" in m:
            self.emit("M.products.commit(tid)")
        elif "wait_group" in m:
            self.await_products(int(a[0]))
        else:
            self.begin_product(m, a)

    def begin_product(self, m, a):
        shape, sum_kind, left_kind, right_kind = m[-4:]
        columns, depth = (int(n) for n in re.fullmatch(r"m64n(\d+)k(\d+)", shape).groups())
        sums, left, right, adds, *flags = a
        changed = self.unfenced & set(re.findall(r"%\w+", sums + (left if left.startswith("{") else "")))
        if changed:
            raise ValueError(f"no wgmma.fence stands between what changes {sorted(changed)} and a product")
        turned = [0, 0]
        if sum_kind == "f32":
            if flags[:2] != ["1", "1"]:
                raise ValueError("a product changes signs")
            given = [int(flag) for flag in flags[2:]]
            turned = [0] * (2 - len(given)) + given  # of a left factor in registers nothing is said
        if (sum_kind not in ("f32", "s32") or depth * tensor.WIDTHS[left_kind] != wgmma.FACTOR_BYTES * 8
                or len(split(sums[1:-1])) * 2 != columns):
            raise ValueError(f"no product {'.'.join(m)}")
        held = self.names(sums[1:-1])
        names, factor = None, self.operand(left) if left[0] != "{" else None
        if left[0] == "{":
            factor = f"({self.names(left[1:-1])})"
            names = tuple(self.operand(register) for register in split(left[1:-1]))
        form = (columns, sum_kind, left_kind, right_kind, *turned, names, self.sum_lists.index(sums[1:-1]))
        self.emit(f"product = M.products.begin(tid, {form!r}, ({held}), {factor}, {self.operand(right)}, "
                  f"{self.operand(adds)})")
        self.emit(f"{' = '.join(held.rstrip(', ').split(', '))} = product")

    def await_products(self, pending):
        self.emit(f"finished = yield ('products', {pending})")
        self.emit("if finished:")
        for number, text in enumerate(self.sum_lists):
            held = self.names(text)
            first = held.partition(",")[0]
            self.emit(f"  if type({first}) is Product and {first}.words and {first}.form[7] == {number}:")
            self.emit(f"    ({held}) = {first}.take(({held}))")
        self.emit("  M.products.check(finished)")

    # Copies in bulk

    def box(self, text):
        """Of a map and coordinates in brackets: what each of the two is."""
        address, coordinates = split(text[1:-1])
        return f"M.maps[{self.operand(address)}]", f"({self.names(coordinates.strip()[1:-1])})"

    def copy_in_bulk(self, m, a):
        if "prefetch" in m:
            self.emit(f"M.range('global', {self.address(a[0])}, {self.operand(a[1])})")
        elif "commit_group" in m:
            self.emit("M.sent.commit(tid)")
        elif "wait_group" in m:
            self.emit(f"M.sent.wait(tid, {int(a[0])}, {'read' in m})")
        elif "tensor" not in m:
            self.emit(f"M.copy_in_bulk({self.address(a[0])}, {self.address(a[1])}, {self.operand(a[2])}, "
                      f"{self.address(a[3])})")
        elif "bulk_group" in m:
            tensor_map, at = self.box(a[0])
            self.emit(f"M.sent.send(tid, {tensor_map}.sent({self.address(a[1])}, {at}), {'reduce' in m})")
        else:
            tensor_map, at = self.box(a[1])
            self.emit(f"M.fetch({self.address(a[2])}, {tensor_map}.fetched(M, {self.address(a[0])}, {at}))")

    def op_prefetch(self, m, a):
        self.emit(f"M.maps[{self.address(a[0])}]" if "tensormap" in m else "pass")

    def op_cvta(self, m, a):  # parameters have one address
        window = memory.WINDOWS.get(self.space(m), 0)
        self.assign(a[0], m[-1], f"({self.read(a[1], m[-1])} {'-' if 'to' in m else '+'} {window})")

    # Barriers and fences

    def op_mbarrier(self, m, a):
        if "init" in m:
            self.emit(f"M.barriers[{self.address(a[0])}] = TransactionBarrier({self.operand(a[1])})")
        elif "arrive" in m:
            self.emit(f"M.barrier({self.address(a[1])}).arrive({self.operand(a[2]) if len(a) > 2 else 0})")
        else:  # try_wait: until it is true
            self.emit(f"yield ('await', {self.address(a[1])}, {self.operand(a[2])})")
            self.emit(f"{self.operand(a[0])} = True")

    def op_setmaxnreg(self, m, a):
        self.emit("pass")

    def op_fence(self, m, a):
        self.emit("M.publish(tid)" if "proxy" in m and self.has_engines else "pass")

    op_membar = op_fence
