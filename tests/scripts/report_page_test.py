"""Uses the page of `qkvlab report` in a browser: report_page_test.py QKVLAB SANDBOX PICTURES."""

import base64
import json
import re
import subprocess
import sys

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

from report_page_records import SEEDS, loss_at, weights_of, write_experiment

QKVLAB, SANDBOX, PICTURES = sys.argv[1:]


def qkvlab(*arguments):
    return subprocess.run([QKVLAB, *arguments], check=True, capture_output=True).stdout


def browser():
    options = Options()
    for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
                     "--no-first-run", "--disable-background-networking", "--disable-component-update",
                     "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + SANDBOX + "/profile"]:
        options.add_argument(argument)
    options.binary_location = "/usr/bin/chromium"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_page_load_timeout(60)
    return driver


class Test:
    def __init__(self, driver, page, compared):
        self.driver, self.page, self.compared = driver, page, compared

    # ---- helpers --------------------------------------------------------------------------------------------------
    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def wait(self, condition, what):
        WebDriverWait(self.driver, 30, 0.05).until(lambda _: condition(), what)

    def device(self, width, height=900):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def media(self, media="", scheme="light"):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self):
        self.driver.get(self.page)

    def make_all_charts(self):
        """Charts are made when they come into sight."""
        figures = len(self.all("figure.curve"))
        for figure in self.all("figure.curve"):
            self.js("arguments[0].scrollIntoView()", figure)
        self.wait(lambda: len(self.all(".live canvas")) >= figures, "the charts are not drawn")

    def picture(self, name):
        size = self.js("return [innerWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": min(size[1], 16000), "scale": 1}
        png = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        with open(f"{PICTURES}/{name}.png", "wb") as file:
            file.write(base64.b64decode(png["data"]))

    def no_complaints(self):
        entries = self.driver.get_log("browser")
        assert not entries, entries

    # ---- what is tested -------------------------------------------------------------------------------------------
    def test_numbers_are_those_of_compare(self):
        assert self.js("return document.getElementById('comparison').textContent").encode() == self.compared_as_written()
        table = self.js("""
            const rows = {};
            for (const table of document.querySelectorAll("table[data-section]"))
              for (const row of table.querySelectorAll("tbody tr"))
                for (const cell of row.querySelectorAll("td"))
                  rows[[table.dataset.section, row.querySelector("bdi").textContent, cell.dataset.key]] =
                    [...cell.querySelectorAll("data")].map((data) => [Number(data.value), data.textContent]);
            return rows;""")
        seen = 0
        for variant in json.loads(self.compared)["variants"]:
            # What would turn the direction of writing about is replaced on the page.
            name = variant["variant"].replace("\u2028", "\ufffd").replace("\u202e", "\ufffd")
            shown = {**{("variant", key): value for key, value in variant.items()},
                     **{(section, key): value for section in ("difference", "test")
                        for key, value in (variant["paired"] or {}).items()}}
            for (section, key), value in shown.items():
                cell = table.get(f"{section},{name},{key}")
                if cell is None:
                    continue
                seen += 1
                exact = [number for number, _ in cell]
                assert exact == ([] if value is None else value if isinstance(value, list) else [value]), (section, key)
                for number, text in cell:
                    rounded = float(text.replace("−", "-").replace("+", ""))
                    assert abs(rounded - number) <= 0.06 * abs(number), (key, number, text)
        assert seen >= 30, f"only {seen} numbers are on the page"

    def compared_as_written(self):
        """The same JSON with what must not stand in a script as escapes: all else byte for byte."""
        text = self.compared.decode()
        for character in "<>&\u2028\u2029":
            text = text.replace(character, f"\\u{ord(character):04x}")
        return text.encode()

    def test_text_of_records_is_inert(self):
        assert self.js("return window.hit") is None
        assert not self.all("img, iframe, object, embed, [onerror]")
        assert "<img src=x" in self.find("h1").text

    def test_structure(self):
        levels = self.js("return [...document.querySelectorAll('h1,h2,h3,h4')].map((h) => Number(h.tagName[1]))")
        assert levels[0] == 1 and levels.count(1) == 1, levels
        assert all(later - earlier <= 1 for earlier, later in zip(levels, levels[1:])), levels
        unnamed = self.js("""
            return [...document.querySelectorAll("select, input, button, summary, [tabindex='0'], svg[role=img]")]
              .filter((element) => element.checkVisibility() && !element.ariaLabel && !(element.labels && element.labels.length) &&
                                   !element.textContent.trim()).map((element) => element.outerHTML.slice(0, 200))""")
        assert not unnamed, unnamed
        for landmark in ("header", "nav[aria-label]", "main", "footer"):
            assert len(self.all(landmark)) == 1, landmark
        assert self.js("return document.documentElement.lang") == "en"

    def test_skip_link_comes_first(self):
        self.find("body").send_keys(Keys.TAB)
        assert self.js("return document.activeElement.className") == "skip"
        self.wait(lambda: self.driver.switch_to.active_element.rect["y"] >= 0, "the skip link stays out of sight")
        self.driver.switch_to.active_element.send_keys(Keys.ENTER)
        assert self.js("return document.activeElement.id") == "main"

    def test_curves_by_keyboard(self):
        figure = next(figure for figure in self.all("figure.curve") if "step.loss" in figure.text)
        area, readout = figure.find_element(By.CSS_SELECTOR, ".live"), figure.find_element(By.CSS_SELECTOR, ".readout")
        self.js("arguments[0].focus({preventScroll: true})", area)
        area.send_keys(Keys.HOME)
        area.send_keys(Keys.ARROW_RIGHT)
        mean = sum(loss_at(0, seed, 2) for seed in SEEDS) / len(SEEDS)
        words = self.js("return arguments[0].textContent", readout)
        assert words.startswith("step 2") and f"full {mean:.4g}" in words, (words, mean)
        area.send_keys(Keys.END)
        assert self.js("return arguments[0].textContent", readout).startswith("step 100")
        button = figure.find_element(By.CSS_SELECTOR, ".tools button")
        pixels = "return arguments[0].querySelector('canvas').toDataURL()"
        for pressed in ("false", "true"):
            before = self.js(pixels, area)
            button.send_keys(Keys.ENTER)
            assert button.get_attribute("aria-pressed") == pressed
            assert self.js(pixels, area) != before, "the axis stays as it was"

    def test_legend_hides_a_variant(self):
        box = self.find(".legend input")
        area = self.find("figure.curve .live")
        pixels = "return arguments[0].querySelector('canvas').toDataURL()"
        before = self.js(pixels, area)
        box.send_keys(Keys.SPACE)
        hidden = self.js(pixels, area)
        assert hidden != before
        box.send_keys(Keys.SPACE)
        assert self.js(pixels, area) == before

    def test_a_seed_is_followed(self):
        select = Select(self.find(".dot-plots select"))
        select.select_by_visible_text("3")
        assert len(self.all(".dots.on")) == 2 and len(self.all(".join.on")) == 1 and len(self.all("tr.on")) == 1
        words = self.find(".dot-plots .readout").text
        assert "seed 3" in words and f"full {loss_at(0, 3, 100):.4g}" in words, words
        select.select_by_visible_text("none")
        assert not self.all(".dots.on")

    def test_every_map(self):
        """Every control changes the map, and the cursor reads the weights that were recorded."""
        panel, other = self.all(".panel")
        area = panel.find_element(By.CSS_SELECTOR, ".map")
        chosen = {"variant": 0, "seed": 0, "step": 100, "layer": 0, "head": 0, "sample": 0}
        pixels = "return arguments[0].querySelector('canvas').toDataURL()"

        def check():
            self.js("arguments[0].focus({preventScroll: true})", area)
            for key in (Keys.HOME, *[Keys.ARROW_UP] * 4, Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT):
                area.send_keys(key)
            words = self.js("return arguments[0].querySelector('.readout').textContent", panel)
            weight = weights_of(*(chosen[name] for name in ("variant", "seed", "step", "layer", "head", "sample")))[1][2]
            told = re.fullmatch(r"机器人 \(1\) looks at '' \(2\): ([0-9.]+)", words)
            assert told and abs(float(told[1]) - weight) <= 0.0025, (words, weight, chosen)

        check()
        for name in ("seed", "layer", "head", "sample"):
            before = self.js(pixels, area)
            Select(self.find(f"#map-viewer select[name={name}]")).select_by_visible_text("1")
            chosen[name] = 1
            assert self.js(pixels, area) != before, f"{name} changes nothing"
            check()
        slider = self.find("#map-viewer input[type=range]")
        slider.send_keys(Keys.ARROW_LEFT)
        chosen["step"] = 50
        assert self.js("return arguments[0].getAttribute('aria-valuetext')", slider) == "step 50"
        check()
        Select(panel.find_element(By.TAG_NAME, "select")).select_by_index(1)
        chosen["variant"] = 1
        check()
        before = self.js(pixels, area)
        Select(self.find("#map-viewer select[name=scale]")).select_by_value("relative")
        assert self.js(pixels, area) != before
        assert "Entropy 1.5 nats" in other.text
        panel.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
        self.wait(lambda: panel.find_elements(By.CSS_SELECTOR, "td"), "the numbers do not appear")
        cell = panel.find_elements(By.CSS_SELECTOR, "tbody tr")[1].find_elements(By.TAG_NAME, "td")[2]
        assert cell.text in self.js("return arguments[0].querySelector('.readout').textContent", panel)

    def test_colours(self):
        """Contrast as WCAG 2 counts it, in both schemes."""
        grounds = set()
        for scheme in ("light", "dark"):
            self.media("", scheme)
            colours = self.js("""
                const canvas = document.createElement("canvas").getContext("2d");
                return Object.fromEntries(["--ground", "--raised", "--ink", "--quiet", "--link", "--accent",
                  ...[0, 1, 2, 3, 4, 5, 6, 7].map((i) => "--v" + i)].map((name) => {
                    canvas.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
                    return [name, canvas.fillStyle]; }))""")
            grounds.add(colours["--ground"])
            for name, colour in colours.items():
                if name in ("--ground", "--raised"):
                    continue
                least = 3 if name.startswith("--v") else 4.5
                assert contrast(colour, colours["--ground"]) >= least, (scheme, name, colour)
            assert contrast(colours["--ink"], colours["--raised"]) >= 4.5
        assert len(grounds) == 2, "light and dark are the same"
        self.media()

    def test_width(self, width, scheme):
        self.media("", scheme)
        self.device(width)
        self.open()
        self.make_all_charts()
        widest = self.js("return document.documentElement.scrollWidth")
        assert widest <= width, f"{widest} pixels wide in a window of {width}"
        self.picture(f"{scheme}_{width}")
        self.no_complaints()

    def test_print(self):
        self.media("print")
        assert self.js("return getComputedStyle(document.querySelector('.paper-maps')).display") != "none"
        assert self.js("return getComputedStyle(document.querySelector('.curve svg')).display") != "none"
        assert self.js("return getComputedStyle(document.querySelector('#map-viewer')).display") == "none"
        pdf = base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
        assert pdf.startswith(b"%PDF") and len(pdf) > 20000
        with open(f"{PICTURES}/print.pdf", "wb") as file:
            file.write(pdf)
        self.media()

    def test_without_scripts(self):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        self.open()
        root = self.driver.execute_cdp_cmd("DOM.getDocument", {})["root"]["nodeId"]
        for selector in (".dot-plot svg", ".curve .plot svg", ".paper-maps svg.map", "table[data-section=variant]",
                         "pre.command", "a[download]"):
            nodes = self.driver.execute_cdp_cmd("DOM.querySelectorAll", {"nodeId": root, "selector": selector})["nodeIds"]
            assert nodes, f"no {selector}"
            box = self.driver.execute_cdp_cmd("DOM.getBoxModel", {"nodeId": nodes[0]})["model"]
            assert box["width"] > 20 and box["height"] > 10, f"{selector} cannot be seen"
        assert not self.all(".live canvas")
        png = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})["data"]
        with open(f"{PICTURES}/without_scripts.png", "wb") as file:
            file.write(base64.b64decode(png))
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    def test_nothing_is_asked_of_the_network(self):
        asked = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        urls = {message["params"]["request"]["url"] for message in asked
                if message["method"] == "Network.requestWillBeSent" and message["params"]["documentURL"] == self.page}
        assert urls == {self.page}, urls


def contrast(one, other):
    def luminance(colour):
        channels = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def main():
    path = SANDBOX + "/experiment"
    write_experiment(path)
    compared = qkvlab("compare", path, "--format", "json")
    qkvlab("report", path, "-o", SANDBOX + "/page.html")
    driver = browser()
    try:
        test = Test(driver, "file://" + SANDBOX + "/page.html", compared)
        test.device(1280)
        test.media()
        test.open()
        test.test_numbers_are_those_of_compare()
        test.test_text_of_records_is_inert()
        test.test_skip_link_comes_first()
        test.make_all_charts()
        test.test_structure()
        test.test_curves_by_keyboard()
        test.test_legend_hides_a_variant()
        test.test_a_seed_is_followed()
        test.test_every_map()
        test.test_colours()
        test.no_complaints()
        test.test_print()
        for width, scheme in ((375, "light"), (1600, "dark"), (1280, "light")):
            test.test_width(width, scheme)
        test.test_nothing_is_asked_of_the_network()
        test.test_without_scripts()
    finally:
        driver.quit()


main()
