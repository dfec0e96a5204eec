"""Two servers on loopback, HTTP and HTTPS, with the certificate that is given. Says their ports and then every request."""
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        print(self.headers.get("Host"), self.path, flush=True)
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.path[4:].replace("--", "//"))
            body = b""
        else:
            self.send_response(200)
            body = b"hello"
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


plain = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
secure = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1], sys.argv[2])
secure.socket = context.wrap_socket(secure.socket, server_side=True)
print(plain.server_port, secure.server_port, flush=True)
for server in (plain, secure):
    threading.Thread(target=server.serve_forever, daemon=True).start()
# Whoever started this holds the other end for as long as it is wanted.
sys.stdin.read()
