// Keyboard, screen readers, contrast.
import assert from 'node:assert/strict';
import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {Browser, drawn, gpusight, output, page, require, text, trace} from './lib.mjs';

const axe = text(require.resolve('axe-core/axe.min.js'));
let browser;
before(async () => {
    browser = await Browser.open({bypassCSP: true});
});
after(() => browser.close());

async function violations(p) {
    await p.evaluate(axe);
    return p.evaluate(async () => {
        const result = await window.axe.run(document, {resultTypes: ['violations']});
        return result.violations
            .filter((v) => ['serious', 'critical', 'moderate'].includes(v.impact))
            .map(
                (v) =>
                    `${v.impact} ${v.id}: ${v.help}: ${v.nodes
                        .slice(0, 3)
                        .map((n) => n.html.slice(0, 120))
                        .join(' | ')}`,
            );
    });
}

for (const [name, ...options] of [
    ['demo'],
    ['multi_gpu'],
    ['roofline'],
    ['telemetry', '--flavor', 'rocprof-sys'],
    ['healthy'],
    ['api_only'],
    ['hostile_names'],
])
    test('axe finds nothing in either theme: ' + name, async () => {
        const p = await browser.goto(page(trace(name, ...options)));
        for (const colorScheme of ['light', 'dark']) {
            await p.emulateMedia({colorScheme, reducedMotion: 'reduce'});
            await p.evaluate(() =>
                document.querySelectorAll('details').forEach((d) => {
                    d.open = true;
                }),
            );
            await p.locator('#tl-range').click();
            await drawn(p);
            assert.deepEqual(await violations(p), [], colorScheme);
        }
        await p.close();
    });

test('axe finds nothing in the page of a source folder', async () => {
    const folder = path.join(output, 'source');
    mkdirSync(folder, {recursive: true});
    writeFileSync(
        path.join(folder, '<img src=x onerror=alert(1)>.cu'),
        '__global__ void k() { }\nvoid f() { while (x) { k<<<1, 2>>>(); cudaDeviceSynchronize(); } }\n',
    );
    const file = path.join(output, 'source.html');
    gpusight('analyze', '--source-dir', folder, '--format', 'html', '-o', file);
    const p = await browser.goto(file);
    for (const colorScheme of ['light', 'dark']) {
        await p.emulateMedia({colorScheme, reducedMotion: 'reduce'});
        assert.deepEqual(await violations(p), [], colorScheme);
    }
    assert.equal(await p.locator('img').count(), 0);
    assert.ok((await p.locator('main').textContent()).includes('onerror=alert(1)'));
    await p.close();
});

test('the skip link comes first and leads to the report', async () => {
    const p = await browser.goto(page(trace('demo')));
    await p.keyboard.press('Tab');
    assert.equal(await p.evaluate(() => document.activeElement.className), 'skip');
    assert.ok(await p.locator('.skip').isVisible());
    await p.keyboard.press('Enter');
    assert.equal(await p.evaluate(() => document.activeElement.id), 'main');
    await p.close();
});

test('everything that can be clicked can be reached by Tab, with a visible focus', async () => {
    const p = await browser.goto(page(trace('demo')));
    const want = await p.evaluate(() => {
        const all = [
            ...document.querySelectorAll('a[href], button, input, summary, [tabindex="0"]'),
        ].filter((e) => e.checkVisibility({visibilityProperty: true}) && e.tabIndex >= 0);
        window.__reached = new Set();
        document.addEventListener('focusin', (e) => window.__reached.add(e.target));
        window.__all = all;
        return all.length;
    });
    for (let i = 0; i < want + 10; i++) await p.keyboard.press('Tab');
    const missed = await p.evaluate(() =>
        window.__all.filter((e) => !window.__reached.has(e)).map((e) => e.outerHTML.slice(0, 100)),
    );
    assert.deepEqual(missed, []);
    await p.locator('#theme').focus();
    await p.keyboard.press('Shift+Tab');
    await p.keyboard.press('Tab');
    assert.notEqual(
        await p.locator('#theme').evaluate((e) => getComputedStyle(e).outlineStyle),
        'none',
    );
    await p.close();
});

test('landmarks, headings and tables are marked up', async () => {
    const p = await browser.goto(page(trace('demo')));
    const found = await p.evaluate(() => ({
        landmarks: ['header', 'nav', 'main', 'footer'].filter(
            (t) => document.querySelectorAll('body > ' + t).length !== 1,
        ),
        h1: document.querySelectorAll('h1').length,
        captions: [...document.querySelectorAll('table')].filter((t) => !t.caption).length,
        scopes: [...document.querySelectorAll('thead th')].filter((t) => t.scope !== 'col').length,
        order: [...document.querySelectorAll('h1,h2,h3,h4')].map((h) => Number(h.tagName[1])),
    }));
    assert.deepEqual([found.landmarks, found.h1, found.captions, found.scopes], [[], 1, 0, 0]);
    found.order.reduce((before_, level) => {
        assert.ok(level <= before_ + 1, 'a heading skips a level');
        return level;
    });
    await p.close();
});
