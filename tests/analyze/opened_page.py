# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages of `nereid analyze --html` in headless Chromium, for the tests beside this.

Debian's python3-selenium, chromium and chromium-driver (scripts/setup --test). Without them it says "skipped:"; in
continuous integration (CI=true) that is a failure."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"


def skip(reason):
    """Says so; in continuous integration, where scripts/setup --test has been, it is a failure."""
    is_checked = os.environ.get("CI") == "true"
    print(f"{'error' if is_checked else 'skipped'}: {reason}: the page is not tested (scripts/setup --test gets what is needed)")
    sys.exit(1 if is_checked else 0)


for program in (CHROMIUM, DRIVER):
    if not os.path.exists(program):
        skip(f"there is no {program}")
try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
except ImportError as error:
    skip(f"{error} for {sys.executable}")

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INPUTS, GUIDE, FIGURES = "tests/analyze/Inputs/kernels.py", "kernels/guide.py", "benchmarks/gpu_figures/kernels.py"


def transpose(version, size=1024, block=256, grid="1024", more=""):
    return (f"{GUIDE}::transpose_v{version} --grid {grid} --card h200 input_ptr=rand:f32[{size},{size}] output_ptr=empty:f32[{size},{size}] "
            f"M={size} N={size} BLOCK_SIZE={block} {more}")


def matmul(size, tile, options=""):
    return (f"{INPUTS}::matmul --grid cdiv(M,BM),cdiv(N,BN) a=rand:f16[{size},{size}] b=rand:f16[{size},{size}] c=empty:f16[{size},{size}] "
            f"M={size} N={size} K={size} BM={tile} BN={tile} BK=64 {options}")


COPY = f"{INPUTS}::copy --grid cdiv(n,BLOCK) x=rand:f32[4096] y=empty:f32[4096] n=4096 BLOCK=1024"
TILES = transpose(3, block=64, grid="16,16")


def driver(*more):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1600", *more):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(DRIVER))


class OpenedPage(unittest.TestCase):

    nereid = ""  # the program

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = driver()

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.folder.cleanup()

    def analyze(self, words, against=None):
        path = os.path.join(self.folder.name, "page.html")
        made = subprocess.run([self.nereid, "analyze", *words.split(), "--html", path, *(["--against", against] if against else [])],
                              cwd=ROOT, capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        return path

    def open(self, words, against=None, browser=None):
        (browser or self.browser).get("file://" + self.analyze(words, against))

    def tearDown(self):
        problems = [entry["message"] for entry in self.browser.get_log("browser")]
        self.assertEqual(problems, [])

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        found = self.all(selector)
        self.assertTrue(found, selector)
        return found[0]

    def run_script(self, text):
        return self.browser.execute_script(text)

    def status(self):
        return self.one(".status").text

    def click(self, target):
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", target)
        target.click()


def main():
    """NEREID, and what unittest takes."""
    OpenedPage.nereid = os.path.abspath(sys.argv.pop(1))
    unittest.main()
