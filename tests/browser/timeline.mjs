// The timeline: moving, finding, selecting, and numbers that equal those of the program.
import assert from 'node:assert/strict';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {Browser, drawn, json, output, page, random, trace} from './lib.mjs';

let browser, p;
before(async () => {
    browser = await Browser.open({hasTouch: true});
    p = await browser.goto(page(trace('demo')));
});
after(() => browser.close());

const view = (q = p) => q.evaluate(() => window.gpusight.timeline());
const box = async (q = p) => {
    await q.locator('#tl').scrollIntoViewIfNeeded();
    return q.locator('#tl').boundingBox();
};
const fit = () => p.locator('#tl-fit').click();

test('all events are there', async () => {
    const {view: _, ...document_} = json(trace('demo'));
    const status = await p.locator('#tl-status').textContent();
    assert.match(status, /4,214 events, all of them/);
    const all = await p.evaluate(() => window.gpusight.summary(0, window.gpusight.timeline().span));
    assert.equal(all.gpus[0].kernels, document_.analyses.gpus[0].kernels);
    assert.equal(all.gpus[0].busy_ns, document_.analyses.gpus[0].busy_ns);
});

test('mouse: drag pans, Ctrl+wheel zooms at the pointer', async () => {
    const b = await box(),
        x = b.x + b.width / 2,
        y = b.y + 60;
    await p.mouse.move(x, y);
    const whole = await view();
    await p.keyboard.down('Control');
    for (let i = 0; i < 5; i++) await p.mouse.wheel(0, -240);
    await p.keyboard.up('Control');
    await drawn(p);
    const near = await view();
    assert.ok(near.t1 - near.t0 < (whole.t1 - whole.t0) / 4);
    await p.mouse.down();
    await p.mouse.move(x - 100, y, {steps: 4});
    await p.mouse.up();
    await drawn(p);
    const moved = await view();
    assert.ok(moved.t0 > near.t0);
    assert.ok(Math.abs(moved.t1 - moved.t0 - (near.t1 - near.t0)) < 2);
    await fit();
    assert.equal((await view()).t0, 0);
});

test('keys: pan, zoom, fit, rows, events', async () => {
    await p.locator('#tl').focus();
    await p.keyboard.press('w');
    await p.keyboard.press('+');
    const near = await view();
    assert.ok(near.t1 - near.t0 < near.span * 0.6);
    await p.keyboard.press('ArrowRight');
    assert.ok((await view()).t0 > near.t0);
    await p.keyboard.press('a');
    assert.ok(Math.abs((await view()).t0 - near.t0) < 10);
    await p.keyboard.press('-');
    await p.keyboard.press('s');
    await p.keyboard.press('Home');
    assert.equal((await view()).t1, near.span);
    await p.keyboard.press('ArrowDown');
    await p.keyboard.press('.');
    const first = (await view()).selected;
    assert.equal(first.kind, 'kernels');
    await p.keyboard.press('.');
    assert.ok((await view()).selected.start > first.start);
    await p.keyboard.press('Enter');
    assert.ok((await view()).t1 - (await view()).t0 < near.span / 10);
    await p.keyboard.press('g');
    assert.equal((await view()).selected.kind, 'calls');
    await p.keyboard.press('g');
    assert.equal((await view()).selected.kind, 'kernels');
    await p.keyboard.press('Escape');
    assert.equal((await view()).selected, null);
    await p.keyboard.press('Home');
});

test('touch: two fingers zoom', async () => {
    const b = await box(),
        before_ = await view();
    const client = await p.context().newCDPSession(p);
    const fingers = (x0, x1) => [
        {x: x0, y: b.y + 60, id: 0},
        {x: x1, y: b.y + 60, id: 1},
    ];
    const middle = b.x + b.width / 2;
    await client.send('Input.dispatchTouchEvent', {
        type: 'touchStart',
        touchPoints: fingers(middle - 50, middle + 50),
    });
    for (let d = 60; d <= 200; d += 20)
        await client.send('Input.dispatchTouchEvent', {
            type: 'touchMove',
            touchPoints: fingers(middle - d, middle + d),
        });
    await client.send('Input.dispatchTouchEvent', {type: 'touchEnd', touchPoints: []});
    await drawn(p);
    const after_ = await view();
    assert.ok(after_.t1 - after_.t0 < (before_.t1 - before_.t0) / 3);
    await fit();
});

test('the small map moves the view', async () => {
    await p.locator('#tl-in').click();
    await p.locator('#tl-in').click();
    const b = await p.locator('#tl-map').boundingBox();
    await p.mouse.click(b.x + b.width * 0.9, b.y + 20);
    const v = await view();
    assert.ok(Math.abs((v.t0 + v.t1) / 2 - v.span * 0.875) < v.span * 0.03);
    await fit();
});

test('search finds, counts and steps', async () => {
    await p.locator('#tl-search').fill('attention');
    assert.equal(await p.locator('#tl-matches').textContent(), '60 matches');
    await p.locator('#tl-next').click();
    const first = (await view()).selected;
    assert.match(first.name, /attention_fwd/);
    await p.locator('#tl-search').press('Enter');
    const second = (await view()).selected;
    assert.ok(second.start > first.start);
    await p.locator('#tl-prev').click();
    assert.equal((await view()).selected.start, first.start);
    await p.locator('#tl-search').fill('no such kernel');
    assert.equal(await p.locator('#tl-matches').textContent(), '0 matches');
    await p.locator('#tl-search').fill('');
});

test('a click selects, its details lead to the call and back', async () => {
    await p.locator('#tl-search').fill('gemm_tile');
    await p.locator('#tl-next').click();
    await p.keyboard.press('Escape');
    await p.locator('#tl-event button', {hasText: 'Zoom to it'}).click();
    await drawn(p);
    const b = await box();
    await p.mouse.move(b.x + 170 + (b.width - 170) / 2, b.y + 22 + 2 * 20 + 6);
    assert.match(await p.locator('#tl-hover').textContent(), /gemm_tile[^]* at /);
    await p.mouse.down();
    await p.mouse.up();
    assert.equal((await view()).selected.kind, 'kernels');
    assert.match(await p.locator('#tl-event').textContent(), /group256×1×1/);
    await p.locator('#tl-link').click();
    assert.match((await view()).selected.name, /hipLaunchKernel/);
    await p.locator('#tl-link').click();
    assert.match((await view()).selected.name, /gemm_tile/);
    await p.locator('#tl-search').fill('');
    await fit();
});

test('evidence leads to its place', async () => {
    const link = p.locator('.finding.p-high a.jump').first();
    const [from, to] = [
        Number(await link.getAttribute('data-from')),
        Number(await link.getAttribute('data-to')),
    ];
    await link.click();
    await drawn(p);
    const v = await view();
    assert.ok(v.t0 <= from && v.t1 >= to && v.t1 - v.t0 < 10 * (to - from));
    assert.equal(v.selected.kind, 'copies');
    assert.equal(v.selected.start, from);
    assert.equal(await p.evaluate(() => document.activeElement.id), 'tl');
    await fit();
});

/** What the program says of the same range. */
function check(sums, start, t0, t1, file) {
    const abs = (t) => String(BigInt(start) + BigInt(t));
    const j = json(file, '--window', abs(t0) + '..' + abs(t1));
    const where = `${path.basename(file)} ${t0}..${t1}`;
    assert.equal(sums.window_ns, j.analyses.breakdown.window_ns, where);
    assert.deepEqual(
        sums.gpus.map((g) => [g.index, g.busy_ns, g.idle_ns, g.kernels, g.copies]),
        j.analyses.gpus.map((g) => [g.gpu, g.busy_ns, g.idle_ns, g.kernels, g.copies]),
        where,
    );
    const total = (key) => sums.gpus.reduce((s, g) => s + g[key], 0);
    assert.equal(total('kernel_ns'), j.analyses.breakdown.kernel_ns, where);
    assert.equal(total('copy_ns'), j.analyses.breakdown.copy_ns, where);
    const numbers = (rows) => rows.map((r) => r.join(' ')).sort();
    assert.deepEqual(
        numbers(sums.kernels.map((k) => [k.calls, k.total_ns])),
        numbers(j.analyses.hotspots.map((k) => [k.calls, k.total_duration_ns])),
        where,
    );
    assert.deepEqual(
        numbers(sums.copies.map((c) => [c.direction, c.count, c.bytes, c.time])),
        numbers(
            j.analyses.copies.map((c) => [
                c.direction,
                c.count,
                c.total_bytes,
                c.total_duration_ns,
            ]),
        ),
        where,
    );
    return j;
}

test('Shift+drag selects a range; its table has the numbers of analyze --window', async () => {
    const b = await box(),
        y = b.y + 60;
    await p.keyboard.down('Shift');
    await p.mouse.move(b.x + 400, y);
    await p.mouse.down();
    await p.mouse.move(b.x + 700, y, {steps: 5});
    await p.mouse.up();
    await p.keyboard.up('Shift');
    const {range, start_ns: start} = await view();
    const sums = await p.evaluate(
        ([t0, t1]) => window.gpusight.summary(t0, t1),
        [range.t0, range.t1],
    );
    const j = check(sums, start, range.t0, range.t1, trace('demo'));
    const cells = await p
        .locator('#table-range-gpus tbody td')
        .evaluateAll((all) => all.map((c) => Number(c.dataset.v)));
    const g = j.analyses.gpus[0];
    assert.deepEqual(
        [cells[0], cells[1], cells[5], cells[6], cells[7]],
        [g.gpu, g.busy_ns, g.idle_ns, g.kernels, g.copies],
    );
    const kernels = await p
        .locator('#table-range-kernels tbody tr')
        .evaluateAll((all) =>
            all.map((r) => [
                r.cells[0].textContent,
                Number(r.cells[1].dataset.v),
                Number(r.cells[2].dataset.v),
            ]),
        );
    assert.deepEqual(
        kernels,
        j.analyses.hotspots.map((k) => [k.name, k.calls, k.total_duration_ns]),
    );
    const abs = (t) => String(BigInt(start) + BigInt(t));
    assert.match(
        await p.locator('#tl-summary code').textContent(),
        new RegExp(`gpusight analyze --window ${abs(range.t0)}\\.\\.${abs(range.t1)} `),
    );
    await p.locator('#tl-clear').click();
    assert.ok(!(await p.locator('#tl-summary').isVisible()));
    await p.locator('#tl-range').click();
    assert.deepEqual((await view()).range, {t0: 0, t1: (await view()).span});
    await p.locator('#tl-clear').click();
});

test('any range of any trace has the numbers of analyze --window', async () => {
    for (const name of [
        'demo',
        'multi_gpu',
        'odd_durations',
        'two_queues',
        'many_streams',
        'hidden_comm',
        'mpi_job',
        'hostile_names',
    ]) {
        const file = trace(name),
            q = await browser.goto(page(file)),
            {span, start_ns: start} = await view(q);
        const next = random(name.length);
        for (let i = 0; i < 6; i++) {
            const a = Math.floor(next() * span),
                b = i % 2 ? Math.floor(a + (next() * span) / 50) : Math.floor(next() * span);
            const t0 = Math.min(a, b),
                t1 = Math.max(a, b, t0 + 1);
            check(
                await q.evaluate(([x, y]) => window.gpusight.summary(x, y), [t0, t1]),
                start,
                t0,
                t1,
                file,
            );
        }
        await q.close();
    }
});

test('a page of a window has that window', async () => {
    const file = trace('demo'),
        q = await browser.goto(page(file, '--window', '30%..60%')),
        v = await view(q);
    assert.equal(v.span, json(file, '--window', '30%..60%').analyses.breakdown.window_ns);
    check(
        await q.evaluate(([x, y]) => window.gpusight.summary(x, y), [0, v.span]),
        v.start_ns,
        0,
        v.span,
        file,
    );
    await q.close();
});

test('above the limit the longest stay and the page says so', async () => {
    const q = await browser.goto(page(trace('demo'), '--timeline-limit', '1000'));
    const status = await q.locator('#tl-status').textContent();
    assert.match(status, /^(9\d\d|1,00\d) of 4,214 events: the longest of each row are kept/);
    await q.locator('#tl-range').click();
    assert.match(await q.locator('#tl-summary').textContent(), /lower bounds/);
    assert.equal(
        await q.locator('#table-hotspots tbody tr').first().locator('td[data-v="120"]').count(),
        1,
    );
    await q.close();
});

test('a large trace opens and pans smoothly', async () => {
    const file = trace('bench', '--set', 'n=100000'),
        q = await browser.goto(page(file));
    const times = await q.evaluate(async () => {
        const out = [],
            {span} = window.gpusight.timeline();
        for (let i = 0; i < 60; i++) {
            const length = span * (i < 20 ? 0.9 : i < 40 ? 0.1 : 0.001),
                from = ((span - length) * (i % 20)) / 20;
            window.gpusight.setView(from, from + length);
            window.gpusight.draw();
            out.push(window.gpusight.timeline().draw_ms);
        }
        return out.sort((a, b) => a - b);
    });
    assert.ok(
        times[Math.floor(0.9 * times.length)] < 33,
        'p90 of a frame: ' + times[Math.floor(0.9 * times.length)] + ' ms',
    );
    await q.screenshot({path: path.join(output, 'bench.png')});
    await q.close();
});

test('telemetry is a line whose values can be read', async () => {
    const q = await browser.goto(page(trace('telemetry', '--flavor', 'rocprof-sys'))),
        b = await box(q);
    await q.mouse.move(b.x + 600, b.y + b.height - 12);
    assert.match(await q.locator('#tl-hover').textContent(), /^GPU 1 .*: [\d.]+$/);
    await q.close();
});

test('rows fold under their GPU and process', async () => {
    const q = await browser.goto(page(trace('multi_gpu'))),
        b = await box(q);
    const height = () => q.evaluate(() => document.getElementById('tl-space').offsetHeight);
    const before_ = await height();
    await q.mouse.click(b.x + 60, b.y + 22 + 20 + 10);
    assert.ok((await height()) < before_);
    await q.mouse.click(b.x + 60, b.y + 22 + 10);
    assert.ok((await height()) < 100);
    await q.close();
});

test('screenshots of the timeline', async () => {
    for (const [name, ...options] of [
        ['demo'],
        ['multi_gpu'],
        ['mpi_job'],
        ['telemetry', '--flavor', 'rocprof-sys'],
    ]) {
        const q = await browser.goto(page(trace(name, ...options)));
        for (const colorScheme of ['light', 'dark']) {
            await q.emulateMedia({colorScheme});
            await drawn(q);
            await q
                .locator('#timeline')
                .screenshot({path: path.join(output, `timeline-${name}-${colorScheme}.png`)});
        }
        await q.close();
    }
});
