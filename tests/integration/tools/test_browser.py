"""What a real browser lets pages do: the server's own, and one of another origin."""
import http.server
import json
import queue
import re
import shutil
import subprocess
import threading
import time

import pytest
from harness import PATIENCE, ROOT

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no chromium here")

PAGE = """<!DOCTYPE html><script>
const attempt = url => new Promise(resolve => {
  const socket = new WebSocket(url, "tweed.v1")
  socket.onmessage = ({ data }) => resolve(JSON.parse(data).method)
  socket.onclose = ({ code }) => resolve(code)
})
const read = url => fetch(url).then(response => response.text(), () => "blocked")
Promise.all([...SOCKETS.map(attempt), ...READS.map(read)])
  .then(results => fetch("/done", { method: "POST", body: JSON.stringify(results) }))
</script>"""


@pytest.fixture
def browse(tmp_path):
    """browse(address) opens it, until the test ends."""
    browsers = []

    def open_page(address):
        browsers.append(subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}",
             "--disable-background-networking", "--remote-debugging-port=0", "--proxy-server=direct://",
             "--host-resolver-rules=MAP rebound.example 127.0.0.1", address],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    yield open_page
    for browser in browsers:
        browser.terminate()
        browser.wait()


@pytest.fixture
def visit(browse):
    """visit(text) opens that page, of the origin visit.origin; gives what it posts there."""
    results, page = queue.Queue(), {}

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page["text"].encode())

        def do_POST(self):
            results.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()

    def visit_page(text):
        page["text"] = text
        browse(visit_page.origin)
        return results.get(timeout=60 * PATIENCE)

    visit_page.origin = f"http://127.0.0.1:{site.server_port}"
    yield visit_page
    site.shutdown()


def test_a_page_of_another_origin_can_neither_connect_nor_read(start, visit):
    closed, opened = start(), start("--allow-origin", visit.origin)
    ports = closed.ports["http"], opened.ports["http"]
    sockets = [f"ws://{host}/v1" for host in (f"127.0.0.1:{ports[0]}", f"127.0.0.1:{ports[1]}",
                                              f"rebound.example:{ports[1]}")]
    reads = [f"http://127.0.0.1:{ports[0]}/metrics", f"http://127.0.0.1:{closed.ports['tcp']}/"]
    refused, greeted, rebound, metrics, other = visit(
        PAGE.replace("SOCKETS", json.dumps(sockets)).replace("READS", json.dumps(reads)))
    assert (refused, rebound) == (1006, 1006)
    assert greeted == "server.hello"
    assert (metrics, other) == ("blocked", "blocked")
    assert f'one of --allow-origin: "{visit.origin}"' in closed.log()
    assert closed.client().request("server.stats")["tick"] == 0


def test_the_page_of_the_protocols_readme_shows_numbers(start, visit):
    (text,) = re.findall(r"```html\n(.*?)```", (ROOT / "protocol/README.md").read_text(), re.DOTALL)
    server = start("--allow-origin", visit.origin, paused=False)
    shown = visit(text.replace("7602", str(server.ports["http"])) + """<script>
        setInterval(() => hips.textContent && fetch("/", { method: "POST", body: JSON.stringify(hips.textContent) }), 100)
        </script>""")
    assert len([float(number) for number in shown.split("\n")]) == 10


def test_the_own_page_connects_and_runs_no_inline_script(start, browse, tmp_path):
    script = """const socket = new WebSocket(`ws://${location.host}/v1`, "tweed.v1")
        socket.onopen = () => socket.send(JSON.stringify({ jsonrpc: "2.0", method: "session.open", params: { client: "NAME" } }))
        """
    (tmp_path / "web").mkdir()
    (tmp_path / "web/page.js").write_text("{" + script.replace("NAME", "page") + "}")
    (tmp_path / "web/index.html").write_text(
        "<!DOCTYPE html><script>{" + script.replace("NAME", "inline") + "}</script><script src=page.js></script>")
    server = start("--web", tmp_path / "web")
    browse(f"http://127.0.0.1:{server.ports['http']}/")
    client, names, deadline = server.client(), [], time.monotonic() + 60 * PATIENCE
    while "page" not in names:
        assert time.monotonic() < deadline
        time.sleep(0.1)
        names = [other["client"] for other in client.request("server.stats")["clients"]]
    assert "inline" not in names
