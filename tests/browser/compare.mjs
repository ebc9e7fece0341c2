// The page of a comparison: what it says, that it holds what the JSON has, and that it is safe.
import assert from 'node:assert/strict';
import path from 'node:path';
import {writeFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {Browser, downloadBy, gpusight, output, require, text, trace} from './lib.mjs';

const axe = text(require.resolve('axe-core/axe.min.js'));
const phases = [
    'param n = 60',
    'param solve = 400',
    'gpu MI300X',
    'kernel "assemble" wg=256 blocks=2432',
    'kernel "solve_cg" wg=256 blocks=2432',
    'loop n { launch "assemble" dur=900us~3% }',
    'sync',
    'host 12ms',
    'loop n { launch "solve_cg" dur=solve*1us~3% }',
    'sync',
].join('\n');

function made(name, ...options) {
    const source = path.join(output, 'compared.trace');
    const file = path.join(output, name);
    writeFileSync(source, phases);
    gpusight('synth', source, '-o', file, ...options);
    return file;
}

function compared(a, b, name, ...options) {
    const to = path.join(output, name);
    gpusight('compare', a, b, ...options, '-o', to);
    return to;
}

const a = made('compare_a.db');
const b = made('compare_b.db', '--seed', '2', '--set', 'solve=440');
const file = compared(a, b, 'compare.html');
const document_ = JSON.parse(gpusight('compare', '--json', a, b));
let browser, p;
before(async () => {
    browser = await Browser.open({bypassCSP: true});
    p = await browser.goto(file);
});
after(() => browser.close());

const column = (table, key) =>
    p.evaluate(
        ([id, name]) => {
            const t = document.getElementById(id);
            const i = [...t.tHead.rows[0].cells].findIndex((c) => c.dataset.key === name);
            return [...t.tBodies[0].rows]
                .filter((r) => !r.hidden)
                .map((r) => r.cells[i].dataset.v ?? r.cells[i].textContent);
        },
        [table, key],
    );

test('the verdict comes first and is that of the JSON', async () => {
    assert.equal(document_.verdict, 'slower');
    assert.equal(await p.locator('#verdict .headline').textContent(), document_.headline);
    assert.equal(await p.locator('header .badge').first().textContent(), 'slower');
    assert.deepEqual(JSON.parse(await p.locator('#analysis').textContent()), document_);
    for (const id of ['verdict', 'comparability', 'causes', 'ledger', 'phases', 'kernels', 'api'])
        assert.equal(await p.locator('section#' + id).count(), 1, id);
});

test('tables hold the rows of the JSON, and sort and search', async () => {
    for (const [table, rows] of [
        ['table-causes', document_.causes],
        ['table-kernels', document_.kernels],
        ['table-phases', document_.phases],
    ])
        assert.deepEqual(
            (await column(table, 'change_ns')).map(Number),
            rows.map((r) => r.change_ns),
        );
    assert.deepEqual(
        (await column('table-ledger', 'change')).map(Number),
        document_.ledger.map((r) => r.change),
    );
    await p.locator('#table-kernels th[data-key=change_ns] button').click();
    await p.locator('.table[data-name=kernels] input[type=search]').fill('solve');
    assert.deepEqual(await column('table-kernels', 'title'), ['solve_cg']);
    await p.locator('.table[data-name=kernels] input[type=search]').fill('');
});

test('histograms of both runs lie over each other and count every call', async () => {
    const kernel = document_.kernels[0];
    const titles = await p.locator('#kernel-0 .beside rect title').allTextContents();
    const sums = [0, 0];
    for (const t of new Set(titles)) {
        const [, x, y] = t.match(/: A ([\d,]+) calls .*, B ([\d,]+) calls /);
        sums[0] += Number(x.replace(/,/g, ''));
        sums[1] += Number(y.replace(/,/g, ''));
    }
    assert.deepEqual(sums, [kernel.calls_a, kernel.calls_b]);
});

test('bars of both ledgers are as long as they are in the JSON', async () => {
    const totals = ['a', 'b'].map((k) => document_.ledger.reduce((s, r) => s + r[k], 0));
    const bars = await p
        .locator('#ledger .wide rect')
        .evaluateAll((all) =>
            all
                .map((r) => [
                    r.querySelector('title')?.textContent ?? '',
                    parseFloat(r.getAttribute('width')),
                ])
                .filter(([t]) => t),
        );
    const long = (side) =>
        bars.filter(([t]) => t.startsWith(side + ',')).reduce((s, [, w]) => s + w, 0);
    assert.ok(Math.abs(long('A') / long('B') - totals[0] / totals[1]) < 0.01);
});

test('a saved analysis has no durations, and the page says so', async () => {
    const saved = path.join(output, 'compare_a.json');
    gpusight('analyze', '--json', '-o', saved, a);
    const q = await browser.goto(compared(saved, b, 'compare_saved.html'));
    assert.match(await q.locator('#kernel-0').textContent(), /A has no durations of single calls/);
    assert.match(await q.locator('#kernel-0').textContent(), /95th percentiles/);
    await q.close();
});

test('runs that cannot be compared are refused with the reason', async () => {
    const x = trace('small_grid', '--set', 'n=50');
    const y = trace('small_grid', '--set', 'n=50', '--set', 'blocks=6');
    const q = await browser.goto(compared(x, y, 'compare_refused.html'));
    assert.match(await q.locator('#verdict .verdict').textContent(), /Not comparable/);
    assert.match(await q.locator('#comparability').textContent(), /work-items instead of/);
    await q.close();
});

test('names are data here too', async () => {
    const x = trace('hostile.trace');
    const y = trace('hostile_names');
    for (const [l, r] of [
        [x, x],
        [x, y],
    ]) {
        const hostile = compared(l, r, 'compare_hostile.html');
        const source = text(hostile);
        assert.equal(source.match(/<script/gi).length, 2);
        assert.equal(source.match(/<\/script>/gi).length, 2);
        assert.ok(!/<img|<iframe|<svg\/onload|<!--/i.test(source));
        const q = await browser.goto(hostile);
        await q.evaluate(() => document.querySelectorAll('details').forEach((d) => (d.open = true)));
        await q.waitForTimeout(100);
        assert.equal(await q.evaluate(() => window.__pwned ?? null), null);
        await q.close();
    }
});

test('axe finds nothing, no width is too small, both themes', async () => {
    for (const colorScheme of ['light', 'dark']) {
        await p.emulateMedia({colorScheme, reducedMotion: 'reduce'});
        await p.evaluate(() => document.querySelectorAll('details').forEach((d) => (d.open = true)));
        await p.evaluate(axe);
        const bad = await p.evaluate(async () =>
            (await window.axe.run(document, {resultTypes: ['violations']})).violations.map(
                (v) => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`,
            ),
        );
        assert.deepEqual(bad, [], colorScheme);
        for (const width of [400, 800, 1400, 2560]) {
            await p.setViewportSize({width, height: 900});
            assert.ok(
                await p.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
                `wider than ${width}`,
            );
            await p.screenshot({
                path: path.join(output, `compare-${width}-${colorScheme}.png`),
                fullPage: true,
            });
        }
        await p.setViewportSize({width: 1400, height: 900});
    }
});

test('the comparison can be saved', async () => {
    const download = await downloadBy(p, p.locator('#save-json'));
    assert.match(download.suggestedFilename(), /comparison\.json$/);
    assert.deepEqual(JSON.parse(text(await download.path())), document_);
});
