"""What a real browser lets a page of another origin do."""
import http.server
import json
import queue
import shutil
import subprocess
import threading

import pytest
from harness import PATIENCE

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
def visit(tmp_path):
    """visit(sockets, reads) opens a page of an origin of its own; gives that page's results, by `origin` first."""
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
    browsers = []

    def visit_page(sockets, reads):
        page["text"] = PAGE.replace("SOCKETS", json.dumps(sockets)).replace("READS", json.dumps(reads))
        browsers.append(subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}",
             "--disable-background-networking", "--remote-debugging-port=0", "--proxy-server=direct://",
             "--host-resolver-rules=MAP rebound.example 127.0.0.1", visit_page.origin],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return results.get(timeout=60 * PATIENCE)

    visit_page.origin = f"http://127.0.0.1:{site.server_port}"
    yield visit_page
    for browser in browsers:
        browser.terminate()
        browser.wait()
    site.shutdown()


def test_a_page_of_another_origin_can_neither_connect_nor_read(start, visit):
    closed, opened = start(), start("--allow-origin", visit.origin)
    ports = closed.ports["http"], opened.ports["http"]
    refused, greeted, rebound, metrics, other = visit(
        [f"ws://127.0.0.1:{ports[0]}/v1", f"ws://127.0.0.1:{ports[1]}/v1", f"ws://rebound.example:{ports[1]}/v1"],
        [f"http://127.0.0.1:{ports[0]}/metrics", f"http://127.0.0.1:{closed.ports['tcp']}/"])
    assert (refused, rebound) == (1006, 1006)
    assert greeted == "server.hello"
    assert (metrics, other) == ("blocked", "blocked")
    assert f"a page of {visit.origin} may not connect" in closed.log()
    assert closed.client().request("server.stats")["tick"] == 0
