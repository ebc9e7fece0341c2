"""A small client of the Model Context Protocol over a child's standard streams, for tests.

It knows nothing of the server's code: messages go out as bytes, so that they may be wrong.
"""
import json
import subprocess
import threading


class Client:
    def __init__(self, command, env=None):
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, env=env)
        self.lines, self.errors = [], []
        self.more = threading.Condition()
        self.ended = False
        self.threads = [threading.Thread(target=f, daemon=True) for f in (self._read, self._read_errors)]
        for thread in self.threads:
            thread.start()
        self.last = 0

    def _read(self):
        for line in self.child.stdout:
            with self.more:
                self.lines.append(line)
                self.more.notify_all()
        with self.more:
            self.ended = True
            self.more.notify_all()

    def _read_errors(self):
        for line in self.child.stderr:
            self.errors.append(line)

    def write(self, data):
        self.child.stdin.write(data)
        self.child.stdin.flush()

    def send(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def wait(self, wanted, seconds=60):
        """The first message, of those not taken yet, for which wanted() holds; it is taken."""
        with self.more:
            at = 0
            while True:
                while at < len(self.lines):
                    message = json.loads(self.lines[at])  # anything else than JSON is a failure
                    if wanted(message):
                        del self.lines[at]
                        return message
                    at += 1
                if self.ended or not self.more.wait(seconds):
                    raise AssertionError("no answer came" + b"".join(self.errors).decode())

    def ask(self, method, params=None, **more):
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, **more}
        if params is not None:
            message["params"] = params
        self.send(message)
        mine = self.last
        return self.wait(lambda m: isinstance(m, dict) and m.get("id") == mine)

    def result(self, method, params=None):
        answer = self.ask(method, params)
        assert "result" in answer, answer
        return answer["result"]

    def tool(self, name, arguments=None):
        return self.result("tools/call", {"name": name, "arguments": arguments or {}})

    def begin(self, version="2025-06-18"):
        result = self.result("initialize", {"protocolVersion": version, "capabilities": {},
                                            "clientInfo": {"name": "test", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def end(self, seconds=60):
        self.child.stdin.close()
        code = self.child.wait(seconds)
        for thread in self.threads:
            thread.join()
        self.child.stdout.close()
        self.child.stderr.close()
        return code
