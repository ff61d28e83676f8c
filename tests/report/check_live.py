#!/usr/bin/env python3
"""Opens the page of lapl watch --web in headless Chromium while a run goes on.

    check_live.py LAPL SOURCE

The page follows the run, looks right narrow and wide, light and dark, loads nothing from elsewhere,
stores a checkpoint and stops the run by its buttons; whoever lacks its random address finds
nothing. Exit status as of check_page.py; also 77 where this build has no server.
"""
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import check_page
from check_page import LEAST_CONTRAST, expect

from selenium.webdriver.support.ui import WebDriverWait


def status_of(address, method="GET"):
    try:
        with urllib.request.urlopen(urllib.request.Request(address, method=method)) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def check_addresses(address):
    root = address[:address.index("/", len("http://"))]
    token = address[len(root) + 1:-1]
    expect(root.startswith("http://127.0.0.1:") and len(token) == 32, f"the address is {address}")
    other = "0" * 32
    for path in ("/", f"/{other}/", f"/{other}/state", f"/{token}", f"/x/{token}/"):
        expect(status_of(root + path) == 404, f"{path} is not found")
    for what in ("stop", "checkpoint"):
        expect(status_of(f"{root}/{other}/{what}", "POST") == 404, f"{what} needs the token")
        expect(status_of(address + what) == 404, f"{what} is no address to visit")


def check_view(browser, address, width, scheme):
    where = f"{width} px, {scheme}"
    check_page.set_view(browser, width, scheme)
    browser.get(address)
    wait(browser, lambda _: browser.find_element("id", "report").is_displayed())
    content = browser.execute_script("return document.documentElement.scrollWidth")
    expect(content <= width, f"{where}: the page is {content} px wide")
    contrast, text = browser.execute_script(LEAST_CONTRAST)
    expect(contrast >= 4.5, f"{where}: contrast {contrast:.2f} of the text {text!r}")
    wait(browser, lambda _: browser.execute_script(
        "return document.getElementById('report').contentDocument.images.length") > 0)
    expect(all(url.startswith((address, "about:")) for url in check_page.requests_in(browser)),
           f"{where}: nothing else is loaded")


def wait(browser, condition):
    WebDriverWait(browser, 300).until(condition)


def text_of(browser, name):
    return browser.find_element("id", name).text


def checkpoints(folder):
    return {path.name for path in (folder / "checkpoints").glob("step-*.h5")}


def check_run(browser, address, run, folder):
    step = text_of(browser, "facts")
    wait(browser, lambda _: text_of(browser, "facts") != step)
    before = checkpoints(folder)
    browser.find_element("id", "checkpoint").click()
    wait(browser, lambda _: checkpoints(folder) - before)
    expect(run.poll() is None, "the run goes on after a checkpoint")
    expect(status_of(address + "report") == 200, "the report is served")
    browser.find_element("id", "stop").click()
    wait(browser, lambda _: text_of(browser, "status") == "stopped")
    expect(run.wait() == 75, "the run has stopped with a checkpoint")
    expect(not browser.find_element("id", "stop").is_enabled(), "nothing is left to stop")
    expect(status_of(address + "stop", "POST") == 409, "and a request says so")


def main():
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    browser = check_page.browser_or_skip()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "run"
        run = subprocess.Popen(
            [program, "run", source / "configs/tutorial-small.yaml", "--quiet", "--output", folder,
             "--set", "time.steps=90000000000", "--set", "output.every=100000"])
        watch = None
        try:
            while not list(folder.glob("fields/step-*.nc")) and run.poll() is None:
                time.sleep(0.05)
            watch = subprocess.Popen([program, "watch", folder, "--web"], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True)
            address = watch.stdout.readline().strip()
            if not address:
                print("skipped:", watch.stderr.read())
                sys.exit(77)
            check_addresses(address)
            for width in (390, 1440):
                for scheme in ("light", "dark"):
                    check_view(browser, address, width, scheme)
            check_run(browser, address, run, folder)
            messages = [entry["message"] for entry in browser.get_log("browser")]
            expect(not messages, f"messages in the console: {messages}")
        finally:
            browser.quit()
            for process in (run, watch):
                if process:
                    process.kill()
                    process.wait()
    print(f"{len(check_page.failures)} failures")
    sys.exit(1 if check_page.failures else 0)


if __name__ == "__main__":
    main()
