"""A server on loopback that speaks the wire format of every provider, and fails in every way.

What it answers is a script: a list of turns, one for each request. A turn is a dict:
    text       pieces of the answer
    calls      [(name, arguments as text)], tools that the model wants
    refusal    why it refuses
    fault      one of FAULTS, instead of or in the middle of the answer
    stop       "length": cut at the limit
    thinks     signed thoughts come before the answer, and must come back with the calls
What it was sent is kept in `requests`: (path, headers, body as bytes).
"""
import http.server
import json
import socket
import threading
import time

import strict


def sse(name, data):
    text = data if isinstance(data, str) else json.dumps(data)
    return ((f"event: {name}\n" if name else "") + f"data: {text}\n\n").encode()


SIGNED = "c2lnbmVkIGJ5IHRoZSBzZXJ2ZXI="
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": SIGNED}


class Anthropic:
    path = "/v1/messages"
    busy = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    key = ("x-api-key", "{}")

    @staticmethod
    def stream(turn):
        yield sse("message_start", {"type": "message_start", "message": {
            "id": "m", "role": "assistant", "content": [],
            "usage": {"input_tokens": 100, "output_tokens": 1, "cache_read_input_tokens": 20}}})
        yield sse("ping", {"type": "ping"})
        at = 0
        if turn.get("thinks"):
            yield sse("content_block_start", {"type": "content_block_start", "index": 0, "content_block": {
                "type": "thinking", "thinking": "", "signature": ""}})
            for delta in ({"type": "thinking_delta", "thinking": "Let me see"}, {"type": "signature_delta", "signature": SIGNED}):
                yield sse("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta})
            yield sse("content_block_stop", {"type": "content_block_stop", "index": 0})
            yield sse("content_block_start", {"type": "content_block_start", "index": 1, "content_block": {
                "type": "redacted_thinking", "data": SIGNED}})
            yield sse("content_block_stop", {"type": "content_block_stop", "index": 1})
            at = 2
        if turn.get("text"):
            yield sse("content_block_start", {"type": "content_block_start", "index": at,
                                              "content_block": {"type": "text", "text": ""}})
            for piece in turn["text"]:
                yield sse("content_block_delta", {"type": "content_block_delta", "index": at,
                                                  "delta": {"type": "text_delta", "text": piece}})
            yield sse("content_block_stop", {"type": "content_block_stop", "index": at})
        for i, (name, arguments) in enumerate(turn.get("calls", ()), at + 1):
            yield sse("content_block_start", {
                "type": "content_block_start", "index": i,
                "content_block": {"type": "tool_use", "id": f"t{i}", "name": name, "input": {}}})
            for piece in (arguments[:3], arguments[3:]):
                yield sse("content_block_delta", {
                    "type": "content_block_delta", "index": i,
                    "delta": {"type": "input_json_delta", "partial_json": piece}})
            yield sse("content_block_stop", {"type": "content_block_stop", "index": i})
        reason = "refusal" if "refusal" in turn else "max_tokens" if turn.get("stop") else \
            "tool_use" if turn.get("calls") else "end_turn"
        yield sse("message_delta", {"type": "message_delta", "delta": {"stop_reason": reason},
                                    "usage": {"output_tokens": 50}})
        yield sse("message_stop", {"type": "message_stop"})

    @staticmethod
    def whole(turn):
        content = [{"type": "thinking", "thinking": "Let me see", "signature": SIGNED}] if turn.get("thinks") else []
        content += [{"type": "text", "text": "".join(turn["text"])}] if turn.get("text") else []
        content += [{"type": "tool_use", "id": f"t{i}", "name": n, "input": json.loads(a)}
                    for i, (n, a) in enumerate(turn.get("calls", ()))]
        reason = "refusal" if "refusal" in turn else "max_tokens" if turn.get("stop") else \
            "tool_use" if turn.get("calls") else "end_turn"
        return {"type": "message", "content": content, "stop_reason": reason,
                "usage": {"input_tokens": 100, "output_tokens": 50, "cache_read_input_tokens": 20}}

    @staticmethod
    def error(status, text):
        return {"type": "error", "error": {"type": "authentication_error", "message": text}}


class Chat:
    path = "/v1/chat/completions"
    busy = {"error": {"message": "the engine is overloaded", "type": "server_error", "code": None}}
    key = ("authorization", "Bearer {}")

    @staticmethod
    def stream(turn):
        def chunk(delta, finish=None):
            return sse(None, {"object": "chat.completion.chunk", "choices": [
                {"index": 0, "delta": delta, "finish_reason": finish}]})
        yield chunk({"role": "assistant", "content": ""})
        for piece in turn.get("text", ()):
            yield chunk({"content": piece})
        if "refusal" in turn:
            yield chunk({"refusal": turn["refusal"]})
        for i, (name, arguments) in enumerate(turn.get("calls", ())):
            yield chunk({"tool_calls": [{"index": i, "id": f"t{i}", "type": "function",
                                         "function": {"name": name, "arguments": ""}}]})
            for piece in (arguments[:3], arguments[3:]):
                yield chunk({"tool_calls": [{"index": i, "function": {"arguments": piece}}]})
        yield chunk({}, "length" if turn.get("stop") else
                    "tool_calls" if turn.get("calls") else "stop")
        yield sse(None, {"choices": [], "usage": {
            "prompt_tokens": 120, "completion_tokens": 50,
            "prompt_tokens_details": {"cached_tokens": 20}}})
        yield sse(None, "[DONE]")

    @staticmethod
    def whole(turn):
        message = {"role": "assistant", "content": "".join(turn.get("text", ()))}
        if "refusal" in turn:
            message["refusal"] = turn["refusal"]
        if turn.get("calls"):
            message["tool_calls"] = [{"id": f"t{i}", "type": "function", "function": {
                "name": n, "arguments": a}} for i, (n, a) in enumerate(turn["calls"])]
        return {"choices": [{"index": 0, "message": message,
                             "finish_reason": "length" if turn.get("stop") else "stop"}],
                "usage": {"prompt_tokens": 120, "completion_tokens": 50,
                          "prompt_tokens_details": {"cached_tokens": 20}}}

    @staticmethod
    def error(status, text):
        return {"error": {"message": text, "type": "invalid_request_error", "code": "x"}}


class Responses:
    path = "/v1/responses"
    busy = {"type": "error", "code": "server_error", "message": "the engine is overloaded", "param": None, "sequence_number": 1}
    key = ("authorization", "Bearer {}")

    @staticmethod
    def stream(turn):
        yield sse("response.created", {"type": "response.created", "response": {"status": "in_progress"}})
        if turn.get("thinks"):
            yield sse("response.output_item.done", {"type": "response.output_item.done", "item": REASONING})
        for piece in turn.get("text", ()):
            yield sse("response.output_text.delta",
                      {"type": "response.output_text.delta", "delta": piece})
        if "refusal" in turn:
            yield sse("response.refusal.delta",
                      {"type": "response.refusal.delta", "delta": turn["refusal"]})
        for i, (name, arguments) in enumerate(turn.get("calls", ())):
            yield sse("response.output_item.done", {"type": "response.output_item.done", "item": {
                "type": "function_call", "call_id": f"t{i}", "name": name, "arguments": arguments}})
        done = Responses.whole(turn)
        kind = "response.incomplete" if turn.get("stop") else "response.completed"
        yield sse(kind, {"type": kind, "response": done})

    @staticmethod
    def whole(turn):
        content = [{"type": "output_text", "text": "".join(turn.get("text", ()))}]
        if "refusal" in turn:
            content = [{"type": "refusal", "refusal": turn["refusal"]}]
        output = [REASONING] if turn.get("thinks") else []
        output += [{"type": "message", "content": content}] if turn.get("text") or "refusal" in turn else []
        output += [{"type": "function_call", "call_id": f"t{i}", "name": n, "arguments": a}
                   for i, (n, a) in enumerate(turn.get("calls", ()))]
        done = {"status": "incomplete" if turn.get("stop") else "completed", "output": output,
                "usage": {"input_tokens": 120, "output_tokens": 50,
                          "input_tokens_details": {"cached_tokens": 20}}}
        if turn.get("stop"):
            done["incomplete_details"] = {"reason": "max_output_tokens"}
        return done

    error = Chat.error


class Gemini:
    path = "/v1beta/models/"
    busy = {"error": {"code": 503, "message": "the model is overloaded", "status": "UNAVAILABLE"}}
    key = ("x-goog-api-key", "{}")

    @staticmethod
    def stream(turn):
        def chunk(parts, finish=None):
            candidate = {"content": {"role": "model", "parts": parts}}
            if finish:
                candidate["finishReason"] = finish
            return sse(None, {"candidates": [candidate], "usageMetadata": {
                "promptTokenCount": 120, "candidatesTokenCount": 50, "cachedContentTokenCount": 20}})
        yield chunk([{"text": "I think", "thought": True}])
        for piece in turn.get("text", ()):
            yield chunk([{"text": piece}])
        for i, (name, arguments) in enumerate(turn.get("calls", ())):
            try:
                args = json.loads(arguments)
            except ValueError:
                args = arguments
            # of calls that are made together only the first is signed
            yield chunk([{"functionCall": {"name": name, "args": args, "id": f"g-{i}"}, **({} if i else {"thoughtSignature": SIGNED})}])
        yield chunk([], "SAFETY" if "refusal" in turn else "MAX_TOKENS" if turn.get("stop") else "STOP")

    @staticmethod
    def whole(turn):
        parts = [{"text": "".join(turn["text"])}] if turn.get("text") else []
        parts += [{"functionCall": {"name": n, "args": json.loads(a), "id": f"g-{i}"}, **({} if i else {"thoughtSignature": SIGNED})}
                  for i, (n, a) in enumerate(turn.get("calls", ()))]
        finish = "SAFETY" if "refusal" in turn else "MAX_TOKENS" if turn.get("stop") else "STOP"
        return {"candidates": [{"content": {"parts": parts}, "finishReason": finish}],
                "usageMetadata": {"promptTokenCount": 120, "candidatesTokenCount": 50,
                                  "cachedContentTokenCount": 20}}

    @staticmethod
    def error(status, text):
        return {"error": {"code": status, "message": text, "status": "UNAUTHENTICATED"}}


WIRES = {"anthropic": Anthropic, "openai": Responses, "openai-chat": Chat, "private": Chat,
         "local": Chat, "gemini": Gemini, "azure": Chat, "bedrock": Anthropic}
STATUS = {"401": 401, "403": 403, "404": 404, "400": 400, "500": 500, "503": 503, "529": 529}
FAULTS = ["401", "403", "404", "400", "429", "429-long", "500", "503", "stall", "stall-middle",
          "cut", "malformed", "not-json", "html", "gigantic", "gigantic-event", "empty",
          "empty-body", "refusal", "bad-utf8", "redirect", "downgrade", "echo-key", "error-event",
          "deep", "no-newline", "slow-close", "reset", "busy-event"]


REFUSED = []  # by all servers: whoever starts them looks at it last


class Server:
    def __init__(self, provider, script, ssl_context=None):
        self.wire, self.provider = WIRES[provider], provider
        self.script, self.requests, self.lock = list(script), [], threading.Lock()
        self.refused = []  # what a real server would not have taken
        self.stop = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *a):
                pass

            def do_GET(self):
                with outer.lock:
                    outer.requests.append((self.path, dict(self.headers.items()), b""))
                self.send_error(405)

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                with outer.lock:
                    outer.requests.append((self.path, {k.lower(): v for k, v in
                                                       self.headers.items()}, body))
                    counts = self.path.endswith(("/count_tokens", "/input_tokens"))
                    turn = {"count": 1234} if counts else \
                        outer.script.pop(0) if len(outer.script) > 1 else outer.script[0]
                wrong = strict.problems(outer.provider, self.path, outer.requests[-1][1], body)
                try:
                    if wrong:
                        outer.refused += wrong
                        REFUSED.extend(f"{outer.provider}: {w}" for w in wrong)
                        outer.fail(self, 400, "; ".join(wrong))
                    else:
                        outer.answer(self, turn)
                except (BrokenPipeError, ConnectionResetError):
                    pass
                self.close_connection = True

        class Threading(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *a):
                pass

        self.httpd = Threading(("127.0.0.1", 0), Handler)
        if ssl_context:
            self.httpd.socket = ssl_context.wrap_socket(self.httpd.socket, server_side=True)
        self.port = self.httpd.server_address[1]
        self.url = f"{'https' if ssl_context else 'http'}://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.httpd.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *a):
        self.stop.set()
        self.httpd.shutdown()
        self.httpd.server_close()

    # -- answers --

    def head(self, h, status=200, kind="text/event-stream", length=None, **more):
        h.send_response(status)
        h.send_header("Content-Type", kind)
        h.send_header("Connection", "close")
        if length is not None:
            h.send_header("Content-Length", str(length))
        for k, v in more.items():
            h.send_header(k.replace("_", "-"), v)
        h.end_headers()

    def fail(self, h, status, text, **more):
        data = json.dumps(self.wire.error(status, text)).encode()
        self.head(h, status, "application/json", len(data), **more)
        h.wfile.write(data)

    def answer(self, h, turn):
        fault = turn.get("fault")
        if "count" in turn:
            data = json.dumps({"input_tokens": turn["count"]}).encode()
            self.head(h, 200, "application/json", len(data))
            h.wfile.write(data)
            return None
        if fault:
            return self.fault(h, turn, fault)
        if self.provider == "bedrock" or turn.get("whole"):
            data = json.dumps(self.wire.whole(turn)).encode()
            self.head(h, 200, "application/json", len(data))
            h.wfile.write(data)
            return
        self.head(h)
        for event in self.wire.stream(turn):
            h.wfile.write(event)
            h.wfile.flush()

    def fault(self, h, turn, fault):
        key = "; ".join(f"{k}: {v}" for k, v in h.headers.items())
        if fault in STATUS:
            return self.fail(h, STATUS[fault], turn.get("message", "no: " + key))
        if fault == "429":
            return self.fail(h, 429, "slow down", Retry_After="1")
        if fault == "429-long":
            return self.fail(h, 429, "slow down", Retry_After="86400")
        if fault == "redirect":
            return self.head(h, 307, length=0, Location="https://elsewhere.example/v1?" + key)
        if fault == "downgrade":
            return self.head(h, 302, length=0, Location=f"http://127.0.0.1:{self.port}/other")
        if fault == "reset":
            h.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            return h.connection.close()
        if fault == "empty-body":
            return self.head(h, 200, length=0)
        if fault == "html":
            data = b"<html><body>captive portal " + key.encode() + b"</body></html>"
            self.head(h, 200, "text/html", len(data))
            return h.wfile.write(data)
        if fault == "stall":
            self.stop.wait(30)
            return None
        self.head(h)
        if fault == "gigantic":
            piece = {"text": ["x" * 4000] * 5000}
            for event in self.wire.stream(piece):
                h.wfile.write(event)
            return None
        if fault == "gigantic-event":
            h.wfile.write(b"data: ")
            for _ in range(200):
                h.wfile.write(b"x" * 100000)
            return None
        if fault == "busy-event":
            h.wfile.write(b"".join(list(self.wire.stream({}))[:1]) if self.wire is Anthropic else b"")
            return h.wfile.write(sse("error", self.wire.busy))
        events = list(self.wire.stream(dict(turn, text=turn.get("text", ["half an ", "answer"]))))
        if fault == "no-newline":
            h.wfile.write(b"".join(events).rstrip())
            return None
        if fault == "slow-close":
            h.wfile.write(b"".join(events))
            h.wfile.flush()
            self.stop.wait(30)
            return None
        for event in events[:max(3, len(events) // 2)]:
            if fault == "bad-utf8":
                event = event.replace(b"half an ", b"half \xff\xc0\x80 an ")
            if fault == "empty":
                break
            h.wfile.write(event)
            h.wfile.flush()
        if fault == "bad-utf8":
            for event in events[max(3, len(events) // 2):]:
                h.wfile.write(event)
        elif fault == "empty":
            for event in self.wire.stream({"text": []}):
                h.wfile.write(event)
        elif fault == "stall-middle":
            self.stop.wait(30)
        elif fault == "malformed":
            h.wfile.write(b"data: {\"type\": \"content_block_delta\", \"choices\": [\n\n")
        elif fault == "not-json":
            h.wfile.write(b"data: hello\n\n")
        elif fault == "deep":
            h.wfile.write(b"data: " + b"[" * 100000 + b"\n\n")
        elif fault == "error-event":
            h.wfile.write(sse("error", {"type": "error", "message": "overloaded " + key, "error": {
                "type": "overloaded_error", "message": "overloaded " + key}}))
        elif fault == "echo-key":
            pass
        return None
