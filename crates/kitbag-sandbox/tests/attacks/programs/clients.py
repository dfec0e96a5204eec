"""Asks for each address in two ways and says what came of it: `WAY ADDRESS STATUS TEXT`, or a word for the failure."""
import socket
import ssl
import sys
import urllib.request
from urllib.parse import urlsplit


def library(address):
    answer = urllib.request.urlopen(address, timeout=30)
    return f"{answer.status} {answer.read().decode()}"


def by_hand(address):
    parts = urlsplit(address)
    secure = parts.scheme == "https"
    stream = socket.create_connection((parts.hostname, 443 if secure else 80), timeout=30)
    if secure:
        stream = ssl.create_default_context().wrap_socket(stream, server_hostname=parts.hostname)
    with stream:
        head = f"GET {parts.path} HTTP/1.1\r\nHost: {parts.hostname}\r\nConnection: close\r\n\r\n"
        stream.sendall(head.encode())
        answer = b""
        while part := stream.recv(4096):
            answer += part
    head, _, text = answer.decode().partition("\r\n\r\n")
    return f"{head.split()[1]} {text}"


for address in sys.argv[1:]:
    for name, way in (("urllib", library), ("socket", by_hand)):
        try:
            came = way(address)
        except Exception as error:
            came = f"failed {type(error).__name__} {error}"
        print(name, address, came.strip().replace("\n", " "), flush=True)
