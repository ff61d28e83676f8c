#!/usr/bin/env python3
"""Opens a page of lapl report in headless Chromium, as people do: narrow and wide, light and dark.

    check_page.py PAGE.html

No error in the console, no request but for the page itself, nothing wider than the window, contrast
of every text as WCAG 2 AA asks, a slider that changes the picture by keyboard, #step=N in the
address, and static pictures without scripts. Exit status 0 where all holds, 1 where not, 77
(skipped) where the packages are missing.
"""
import json
import pathlib
import shutil
import sys

try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.keys import Keys
except ImportError as error:
    print(f"skipped: {error} (package python3-selenium)")
    sys.exit(77)

failures = []

# Finds the least contrast of all visible texts, and the text with that contrast.
LEAST_CONTRAST = """
const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
const light = (color) => {
  const [r, g, b] = numbers(color).map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const paper = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = getComputedStyle(at).backgroundColor;
    const [, , , alpha = 1] = numbers(color);
    if (alpha === 1) return color;
  }
  return "rgb(255, 255, 255)";
};
let least = [99, "no text at all"];
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const element = texts.currentNode.parentElement;
  if (!texts.currentNode.data.trim() || !element.checkVisibility() || element.closest("script"))
    continue;
  const [a, b] = [light(getComputedStyle(element).color), light(paper(element))];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < least[0]) least = [contrast, texts.currentNode.data.trim()];
}
return least;
"""


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def open_browser():
    options = Options()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def requests_in(browser):
    """Addresses that the page requested, except its own pictures (data:)."""
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            if not url.startswith("data:"):
                yield url.split("#")[0]


def shown_pictures(browser):
    return browser.execute_script(
        "return [...document.images].filter((i) => i.checkVisibility()).map((i) => i.src)")


def set_view(browser, width, scheme):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.get_log("performance")


def check_view(browser, address, width, scheme):
    where = f"{width} px, {scheme}"
    set_view(browser, width, scheme)
    browser.get(address)
    inner, content, background = browser.execute_script(
        "return [innerWidth, document.documentElement.scrollWidth,"
        " getComputedStyle(document.body).backgroundColor]")
    expect(inner == width, f"{where}: the window is {inner} px wide")
    expect(content <= width, f"{where}: the page is {content} px wide")
    expect((background == "rgb(255, 255, 255)") == (scheme == "light"),
           f"{where}: the background is {background}")
    contrast, text = browser.execute_script(LEAST_CONTRAST)
    expect(contrast >= 4.5, f"{where}: contrast {contrast:.2f} of the text {text!r}")
    expect(set(requests_in(browser)) == {address}, f"{where}: only the page itself is loaded")
    broken = browser.execute_script(
        "return [...document.images].filter((i) => i.complete && !i.naturalWidth).length")
    expect(broken == 0, f"{where}: {broken} pictures are broken")
    unnamed = browser.execute_script(
        "return document.querySelectorAll('img:not([alt]), img[alt=\"\"], svg:not([aria-label])')"
        ".length")
    expect(unnamed == 0, f"{where}: {unnamed} pictures without words")


def check_slider(browser, address):
    steps = browser.execute_script(
        "return [...document.querySelectorAll('.step')].map((s) => s.dataset.step)")
    expect(len(steps) > 2, "several output steps")
    slider = browser.find_element("id", "slider")
    expect(slider.is_displayed() and slider.accessible_name == "Output step", "a slider with label")
    words = [slider.get_attribute("aria-valuetext")]
    expect(words[0].startswith(f"step {steps[-1]},"), f"the last step is shown first: {words[0]}")
    last = shown_pictures(browser)
    slider.send_keys(Keys.ARROW_LEFT)
    expect(slider.get_attribute("aria-valuetext").startswith(f"step {steps[-2]},"),
           "the left arrow key goes to the step before")
    expect(shown_pictures(browser) not in ([], last), "and shows other pictures")
    expect(browser.current_url.endswith(f"#step={steps[-2]}"), "and the address says so")
    slider.send_keys(Keys.HOME)
    expect(slider.get_attribute("aria-valuetext").startswith(f"step {steps[0]},"),
           "the Home key goes to the first")
    first = shown_pictures(browser)
    marker = browser.execute_script("return document.querySelector('.lines i').style.left")
    expect(marker == "0%", f"the graphs mark the chosen step: {marker}")

    browser.get("about:blank")
    browser.get(f"{address}#step={steps[0]}")
    expect(shown_pictures(browser) == first, "#step=N in the address chooses the step")
    browser.get(f"{address}#step={steps[-1]}")
    expect(shown_pictures(browser) == last, "also on the open page")
    return len(steps) * len(last)


def check_without_scripts(browser, address, pictures):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.get(address)
    shown = [i for i in browser.find_elements("css selector", "img") if i.is_displayed()]
    expect(len(shown) == pictures, f"without scripts {len(shown)} of {pictures} pictures are shown")
    expect(not browser.find_element("id", "slider").is_displayed(), "and no slider")


def browser_or_skip():
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        print("skipped: no chromium with chromedriver (packages chromium chromium-driver)")
        sys.exit(77)
    try:
        return open_browser()
    except WebDriverException as error:  # for example a snap package that may not run here
        print(f"skipped: chromium does not start: {str(error).splitlines()[0]}")
        sys.exit(77)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    browser = browser_or_skip()
    try:
        address = pathlib.Path(sys.argv[1]).resolve().as_uri()
        for width in (360, 1600):
            for scheme in ("light", "dark"):
                check_view(browser, address, width, scheme)
        pictures = check_slider(browser, address)
        messages = [entry["message"] for entry in browser.get_log("browser")]
        expect(not messages, f"messages in the console: {messages}")
        check_without_scripts(browser, address, pictures)
    finally:
        browser.quit()
    print(f"{sys.argv[1]}: {len(failures)} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
