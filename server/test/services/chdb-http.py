"""ClickHouse's engine (chdb) behind the part of its HTTP interface that the official client uses. Only the transport is made here."""
import socketserver
import sys
import threading
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

from chdb import session

engine = session.Session()
one_at_a_time = threading.Lock()


class Front(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(200, b"Ok.\n")

    def do_POST(self):
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query, keep_blank_values=True).items()}
        body = self.body().decode()
        query = asked["query"] + "\n" + body if "query" in asked else body
        values = {name[6:]: value for name, value in asked.items() if name.startswith("param_")}
        try:
            with one_at_a_time:
                found = engine.query(query, "TabSeparated", params=values) if values else engine.query(query, "TabSeparated")
            self.answer(200, found.bytes() if found is not None else b"")
        except Exception as error:
            self.answer(500, str(error).encode())

    def body(self):
        if self.headers.get("Transfer-Encoding", "") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        whole = b""
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            whole += self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                return whole

    def answer(self, status, content):
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=UTF-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *said):
        pass


class Server(socketserver.ThreadingTCPServer):
    """Python's HTTPServer asks a name server what 127.0.0.1 is called: a machine without one waits minutes for it."""

    daemon_threads = True


front = Server(("127.0.0.1", 0), Front)
print("listening", front.server_address[1], flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), front.shutdown()), daemon=True).start()
front.serve_forever()
