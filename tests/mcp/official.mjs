// The server through the protocol's own client library, which checks every answer against the
// protocol's types and every structured result against the schema that the tool declares.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const gpusight = process.env.GPUSIGHT;
const folder = mkdtempSync(join(tmpdir(), "gpusight-mcp-"));
const needed = {
  finding: { id: "ROCPD-MEMBW-001" },
  kernel: { name: "gemm" },
  event: { id: "5", kind: "dispatch" },
  compare: { before: "demo.db", after: "healthy.db" },
  explain: { term: "tiny-kernels" },
  source: { source_dir: "src", trace: "demo.db" },
  query: { sql: "SELECT count(*) AS n FROM kernels" },
  sql_query: { sql: "SELECT count(*) AS n FROM kernels" },
  get_table_schema: { table: "kernels" },
};
let client;

async function connect(...options) {
  const made = new Client({ name: "gpusight-tests", version: "1" }, { capabilities: {} });
  const transport = new StdioClientTransport({ command: gpusight, args: ["mcp", ...options, folder], stderr: "pipe" });
  await made.connect(transport);
  return made;
}

before(async () => {
  for (const [name, scenario, ...more] of [["demo.db", "demo"], ["healthy.db", "healthy"], ["many.db", "bench", "--set", "n=60000"]])
    execFileSync(gpusight, ["synth", scenario, "-o", join(folder, name), ...more]);
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src", "a.hip"), "__global__ void gemm_tile() {}\nvoid f() { gemm_tile<<<1, 1>>>(); hipDeviceSynchronize(); }\n");
  client = await connect();
});

after(async () => {
  await client.close();
  rmSync(folder, { recursive: true });
});

test("the server introduces itself", async () => {
  assert.equal(client.getServerVersion().name, "gpusight");
  assert.match(client.getInstructions(), /analyze/);
  for (const capability of ["tools", "resources", "prompts", "logging", "completions"])
    assert.ok(client.getServerCapabilities()[capability], capability);
  await client.ping();
});

test("every tool answers, and its answer fits its schema", async () => {
  const { tools } = await client.listTools();
  assert.ok(tools.length >= 38);
  for (const tool of tools) {
    await client.callTool({ name: "analyze", arguments: { trace: "demo.db" } });
    const answer = await client.callTool({ name: tool.name, arguments: needed[tool.name] ?? {} });
    assert.ok(!answer.isError, `${tool.name}: ${JSON.stringify(answer).slice(0, 300)}`);
    assert.deepEqual(JSON.parse(answer.content[0].text), answer.structuredContent);
    assert.equal(tool.annotations.readOnlyHint, true);
  }
});

test("wrong arguments are told, not fatal", async () => {
  const { tools } = await client.listTools();
  for (const tool of tools)
    for (const wrong of [{ no_such_argument: 1 }, { trace: 7 }, { limit: -1 }, { cursor: [] }, { start_ns: "now" }]) {
      const answer = await client.callTool({ name: tool.name, arguments: { ...needed[tool.name], ...wrong } });
      assert.equal(answer.isError, true, `${tool.name} ${JSON.stringify(wrong)}`);
    }
  await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), { code: -32602 });
  await assert.rejects(client.readResource({ uri: "gpusight://docs/none" }), { code: -32002 });
  await assert.rejects(client.getPrompt({ name: "explain", arguments: {} }), { code: -32602 });
  await client.ping();
});

test("resources, templates and prompts can be read", async () => {
  const { resources } = await client.listResources();
  for (const { uri } of resources) assert.ok((await client.readResource({ uri })).contents[0].text.length > 100, uri);
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 3);
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map((p) => p.name).sort(), ["compare", "explain", "optimise"]);
  const { messages } = await client.getPrompt({ name: "explain", arguments: { trace: "demo.db" } });
  assert.match(messages[0].content.text, /"demo.db"/);
  const { completion } = await client.complete({ ref: { type: "ref/prompt", name: "explain" }, argument: { name: "trace", value: folder } });
  assert.ok(completion.values.some((v) => v.endsWith("demo.db")));
});

test("listings come in pages", async () => {
  const small = await connect("--page", "5");
  const names = [];
  let cursor;
  do {
    const page = await small.listTools(cursor ? { cursor } : {});
    assert.ok(page.tools.length <= 5);
    names.push(...page.tools.map((t) => t.name));
    cursor = page.nextCursor;
  } while (cursor);
  assert.deepEqual(names, (await client.listTools()).tools.map((t) => t.name));
  await small.close();
});

test("progress is told, and a call can be cancelled", async () => {
  const other = await connect();
  const told = [];
  const stop = new AbortController();
  const call = other.callTool({ name: "analyze", arguments: { trace: "many.db" } }, undefined, { signal: stop.signal, onprogress: (p) => told.push(p) });
  stop.abort("enough");
  await assert.rejects(call);
  await other.ping();
  const answer = await other.callTool({ name: "analyze", arguments: { trace: "many.db" } }, undefined, { onprogress: (p) => told.push(p) });
  assert.ok(!answer.isError);
  assert.ok(told.every((p) => p.progress <= p.total));
  await other.close();
});

test("messages of the log come when they are asked for", async () => {
  const heard = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, (n) => heard.push(n.params));
  await client.setLoggingLevel("info");
  await client.callTool({ name: "info", arguments: { trace: "missing.db" } });
  await client.ping();
  assert.equal(heard.length, 1);
  assert.equal(heard[0].level, "info");
});
