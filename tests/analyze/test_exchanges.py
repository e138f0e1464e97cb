#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tests/analyze/test_exchanges.py NEREID: what the page shows of tiles that change hands, in headless Chromium."""

import re

from opened_page import TILES, OpenedPage, main, matmul
from selenium.webdriver.common.keys import Keys


class Exchanges(OpenedPage):

    def exchanges_of(self, words):
        """Opens the page and chooses the line of the first exchange; what the page holds of all."""
        self.open(words)
        self.run_script("views[0].choose({line: lineOf(views[0].report.exchanges[0])})")
        return self.run_script("return views[0].report.exchanges")

    @staticmethod
    def sum_of(bases, number, rank):
        at = [0] * rank
        for bit, basis in enumerate(bases):
            if number >> bit & 1:
                at = [a ^ b for a, b in zip(at, basis)]
        return at

    def check_holder(self, layout, register, lane, warp, at):
        parts = [self.sum_of(layout[name], number, len(at)) for name, number in (("register", register), ("lane", lane), ("warp", warp))]
        self.assertEqual([a ^ b ^ c for a, b, c in zip(*parts)], at)

    def choose_element(self, at):
        for field, coordinate in zip(self.all(".exchange input"), at):
            field.clear()
            field.send_keys(str(coordinate), Keys.TAB)
        return self.one(".exchange .element-text").text

    def test_tile_through_shared_memory(self):
        """A transpose: where an element is before, on its way and after follows from the bases that the page holds."""
        exchange, = self.exchanges_of(TILES)
        self.assertEqual((exchange["kind"], exchange["through"], exchange["what"]), ("convert", "shared memory", "64x64 f32"))
        self.assertIn("through 16384 bytes of shared memory", self.one(".exchange .cost").text)
        self.assertEqual(len(self.all(".exchange .holders")), 2)
        self.assertEqual(len(self.all(".exchange svg.room")), 1)
        passing = self.one("[data-part=timeline] .passing")
        self.assertRegex(passing.get_attribute("aria-label"), "convert 64x64 f32: lies in shared memory from .* to ")
        for at in ([0, 0], [3, 5], [63, 62]):  # of the last one none of the first pictures shows anything
            text = self.choose_element(at)
            numbers = re.fullmatch(r"Element (\d+), (\d+): before in register (\d+) of lane (\d+) of warp (\d+); in shared memory at byte (\d+), bank (\d+); "
                                   r"after in register (\d+) of lane (\d+) of warp (\d+)\.", text)
            self.assertTrue(numbers, text)
            numbers = [int(number) for number in numbers.groups()]
            self.assertEqual(numbers[:2], at)
            self.check_holder(exchange["before"], *numbers[2:5], at)
            self.check_holder(exchange["after"], *numbers[7:], at)
            self.assertEqual(self.sum_of(exchange["room"]["offsets"], numbers[5] // 4, 2), at)
            self.assertEqual(numbers[6], numbers[5] // 4 % 32)
            marked = [rect.get_attribute("data-at") for rect in self.all(".exchange .holders rect.element")]
            self.assertEqual(marked, [",".join(map(str, at))] * 2)
            self.assertEqual([rect.get_attribute("data-byte") for rect in self.all(".exchange .room rect.element")], [str(numbers[5])])
        # A click on an element chooses its lane everywhere, and says where the element is.
        self.run_script("views[0].choose({lane: 0, warp: 0})")
        cell = self.one(".exchange .holders rect[data-at='2,7']")
        self.click(cell)
        lane, warp = cell.get_attribute("data-lane"), cell.get_attribute("data-warp")
        self.assertIn(f"lane {lane} of warp {warp}", self.status())
        self.assertIn("Element 2, 7: before in register ", self.one(".exchange .element-text").text)
        self.assertTrue(self.all(f".exchange .holders rect.picked[data-lane='{lane}'][data-warp='{warp}']"))
        self.assertEqual([field.get_property("value") for field in self.all(".exchange input")], ["2", "7"])

    def test_every_element_has_a_holder_before_and_after(self):
        """Once for each register of a thread: no layout here holds copies."""
        self.exchanges_of(TILES)
        for side in ("before", "after"):
            self.assertEqual(self.run_script(f"""
                const layout = views[0].report.exchanges[0].{side}, seen = new Set();
                for (let row = 0; row < 64; ++row) for (let column = 0; column < 64; ++column) seen.add(holdersOf(layout)([row, column]).join());
                return seen.size"""), 4096)

    def test_tile_by_shuffles(self):
        exchange = next(each for each in self.exchanges_of(matmul(512, 16)) if each["through"] == "shuffles")
        line = exchange["place"]["line"]
        row = self.one(f"[data-part=source] tr[data-line='{line}']")
        self.assertIn("16x16 f16 by shuffles", row.text)
        self.click(row)
        self.assertIn("by shuffles between the lanes of each warp", self.one(".exchange figcaption").text)
        self.assertFalse(self.all(".exchange svg.room"))
        at = [9, 6]
        numbers = [int(number) for number in re.findall(r"\d+", self.choose_element(at))]
        self.check_holder(exchange["before"], *numbers[2:5], at)
        self.check_holder(exchange["after"], *numbers[-3:] if "first of" not in self.one(".exchange .element-text").text else numbers[5:8], at)

    def test_tile_out_of_a_ring(self):
        """ldmatrix: from a room of shared memory to threads, without a layout before."""
        exchange = self.exchanges_of(matmul(512, 16))[0]
        self.assertEqual((exchange["kind"], "before" in exchange), ("read", False))
        self.assertEqual([part.text for part in self.all(".exchange .station > b")], ["After: who holds it", "Shared memory: what lies in which bank"])
        self.assertRegex(self.choose_element([1, 2]), "Element 1, 2: in shared memory at byte \\d+, bank \\d+; after in register")

    def test_tile_that_is_sent(self):
        """What tensor cores leave in registers, on its way to the copy engine."""
        exchange = next(each for each in self.exchanges_of(matmul(1024, 128)) if each["kind"] == "send")
        self.run_script(f"views[0].choose({{line: {exchange['place']['line']}}})")
        self.assertEqual([part.text for part in self.all(".exchange .station > b")], ["Before: who holds it", "Shared memory: what lies in which bank"])
        at = [77, 101]
        numbers = [int(number) for number in re.findall(r"\d+", self.choose_element(at))]
        self.check_holder(exchange["before"], *numbers[2:5], at)
        self.assertEqual(self.sum_of(exchange["room"]["offsets"], numbers[-2] // 2, 2), at)

    def test_elements_have_keys_and_names(self):
        self.exchanges_of(TILES)
        self.assertEqual(self.one(".exchange .element-text").get_attribute("aria-live"), "polite")
        row = self.all(".exchange input")[0]
        row.send_keys(Keys.ARROW_UP, Keys.TAB)
        self.assertIn("Element 1, 0: before", self.one(".exchange .element-text").text)
        row.clear()
        row.send_keys("4096", Keys.TAB)  # beyond the tile: its last row
        self.assertIn("Element 63, 0: before", self.one(".exchange .element-text").text)
        unnamed = self.run_script("return [...document.querySelectorAll('.exchange svg, .exchange input')].filter((each) => !each.getAttribute('aria-label')).length")
        self.assertEqual(unnamed, 0)


if __name__ == "__main__":
    main()
