#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tests/analyze/test_page.py NEREID [--pictures FOLDER]: the page of `nereid analyze --html` in headless Chromium: what is drawn,
clicks and keys and what they choose, no motion for who wants none, an empty kernel, a huge grid, and texts that try to break out.
With --pictures it writes screenshots to look at, of the kernels that the documentation names, and tests nothing."""

import json
import os
import re
import subprocess
import sys
import tempfile

from opened_page import COPY, FIGURES, GUIDE, INPUTS, ROOT, TILES, OpenedPage, driver, main, matmul, transpose
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait


class Page(OpenedPage):

    # What is drawn

    def test_parts(self):
        self.open(TILES)
        self.assertIn("transpose_v3", self.one("h1").text)
        parts = [section.get_attribute("data-part") for section in self.all("section")]
        self.assertEqual(parts, ["advice", "source", "chosen", "touches", "flow", "timeline", "launch", "accesses", "shared", "instructions", "arrays"])
        captions = [caption.text for caption in self.all("[data-part=touches] figcaption")]
        self.assertEqual(captions, ["input_ptr: 1,024 x 1,024", "output_ptr: 1,024 x 1,024"])
        self.assertEqual(len(self.all("[data-part=launch] path.ceiling")), 3)  # memory, L2, shared memory
        self.assertTrue(self.all("[data-part=launch] line.ceiling"))
        self.assertTrue(self.all("[data-part=launch] rect.exposed"))
        steps = [step.get_attribute("aria-label") for step in self.all("[data-part=flow] .step")]
        kinds = [label.split(", ")[1].split(" ")[0] if label.startswith("line") else label.split(" ")[0] for label in steps]
        self.assertLess(kinds.index("load"), kinds.index("store"))
        self.assertIn("convert", kinds)  # the tile is turned over through shared memory
        self.assertTrue(any("barriers each time" in label for label in steps))

    def test_time_and_shared_memory(self):
        """Of a product by rings: each span stands where its time is, and each tile in the row of its slot."""
        self.open(matmul(1024, 128))
        report = self.run_script("const r = views[0].report; return {timeline: r.timeline, rooms: r.flow.rooms, steps: r.flow.steps}")
        timeline = report["timeline"]
        self.assertEqual(len(self.all("[data-part=timeline] .span")), len(timeline["spans"]))
        self.assertEqual(len(self.all("[data-part=timeline] .hold")), len(timeline["holds"]))
        self.assertGreater(len(timeline["holds"]), 10)
        x = [float(rect.get_attribute("x")) for rect in self.all("[data-part=timeline] .span rect")]
        texts = [span.get_attribute("aria-label") for span in self.all("[data-part=timeline] .span")]
        order = {who: [span["begin"] for span in timeline["spans"] if span["who"] == who] for who in ("warps", "fetching warp", "memory", "tensor cores")}
        begins = sum(order.values(), [])
        for at, begin in zip(x, begins):
            self.assertAlmostEqual(at, 150 + begin / timeline["seconds"] * 942, delta=0.1)
        self.assertTrue(any("product 128x128" in text for text in texts))
        self.assertTrue(any("waits for the next tile" in text for text in texts))
        for slots in {room["slots"] for room in report["rooms"]}:
            self.assertTrue(any(text.text == f"slot {slots - 1}" for text in self.all("[data-part=timeline] text")))
        self.assertIn("Predicted, not measured", self.one("[data-part=timeline]").text)
        self.assertLess(len(self.all("[data-part=timeline] [tabindex='0']")), 2 * len(report["steps"]) + len(report["rooms"]) + 1)
        cells = self.all("[data-part=rooms] rect")
        self.assertGreater(len(cells), 500)
        # The first column of each row of a tile lies in other banks than that of the row before.
        first = self.run_script("return [...document.querySelector('[data-part=rooms] svg.room').querySelectorAll('[data-column=\"0\"]')].map((r) => r.getAttribute('x'))")
        self.assertGreater(len(set(first[:8])), 4)
        span = next(span for span in self.all("[data-part=timeline] .span") if "product" in span.get_attribute("aria-label"))
        span.send_keys(Keys.ENTER)
        line = span.get_attribute("data-line")
        self.assertIn(f"line {line};", self.status())
        self.assertTrue(self.all(f"[data-part=source] tr.chosen[data-line='{line}']"))

    def test_touched_elements_are_those_of_the_tile(self):
        """The second program of a transpose by tiles of 64: where it reads and writes follows from its text."""
        self.open(TILES)
        self.browser.execute_script("views[0].choose({program: 1})")
        texts = [text.text for text in self.all("[data-part=touches] figure .note")]
        self.assertRegex(texts[0], r"load: 4,096 elements from \[64, 0\] to \[127, 63\]")
        self.assertRegex(texts[1], r"store: 4,096 elements from \[0, 64\] to \[63, 127\]")

    def test_programs_that_the_page_does_not_hold(self):
        """What they touch follows from their place; where it does not, the page says that another one is drawn."""
        self.open(TILES)
        for x, y in ((5, 9), (15, 1), (7, 15)):
            self.run_script(f"views[0].choose({{program: {x} + 16 * {y}}})")
            texts = [re.sub(r"(\d),(\d{3})", r"\1\2", text.text) for text in self.all("[data-part=touches] figure .note")]
            self.assertIn(f"load: 4096 elements from [{64 * x}, {64 * y}] to [{64 * x + 63}, {64 * y + 63}]", texts[0])
            self.assertIn(f"store: 4096 elements from [{64 * y}, {64 * x}] to [{64 * y + 63}, {64 * x + 63}]", texts[1])
            self.assertNotIn("nearest", self.one("[data-part=touches]").text)
        # The last programs along both axes have fewer elements, and those beside them are not guessed.
        self.open(transpose(3, size=1000, block=64, grid="16,16"))
        self.run_script("views[0].choose({program: 5 + 16 * 9})")
        self.assertNotIn("nearest", self.one("[data-part=touches]").text)
        self.run_script("views[0].choose({program: 15 + 16 * 9})")
        self.assertIn("nearest", self.one("[data-part=touches]").text)

    def test_every_lane_touches_its_elements(self):
        """Of a copy, what the lanes of all warps touch is the program's tile, each element once."""
        self.open(COPY)
        found = self.run_script("""
            const view = views[0], list = [];
            for (let warp = 0; warp < 4; ++warp)
              for (let lane = 0; lane < 32; ++lane) { view.choose({program: 2, warp, lane}); list.push(...elementsOfLane(view, view.rounds()[0][0], 4)); }
            return list.sort((a, b) => a - b);""")
        self.assertEqual(found, list(range(2048, 3072)))

    # What is chosen

    def test_line_is_chosen_everywhere(self):
        self.open(COPY)
        self.open(TILES)
        rows = self.all("[data-part=source] tr.has")
        lines = [row.get_attribute("data-line") for row in rows]
        for row, line in zip(rows, lines):
            self.click(row)
            self.assertIn(f"line {line};", self.status())
            chosen = {item.get_attribute("data-line") for item in self.all(".chosen")}
            self.assertEqual(chosen, {line})
            self.assertTrue(self.all(f"[data-part=source] tr.chosen[data-line='{line}']"))
            self.assertTrue(self.all(f"[data-part=flow] .step.chosen[data-line='{line}']"))
            self.assertTrue(self.all("[data-part=accesses] tr.chosen, [data-part=shared] tr.chosen"))

    def test_step_of_the_flow_chooses_its_line(self):
        self.open(TILES)
        for step in self.all("[data-part=flow] .step")[:3]:
            self.click(step)
            self.assertIn(f"line {step.get_attribute('data-line')};", self.status())

    def test_lane_is_chosen_everywhere(self):
        self.open(COPY)
        cell = self.one(".holders rect[data-lane='5'][data-warp='0']")
        self.click(cell)
        self.assertIn("lane 5 of warp 0", self.status())
        self.assertTrue(self.all(".holders rect.picked[data-lane='5']"))
        self.assertFalse(self.all(".holders rect.picked:not([data-lane='5'])"))
        self.assertTrue(self.all(".request rect.picked[data-lane='5']"))
        self.assertIn("the lane: ", self.one("[data-part=touches] figure .note").text)
        self.assertEqual(self.one("input[aria-label^=lane]").get_property("value"), "5")

    def test_lanes_that_hold_other_parts_of_the_tile_come_into_sight(self):
        """A tile of 64 x 64, of which 32 x 32 are drawn: the last lane of the last warp holds none of the first ones."""
        self.open(TILES)
        self.assertFalse(self.all(".holders rect[data-lane='31'][data-warp='15']"))
        self.run_script("views[0].choose({warp: 15, lane: 31})")
        self.assertTrue(self.all(".holders rect.picked[data-lane='31'][data-warp='15']"))
        self.assertIn("columns 32 to 63", self.one("[data-part=chosen]").text)

    def test_program_and_tile(self):
        self.open(TILES)
        self.click(self.all(".waves rect")[17])  # of 16 in a row the second of the second row
        self.assertIn("program 1, 1, 0", self.status())
        self.assertEqual(len(self.all(".waves rect.picked")), 1)
        # A click into the picture of the output chooses the program and the line that wrote there.
        self.run_script("views[0].choose({program: 3, line: 0})")
        canvas = self.all("[data-part=touches] canvas")[1]
        self.run_script("""
            const canvas = document.querySelectorAll('[data-part=touches] canvas')[1], box = canvas.getBoundingClientRect();
            canvas.dispatchEvent(new MouseEvent('click', {clientX: box.left + 3, clientY: box.top + 3, bubbles: true}));""")
        self.assertIn("program 0, 0, 0", self.status())
        store = self.run_script("return lineOf(views[0].report.accesses.find((access) => access.kind === 'store'))")
        self.assertIn(f"line {store};", self.status())
        self.assertIn("store", canvas.get_attribute("aria-label"))

    def test_keyboard(self):
        self.open(COPY)
        self.one("[data-part=source] tr.has").send_keys(Keys.ENTER)
        line = self.one("[data-part=source] tr.has").get_attribute("data-line")
        self.assertIn(f"line {line};", self.status())
        holders = self.one(".holders")
        holders.send_keys(Keys.ARROW_RIGHT)
        holders.send_keys(Keys.ARROW_RIGHT)
        self.assertIn("lane 1 of warp 0", self.status())
        holders.send_keys(Keys.PAGE_DOWN)
        self.assertIn("lane 1 of warp 1", self.status())
        holders.send_keys(Keys.ESCAPE)
        self.assertIn("all lanes", self.status())
        self.one(".waves").send_keys(Keys.ARROW_RIGHT)
        self.assertIn("program 1, 0, 0", self.status())

    def test_screen_reader_has_a_name_for_everything(self):
        self.open(TILES)
        unnamed = self.run_script("""return [...document.querySelectorAll('svg:not(.legend), canvas, button, input, select, [tabindex]')].filter((each) =>
            !each.getAttribute('aria-label') && !each.textContent.trim() && !(each.labels && each.labels.length)).map((each) => each.outerHTML.slice(0, 80))""")
        self.assertEqual(unnamed, [])
        self.assertEqual(self.one(".status").get_attribute("aria-live"), "polite")
        self.assertEqual(self.one("html").get_attribute("lang"), "en")

    # Rounds

    def test_rounds(self):
        self.open(matmul(512, 64))
        slider, forth = self.one("input[type=range]"), self.all(".controls button")[2]
        rounds = int(slider.get_attribute("max")) + 1
        self.assertEqual(rounds, 512 // 64)
        before = self.one("[data-part=touches] figure .note").text
        self.click(forth)
        self.assertIn(f"round 2 of {rounds}", self.status())
        self.assertNotEqual(self.one("[data-part=touches] figure .note").text, before)
        self.click(self.one("button.play"))
        self.assertEqual(self.one("button.play").text, "stop")
        WebDriverWait(self.browser, 10).until(lambda _: f"round {rounds} of" in self.status())
        WebDriverWait(self.browser, 10).until(lambda _: self.one("button.play").text == "play")

    def test_no_motion_for_who_wants_none(self):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
        try:
            self.open(matmul(512, 64))
            self.assertFalse(self.one("button.play").is_enabled())
            self.click(self.all(".controls button")[2])
            self.assertIn("round 2 of", self.status())
        finally:
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    # Two launches

    def test_comparison(self):
        self.open(COPY, against="BLOCK=512 --num-warps 2")
        self.assertEqual(len(self.all(".side")), 2)
        differs = [row.text for row in self.all(".differences .differs")]
        self.assertTrue(any("programs 4 8 2.00" in text for text in differs), differs)
        self.assertTrue(any("threads of a block 128 64 0.50" in text for text in differs), differs)
        same = [row.text for row in self.all(".differences .same")]
        self.assertTrue(any(text.startswith("ALU ") for text in same), same)  # twice as many programs of half as many warps
        self.one("#only").click()
        self.assertFalse(any(row.is_displayed() for row in self.all(".differences .same")))
        # A line of one is the other's, too.
        row = self.all(".side [data-part=source] tr.has")[0]
        self.click(row)
        self.assertTrue(all(f"line {row.get_attribute('data-line')};" in status.text for status in self.all(".status")))

    def test_sections_stand_beside_one_another(self):
        """In the order of a page of its own, each at the height of the other launch's."""
        self.open(matmul(512, 128), against="BK=32")
        tops = self.run_script("""return [...document.querySelectorAll('.side')].map((side) => [...side.querySelectorAll(':scope > section')].map((part) =>
            [part.dataset.part, Math.round(part.getBoundingClientRect().top + scrollY)]))""")
        for side in tops:
            self.assertIn("rooms", dict(side))
            self.assertEqual([top for _, top in side], sorted(top for _, top in side), side)
        self.assertEqual(tops[0], tops[1])

    def test_comparison_of_kernels(self):
        self.open(transpose(1), against="::transpose_v3 BLOCK_SIZE=64 --grid 16,16")
        self.assertEqual([title.text.split(":")[0] for title in self.all(".side h1")], ["transpose_v1", "transpose_v3"])
        self.assertTrue(any("load of input_ptr" in row.text for row in self.all(".differences .differs")))

    # What is at the edges

    def test_kernel_without_accesses(self):
        path = os.path.join(self.folder.name, "empty.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write("import triton\n\n@triton.jit\ndef nothing(n):\n    pass\n")
        self.open(f"{path}::nothing --grid 3 n=5")
        self.assertIn("nothing", self.one("h1").text)
        self.assertIn("moves no data", self.one("[data-part=flow]").text)
        self.assertIn("access no arrays", self.one("[data-part=touches]").text)

    def test_large_kernel_and_grid_open_at_once(self):
        """A kernel of 100 lines and a grid of a million programs, in under a second."""
        path = os.path.join(self.folder.name, "large.py")
        body = "".join(f"    a = tl.load(x + i + {64 * k}, mask=i < n - {k})\n    s += a * {k}.5\n" for k in range(45))
        with open(path, "w", encoding="utf-8") as file:
            file.write("import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef large(x, y, n, B: tl.constexpr):\n"
                       "    i = tl.program_id(0) % 1024 * B + tl.arange(0, B)\n    s = tl.zeros((B,), tl.float32)\n" + body + "    tl.store(y + i, s, mask=i < n)\n")
        self.open(f"{path}::large --grid 1000000 x=rand:f32[1100000] y=empty:f32[1100000] n=1000000 B=1024 --programs 100")
        times = self.run_script("const t = performance.getEntriesByType('navigation')[0]; return t.domComplete - t.startTime")
        print(f"a kernel of 100 lines and a grid of a million: open after {times:.0f} ms", file=sys.stderr)
        self.assertLess(times, 1000)
        self.assertGreater(len(self.all("[data-part=source] tr.has")), 45)
        start = self.run_script("return performance.now()")
        self.run_script("views[0].choose({line: views[0].report.accesses[20].place.line, program: 999999})")
        self.assertLess(self.run_script("return performance.now()") - start, 500)
        self.assertIn("program 999999, 0, 0", self.status())

    # What is measured

    def profiled(self, more=""):
        path = os.path.join(self.folder.name, "profile.html")
        words = f"{INPUTS}::row_sum --grid 4096 x=rand:f32[4096,1024] y=empty:f32[4096] cols=1024 BLOCK=1024 --device cpu {more}"
        made = subprocess.run([self.nereid, "profile", *words.split(), "--html", path], cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        return path

    def test_time_by_line_of_a_cpu(self):
        self.browser.get("file://" + self.profiled())
        self.assertIn("row_sum", self.one("h1").text)
        self.assertEqual([section.get_attribute("data-part") for section in self.all("section")], ["measured", "source"])
        measured = self.all("[data-part=measured] tr[data-line]")
        self.assertTrue(measured)
        lines = {row.get_attribute("data-line") for row in measured}
        badges = {row.get_attribute("data-line") for row in self.all("[data-part=source] tr.has")}
        self.assertEqual(lines, badges)
        self.click(measured[-1])
        chosen = self.all("[data-part=source] tr.chosen")
        self.assertEqual([row.get_attribute("data-line") for row in chosen], [measured[-1].get_attribute("data-line")])
        self.assertIn(f"line {measured[-1].get_attribute('data-line')}", self.status())

    def test_measured_beside_predicted(self):
        """A page of an analysis into which a GPU's profile is put, made up: two blocks, of which one notes what two warps do."""
        path = self.analyze(COPY)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        line = lambda what, number, waits, share: {"place": {"file": INPUTS, "line": number, "column": 5, "last_line": number}, "what": what, "meaning": what,
                                                   "waits": waits, "fetches": False, "count": 4, "seconds": 1e-6, "share": share}
        lines = [line("load", 9, False, 0.25), line("await_load", 9, True, 0.75)]
        intervals = [[1, warp, at, 1e-6 * at, 1e-6 * (at + 1)] for warp in range(2) for at in range(2)]
        profile = {"device": "cuda <b>sm_90</b>", "grid": [4, 1, 1], "blocks_launched": 4, "threads": 0, "samples": 0, "turns": 3, "seconds": 2e-6, "profiled_seconds": 2.1e-6,
                   "overhead": 0.05, "recorded": 1, "waits": 0.75, "lines": lines, "blocks": [[0, 3, 0, 1e-6], [1, 7, 0, 2e-6]], "intervals": intervals, "notes": ["a note"]}
        start = text.index('id="report">') + len('id="report">')
        end = text.index("</script>", start)
        document = json.loads(text[start:end])
        document["reports"][0]["profile"] = profile
        document["reports"][0]["file"] = INPUTS
        with open(path, "w", encoding="utf-8") as file:
            file.write(text[:start] + json.dumps(document).replace("<", "\\u003c") + text[end:])
        self.browser.get("file://" + path)
        self.assertIn("cuda <b>sm_90</b>", self.one("[data-part=measured] h2").text)
        self.assertEqual(len(self.all("[data-part=measured] table tr")), 3)
        self.assertIn("2 blocks on 2 multiprocessors", self.one("[data-part=measured] canvas").get_attribute("aria-label"))
        spans = self.all("[data-part=measured] .span")
        self.assertEqual(len(spans), 4)
        self.assertEqual(len(self.all("[data-part=measured] .span.wait")), 2)
        self.assertIn("75.0 % waits: await_load", self.one("[data-part=source] tr[data-line='9']").text)
        self.assertIn("a note", self.one("[data-part=measured]").text)
        self.click(spans[0])
        self.assertIn("line 9", self.status())

    def test_texts_stay_texts(self):
        self.open("tests/cli/Inputs/analyze-escapes.py --grid 1 x=rand:f32[64] y=empty:f32[64]")
        self.assertFalse(self.all("img"))
        self.assertEqual(len(self.all("script")), 2)
        self.assertIn("</script><img src=x onerror=alert(2)> @REPORT@ @SCRIPT@", self.one("[data-part=source]").text)

    def test_nothing_is_loaded(self):
        self.open(TILES)
        self.assertEqual(self.run_script("return performance.getEntriesByType('resource').map((entry) => entry.name)"), [])


def softmax(columns):
    return (f"{FIGURES}::softmax --grid 4096 --num-warps 4 x=rand:f32[4096,{columns}] out=empty:f32[4096,{columns}] columns={columns} "
            f"BLOCK={1 << (columns - 1).bit_length()}")


PICTURES = {
    "softmax": softmax(1024),
    "matmul": f"{FIGURES}::matmul --grid cdiv(M,BLOCK_M)*cdiv(N,BLOCK_N) --num-warps 8 a=rand:f16[2048,2048] b=rand:f16[2048,2048] c=empty:f16[2048,2048] "
              "M=2048 N=2048 K=2048 stride_am=2048 stride_ak=1 stride_bk=2048 stride_bn=1 stride_cm=2048 stride_cn=1 "
              "BLOCK_M=128 BLOCK_N=256 BLOCK_K=64 GROUP=8 SUM=tl.float32 OUT=tl.float16",
    "attention": f"{FIGURES}::attention --grid 8,4 --num-warps 8 --num-stages 2 q=rand:f16[4,1024,128] k=rand:f16[4,1024,128] v=rand:f16[4,1024,128] "
                 "out=empty:f16[4,1024,128] stride_head=131072 N=1024 scale=0.088 BLOCK_M=128 BLOCK_N=128 D=128 CAUSAL=False",
    "transpose-v1": transpose(1), "transpose-v2": transpose(2), "transpose-v3": TILES,
    "transpose-v4": transpose(4, block=32, grid="1024", more="scratch_ptr=empty:f32[1081344] PAD=1"),
    # One for each kind of loss that some kernel has on the card.
    "bad-strides": f"{INPUTS}::strided --grid 1024 x=rand:f32[17825792] y=empty:f32[1048576] n=1048576 STRIDE=17 BLOCK=1024",
    "bad-columns": f"{INPUTS}::transpose_naive --grid 2048,2 x=rand:f32[2048,2048] y=empty:f32[2048,2048] rows=2048 cols=2048 BLOCK=1024",
    "bad-narrow": f"{INPUTS}::copy --grid cdiv(n,BLOCK) x=rand:f32[1000003] y=empty:f32[1000003] n=1000003 BLOCK=1024",
    "bad-gather": f"{INPUTS}::gather --grid cdiv(n,BLOCK) x=rand:f32[4194304] index=rand:i32[1048576] y=empty:f32[1048576] n=1048576 BLOCK=1024",
    "bad-reuse": matmul(2048, 16),
    "bad-few-blocks": matmul(512, 128, "--num-warps 8"),
    "bad-memory": f"{FIGURES}::silu --grid cdiv(n,BLOCK) x=rand:f32[16777216] out=empty:f32[16777216] n=16777216 BLOCK=1024",
    "bad-special": f"{INPUTS}::rounds --grid 4096 x=rand:f32[1048576] y=empty:f32[1048576] n=64 BLOCK=256",
    "bad-spills": f"{FIGURES}::softmax --grid 1024 --num-warps 4 --maxnreg 32 x=rand:f32[1024,12672] out=empty:f32[1024,12672] columns=12672 BLOCK=16384",
    "bad-float32": f"{GUIDE}::gemm_v1 --grid 16,16 a_ptr=rand:f32[1024,1024] b_ptr=rand:f32[1024,1024] c_ptr=empty:f32[1024,1024] M=1024 N=1024 K=1024 "
                   "BLOCK_SIZE_M=64 BLOCK_SIZE_N=64 BLOCK_SIZE_K=32",
}


def take_pictures(folder):
    browser = driver()
    with tempfile.TemporaryDirectory() as pages:
        for name, words in {**PICTURES, "comparison": transpose(1)}.items():
            path = os.path.join(pages, "page.html")
            more = ["--against", "::transpose_v3 BLOCK_SIZE=64 --grid 16,16"] if name == "comparison" else []
            made = subprocess.run([OpenedPage.nereid, "analyze", *words.split(), "--html", path, *more], cwd=ROOT, capture_output=True, text=True, check=False)
            if made.returncode:
                print(name, made.stderr)
                continue
            browser.set_window_size(1800 if more else 1280, 1000)
            browser.get("file://" + path)
            size = browser.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
            browser.set_window_size(1800 if more else 1280, int(size["height"]) + 150)
            browser.save_screenshot(os.path.join(folder, f"{name}.png"))
            print(name, os.path.getsize(path), "bytes")
    browser.quit()


if __name__ == "__main__":
    if "--pictures" in sys.argv:
        OpenedPage.nereid, _, pictures = (os.path.abspath(word) for word in sys.argv[1:4])
        os.makedirs(pictures, exist_ok=True)
        take_pictures(pictures)
    else:
        main()
