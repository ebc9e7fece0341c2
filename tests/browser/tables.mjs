// Tables: sorting, search, columns, CSV, trees.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';
import {Browser, downloadBy, json, page, text, trace} from './lib.mjs';

const file = page(trace('demo'));
const document_ = json(trace('demo'));
let browser, p;
before(async () => {
    browser = await Browser.open();
    p = await browser.goto(file);
});
after(() => browser.close());

const column = (table, key) =>
    p.evaluate(
        ([id, k]) => {
            const heads = [...document.querySelectorAll(`#${id} thead th`)];
            const i = heads.findIndex((h) => h.dataset.key === k);
            return [...document.querySelectorAll(`#${id} tbody tr`)]
                .filter((r) => !r.hidden)
                .map((r) => r.cells[i].dataset.v ?? r.cells[i].textContent);
        },
        [table, key],
    );

/** Strict CSV: quotes only around whole cells, doubled inside, CRLF. */
function parseCsv(csv) {
    const rows = [[]];
    const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
    while (cell.lastIndex < csv.length) {
        const at = cell.lastIndex,
            m = cell.exec(csv);
        assert.ok(m, 'bad CSV at ' + at + ': ' + csv.slice(at, at + 40));
        rows.at(-1).push(m[1] !== undefined ? m[1].replace(/""/g, '"') : m[2]);
        if (m[3] !== ',') rows.push([]);
    }
    assert.deepEqual(rows.pop(), []);
    return rows;
}

async function csvOf(name) {
    const button = p.locator(`.table[data-name=${name}] button.csv`);
    const download = await downloadBy(p, button);
    assert.equal(download.suggestedFilename(), name + '.csv');
    return parseCsv(text(await download.path()));
}

test('the tables hold the rows of the JSON, exactly', async () => {
    for (const [name, rows] of Object.entries({
        hotspots: document_.analyses.hotspots,
        copies: document_.analyses.copies,
        api_calls: document_.analyses.api_calls,
        streams: document_.analyses.streams,
        gpus: document_.analyses.gpus,
        idle_gaps: document_.analyses.idle_gaps,
        markers: document_.analyses.markers,
        long_gaps: document_.analyses.long_gaps,
        kernel_resources: document_.analyses.kernel_resources,
        copy_sizes: document_.analyses.copy_sizes,
    })) {
        const [keys, ...cells] = await csvOf(name);
        assert.equal(cells.length, rows.length, name);
        rows.forEach((row, i) =>
            keys.forEach((key, k) => {
                const want = row[key],
                    have = cells[i][k];
                if (typeof want === 'number')
                    assert.equal(Number(have), want, `${name} ${i} ${key}`);
                else if (typeof want === 'string')
                    assert.equal(have.replace(/^'/, ''), want, `${name} ${i} ${key}`);
            }),
        );
    }
});

test('columns sort, up and down, by number and by text', async () => {
    const head = p.locator('#table-hotspots th[data-key=calls]');
    await head.locator('button').click();
    assert.equal(await head.getAttribute('aria-sort'), 'descending');
    const calls = (await column('table-hotspots', 'calls')).map(Number);
    assert.deepEqual(
        calls,
        calls.toSorted((a, b) => b - a),
    );
    await head.locator('button').focus();
    await p.keyboard.press('Enter');
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
    assert.deepEqual(
        (await column('table-hotspots', 'calls')).map(Number),
        calls.toSorted((a, b) => a - b),
    );
    const name = p.locator('#table-hotspots th[data-key=short_name]');
    await name.locator('button').click();
    assert.equal(await head.getAttribute('aria-sort'), null);
    const names = await column('table-hotspots', 'short_name');
    assert.deepEqual(
        names,
        names.toSorted((a, b) => a.localeCompare(b, 'en', {numeric: true})),
    );
    await p.locator('#table-hotspots th[data-key=rank] button').click();
    await p.locator('#table-hotspots th[data-key=rank] button').click();
});

test('search leaves the rows that match, and says how many', async () => {
    const box = p.locator('.table[data-name=hotspots]');
    await box.locator('input[type=search]').fill('GEMM half');
    assert.deepEqual(await column('table-hotspots', 'short_name'), ['gemm_tile<half, 256, 128>']);
    assert.match(await box.locator('[role=status]').textContent(), /^1 of 6$/);
    assert.equal((await csvOf('hotspots')).length, 2);
    await box.locator('input[type=search]').fill('');
    assert.equal((await column('table-hotspots', 'rank')).length, 6);
});

test('columns can be chosen', async () => {
    const box = p.locator('.table[data-name=hotspots]'),
        head = p.locator('#table-hotspots th[data-key=median_ns]');
    assert.ok(!(await head.isVisible()));
    await box.locator('.columns-menu summary').click();
    await box.locator('.choices label', {hasText: 'median'}).click();
    assert.ok(await head.isVisible());
    assert.ok(await p.locator('#table-hotspots tbody tr').first().locator('td').nth(6).isVisible());
    await p.keyboard.press('Escape');
    assert.ok(!(await box.locator('.choices').isVisible()));
});

test('markers are a tree that folds', async () => {
    const shown = () => p.locator('#table-markers tbody tr:visible').count();
    const before_ = await shown();
    const fold = p.locator('#table-markers .fold[aria-expanded=false]').first();
    await fold.click();
    assert.ok((await shown()) > before_);
    await p.locator('#table-markers .fold').first().click();
    assert.ok((await shown()) < before_);
    await p.locator('.table[data-name=markers] input[type=search]').fill('step 49');
    const names = await column('table-markers', 'name');
    assert.ok(
        names.some((n) => n.includes('training')) && names.some((n) => n.includes('step 49')),
    );
    assert.ok(!names.some((n) => n.includes('step 9')));
});

test('kernels lead to their detail, with a histogram that counts every call', async () => {
    await p.locator('#table-hotspots a[href="#kernel-0"]').click();
    const detail = p.locator('#kernel-0');
    assert.equal(await detail.evaluate((e) => e.open), true);
    const counts = await detail.locator('svg title').allTextContents();
    const sum = counts.reduce(
        (s, t) => s + Number(t.match(/: ([\d,]+) calls/)[1].replace(/,/g, '')),
        0,
    );
    assert.equal(sum, document_.analyses.hotspots[0].calls);
    assert.match(await detail.textContent(), /waves/);
});
