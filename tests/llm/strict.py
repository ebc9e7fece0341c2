"""What real servers refuse: each wire's rules for a request, from the providers' public documentation.

    problems(provider, path, headers, body)    sentences; none: the server would answer

A server that takes anything tests nothing: what is sent must be what the real one takes.
"""
import json
import re

NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")


def unknown(body, known):
    return [f"unknown parameter '{k}'" for k in body if k not in known]


def of_tools(tools, name, schema):
    if not isinstance(tools, list) or not tools:
        yield "tools: an empty list"
    names = [name(t) for t in tools]
    yield from (f"tools: name '{n}'" for n in names if not isinstance(n, str) or not NAME.match(n))
    if len(set(names)) != len(names):
        yield "tools: names must be unique"
    for t in tools:
        s = schema(t)
        if not isinstance(s, dict) or s.get("type") != "object" or not isinstance(s.get("properties", {}), dict):
            yield f"tools: the schema of '{name(t)}' must be of an object"


# ---- Anthropic Messages ----

def blocks(message, thinks):
    content = message.get("content")
    if not isinstance(content, list) or not content:
        yield "content must be a list of at least one block"
        return
    kinds = [b.get("type") for b in content]
    for b in content:
        kind = b.get("type")
        if kind == "text" and not b.get("text", "").strip():
            yield "text content blocks must be non-empty"
        elif kind == "tool_use" and (not b.get("id") or not NAME.match(b.get("name", "")) or not isinstance(b.get("input"), dict)):
            yield f"tool_use: {b}"
        elif kind == "tool_result" and (not b.get("tool_use_id") or not isinstance(b.get("content"), (str, list))):
            yield "tool_result: needs tool_use_id and content"
        elif kind == "thinking" and not b.get("signature"):
            yield "thinking: needs its signature"
        elif kind not in ("text", "tool_use", "tool_result", "thinking", "redacted_thinking"):
            yield f"a block of type '{kind}'"
    if message.get("role") == "user" and "tool_result" in kinds[kinds.count("tool_result"):]:
        yield "tool_result blocks must come first"
    if message.get("role") == "assistant" and thinks and "tool_use" in kinds and kinds[0] not in ("thinking", "redacted_thinking"):
        yield "a final assistant message must start with a thinking block"


def answered(messages):
    """Each tool_use has its result in the next message, and each result its tool_use before."""
    for i, m in enumerate(messages):
        content = m.get("content")
        uses = [b["id"] for b in content if b.get("type") == "tool_use"] if isinstance(content, list) else []
        after = messages[i + 1].get("content") if i + 1 < len(messages) else []
        results = [b["tool_use_id"] for b in after if b.get("type") == "tool_result"] if isinstance(after, list) else []
        if sorted(uses) != sorted(results):
            yield f"messages.{i}: tool_use ids {uses} were answered by {results}"


def anthropic(path, headers, body, bedrock=False):
    known = {"max_tokens", "system", "messages", "tools", "tool_choice", "thinking", "output_config", "temperature", "stop_sequences"}
    yield from unknown(body, known | ({"anthropic_version", "anthropic_beta"} if bedrock else {"model", "stream", "metadata"}))
    if bedrock and body.get("anthropic_version") != "bedrock-2023-05-31":
        yield "anthropic_version is needed"
    if not bedrock and headers.get("anthropic-version") != "2023-06-01":
        yield "the header anthropic-version is needed"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: a number above 0 is needed"
    thinking = body.get("thinking") or {}
    if thinking.get("type") not in (None, "enabled", "adaptive", "disabled"):
        yield "thinking.type"
    if thinking.get("type") == "enabled" and not 1024 <= thinking.get("budget_tokens", 0) < body.get("max_tokens", 0):
        yield "thinking.budget_tokens must be at least 1024 and below max_tokens"
    if (body.get("output_config") or {}).get("effort", "low") not in ("low", "medium", "high", "xhigh", "max"):
        yield "output_config.effort"
    messages = body.get("messages") or []
    if not messages or messages[0].get("role") != "user" or messages[-1].get("role") != "user":
        yield "messages: must begin and end with one of the user"
    yield from (f"messages: role '{m.get('role')}'" for m in messages if m.get("role") not in ("user", "assistant"))
    for m in messages:
        yield from blocks(m, thinking.get("type") == "enabled")
    yield from answered(messages)
    if json.dumps(body).count('"cache_control"') > 4:
        yield "a maximum of 4 blocks with cache_control"
    if "tools" in body:
        yield from of_tools(body["tools"], lambda t: t.get("name"), lambda t: t.get("input_schema"))
    elif "tool_choice" in body:
        yield "tool_choice may only be given with tools"


# ---- OpenAI ----

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")


def chat(path, headers, body):
    yield from unknown(body, {"model", "messages", "tools", "tool_choice", "stream", "stream_options", "max_tokens",
                              "max_completion_tokens", "reasoning_effort", "temperature", "user"})
    if "max_tokens" in body and "max_completion_tokens" in body:
        yield "max_tokens and max_completion_tokens exclude each other"
    if "stream_options" in body and not body.get("stream"):
        yield "stream_options is only allowed when stream is enabled"
    if body.get("reasoning_effort", "low") not in EFFORTS:
        yield "reasoning_effort"
    open_calls = []
    for i, m in enumerate(body.get("messages") or [{}]):
        role, content = m.get("role"), m.get("content")
        if role not in ("system", "developer", "user", "assistant", "tool"):
            yield f"messages[{i}]: role '{role}'"
        if role == "tool":
            if m.get("tool_call_id") not in open_calls:
                yield f"messages[{i}]: role 'tool' must answer a call before it"
            else:
                open_calls.remove(m["tool_call_id"])
        elif open_calls:
            yield f"messages[{i}]: calls {open_calls} have no answer"
            open_calls = []
        if not isinstance(content, (str, list)) and not (role == "assistant" and m.get("tool_calls")):
            yield f"messages[{i}]: content is needed"
        for c in m.get("tool_calls", []):
            open_calls.append(c.get("id"))
            f = c.get("function", {})
            if c.get("type") != "function" or not f.get("name") or not isinstance(f.get("arguments"), str):
                yield f"messages[{i}]: a call without its function"
    if open_calls:
        yield f"calls {open_calls} have no answer"
    if "tools" in body:
        if any(t.get("type") != "function" for t in body["tools"]):
            yield "tools: type must be function"
        yield from of_tools(body["tools"], lambda t: t["function"].get("name"), lambda t: t["function"].get("parameters"))
    elif "tool_choice" in body:
        yield "tool_choice is only allowed when tools are given"


def responses(path, headers, body):
    yield from unknown(body, {"model", "input", "instructions", "tools", "tool_choice", "stream", "store", "include",
                              "max_output_tokens", "reasoning"})
    if body.get("max_output_tokens", 16) < 16:
        yield "max_output_tokens is below 16"
    if any(i not in ("reasoning.encrypted_content",) for i in body.get("include", [])):
        yield "include: unknown"
    if (body.get("reasoning") or {}).get("effort", "low") not in EFFORTS:
        yield "reasoning.effort"
    calls = set()
    items = body.get("input") or []
    for i, item in enumerate(items):
        kind = item.get("type", "message")
        if kind == "message" and (item.get("role") not in ("user", "assistant", "system", "developer") or not item.get("content")):
            yield f"input[{i}]: a message needs role and content"
        elif kind == "function_call":
            calls.add(item.get("call_id"))
            if not item.get("name") or not isinstance(item.get("arguments"), str):
                yield f"input[{i}]: a call needs name and arguments"
        elif kind == "function_call_output" and (item.get("call_id") not in calls or not isinstance(item.get("output"), (str, list))):
            yield f"input[{i}]: no tool call found for call_id '{item.get('call_id')}'"
        elif kind == "reasoning":
            if not item.get("encrypted_content") and body.get("store") is False:
                yield f"input[{i}]: a reasoning item that was not stored"
            if i + 1 == len(items) or items[i + 1].get("role") == "user":
                yield f"input[{i}]: a reasoning item without its following item"
        elif kind not in ("message", "function_call", "function_call_output", "reasoning"):
            yield f"input[{i}]: type '{kind}'"
    outputs = {i.get("call_id") for i in items if i.get("type") == "function_call_output"}
    if calls - outputs:
        yield f"no tool output found for {sorted(map(str, calls - outputs))}"
    if not items:
        yield "input is needed"
    if "tools" in body:
        yield from of_tools(body["tools"], lambda t: t.get("name"), lambda t: t.get("parameters"))


# ---- Gemini ----

def gemini(path, headers, body):
    yield from unknown(body, {"contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "cachedContent", "safetySettings"})
    if ":streamGenerateContent" in path and "alt=sse" not in path:
        yield "alt=sse is needed for events"
    contents = body.get("contents") or []
    if not contents or contents[0].get("role") != "user":
        yield "contents must begin with a user turn"
    for i, c in enumerate(contents):
        parts = c.get("parts")
        if c.get("role") not in ("user", "model"):
            yield f"contents[{i}]: please use a valid role: user, model"
        if not parts:
            yield f"contents[{i}].parts: must not be empty"
        if i and contents[i - 1].get("role") == c.get("role"):
            yield f"contents[{i}]: turns must alternate"
        for p in parts or []:
            if len({"text", "functionCall", "functionResponse"} & set(p)) != 1:
                yield f"contents[{i}]: a part must have one kind of data"
            if not isinstance(p.get("functionCall", {}).get("args", {}), dict):
                yield f"contents[{i}]: args must be an object"
            if not isinstance(p.get("functionResponse", {}).get("response", {}), dict):
                yield f"contents[{i}]: response must be an object"
        calls = [p["functionCall"] for p in parts or [] if "functionCall" in p]
        if any(not x.get("id") for x in calls):  # the server of these tests gives each one an id
            yield f"contents[{i}]: a function call came with an id and goes back without"
        # Gemini 3: the first call of each step
        first = next((p for p in parts or [] if "functionCall" in p), None)
        if first and not first.get("thoughtSignature"):
            yield f"contents[{i}]: function call '{first['functionCall'].get('name')}' is missing a thought_signature"
        after = contents[i + 1].get("parts", []) if i + 1 < len(contents) else []
        replies = [p["functionResponse"] for p in after if "functionResponse" in p]
        if [(x.get("name"), x.get("id")) for x in calls] != [(x.get("name"), x.get("id")) for x in replies]:
            yield f"contents[{i}]: the function response parts must equal the function call parts of the turn"
    if "tools" in body:
        all_of_them = [f for t in body["tools"] for f in t.get("functionDeclarations", [])]
        yield from of_tools(all_of_them, lambda t: t.get("name"), lambda t: t.get("parametersJsonSchema") or t.get("parameters"))
    thinking = (body.get("generationConfig") or {}).get("thinkingConfig") or {}
    if "thinkingLevel" in thinking and "gemini-2" in path:
        yield "thinking level is not supported for this model"
    if thinking.get("thinkingLevel", "low").lower() not in ("minimal", "low", "medium", "high"):
        yield "thinkingLevel"


WIRES = {"anthropic": anthropic, "openai": responses, "openai-chat": chat, "private": chat, "local": chat, "azure": chat,
         "gemini": gemini}


def problems(provider, path, headers, body):
    try:
        body = json.loads(body.decode("utf-8"))
    except ValueError as e:
        return [f"the body is no JSON: {e}"]
    if not headers.get("content-type", "").startswith("application/json"):
        return ["Content-Type must be application/json"]
    if path.endswith(("/count_tokens", "/input_tokens")):
        # What only makes sense for an answer is no part of a question for numbers.
        return unknown(body, {"model", "system", "messages", "tools", "tool_choice", "thinking", "output_config"} if "count" in path
                       else {"model", "input", "instructions", "tools", "tool_choice", "reasoning"})
    if provider == "bedrock":
        return list(anthropic(path, headers, body, True))
    return list(WIRES[provider](path, headers, body))
