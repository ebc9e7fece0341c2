// The page as a whole: theme, tooltips, cards, copying, links, sizes.
import assert from 'node:assert/strict';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {Browser, downloadBy, drawn, gpusight, json, output, page, require, text, trace} from './lib.mjs';

const file = page(trace('demo'));
let browser, p;
before(async () => {
    browser = await Browser.open({permissions: ['clipboard-read', 'clipboard-write']});
    p = await browser.goto(file);
});
after(() => browser.close());

test('the same trace gives the same bytes', () => {
    const first = text(file);
    assert.ok(first === text(page(trace('demo'))));
    assert.ok(first === text(page(trace('demo'), '--threads', '1')));
});

test('webview is another word for html', () => {
    const to = path.join(output, 'webview.html');
    gpusight('analyze', '--format', 'webview', '-o', to, trace('demo'));
    assert.ok(text(to) === text(file));
});

test('the page is valid HTML', async () => {
    const {HtmlValidate} = require('html-validate');
    const validate = new HtmlValidate({
        extends: ['html-validate:standard'],
        rules: {
            'long-title': 'off',
            'no-trailing-whitespace': 'off',
            'require-sri': 'off',
            'no-raw-characters': 'off',
            'prefer-native-element': 'off', // the timeline is a canvas
            'no-redundant-for': 'off',
        },
    });
    for (const name of ['demo', 'multi_gpu', 'hostile_names']) {
        const report = await validate.validateString(text(page(trace(name))));
        const messages = report.results.flatMap((r) =>
            r.messages.map((m) => `${m.line}: ${m.ruleId}: ${m.message}`),
        );
        assert.deepEqual(messages.slice(0, 10), [], name);
    }
});

test('the embedded JSON is the document of --format json', async () => {
    const embedded = await p.evaluate(() =>
        JSON.parse(document.getElementById('analysis').textContent),
    );
    const whole = JSON.parse(gpusight('analyze', '--format', 'json', trace('demo')));
    assert.deepEqual(embedded, whole);
});

test('the verdict comes first and says what the JSON says', async () => {
    const {verdict} = json(trace('demo'));
    assert.equal(await p.locator('main h2').first().textContent(), 'Verdict');
    assert.equal(await p.locator('#overview .headline').textContent(), verdict.headline);
});

test('the theme follows the system until it is chosen, then is remembered', async () => {
    const background = () => p.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await p.emulateMedia({colorScheme: 'light'});
    const light = await background();
    await p.emulateMedia({colorScheme: 'dark'});
    const dark = await background();
    assert.notEqual(light, dark);
    assert.equal(await p.locator('#theme').getAttribute('aria-pressed'), 'true');
    await p.locator('#theme').click();
    assert.equal(await background(), light);
    assert.equal(await p.locator('#theme').getAttribute('aria-pressed'), 'false');
    await p.reload();
    assert.equal(await background(), light);
    const other = await browser.goto(file);
    await other.emulateMedia({colorScheme: 'dark'});
    assert.equal(
        await other.evaluate(() => getComputedStyle(document.body).backgroundColor),
        light,
    );
    await other.close();
    await p.locator('#theme').click();
    assert.equal(await background(), dark);
    await p.evaluate(() => localStorage.clear());
    await p.emulateMedia({colorScheme: 'light'});
    await p.reload();
    await p.evaluate(() => window.gpusight.ready);
});

test('tooltips explain metrics, by mouse and by keyboard', async () => {
    const tip = p.locator('#tooltip'),
        mark = p.locator('.card .tip').first();
    await mark.hover();
    assert.ok((await tip.textContent()).length > 10);
    assert.ok(await tip.isVisible());
    await p.mouse.move(5, 5);
    assert.ok(!(await tip.isVisible()));
    await mark.focus();
    assert.ok(await tip.isVisible());
    assert.equal(await mark.getAttribute('aria-describedby'), 'tooltip');
    await p.keyboard.press('Escape');
    assert.ok(!(await tip.isVisible()));
    await p.locator('#table-hotspots th[data-key=total_duration_ns] button').focus();
    assert.match(await tip.textContent(), /clipped to the window/);
    await p.keyboard.press('Escape');
});

test('every number in a table or list has an explanation', async () => {
    const bare = await p.evaluate(() =>
        [...document.querySelectorAll('main thead th')]
            .filter(
                (th) =>
                    !th.closest('#tl-summary') &&
                    !th.matches('[data-tip]') &&
                    !th.querySelector('[data-tip]'),
            )
            .map((th) => th.textContent),
    );
    assert.deepEqual(bare, []);
});

test('cards fold, HIGH ones are open', async () => {
    const high = p.locator('.finding.p-high').first(),
        medium = p.locator('.finding.p-medium').first();
    assert.equal(await high.evaluate((e) => e.open), true);
    assert.equal(await medium.evaluate((e) => e.open), false);
    await medium.locator('summary').focus();
    await p.keyboard.press('Enter');
    assert.equal(await medium.evaluate((e) => e.open), true);
    await p.locator('[data-close-all]').click();
    assert.equal(await p.locator('.finding[open]').count(), 0);
    await p.locator('[data-open-all]').click();
    assert.equal(await p.locator('.finding:not([open])').count(), 0);
});

test('the ledger leads to causes and from there to findings', async () => {
    const {ledger} = json(trace('demo'));
    const largest = ledger.causes.filter((c) => c.kind !== 'work').sort((a, b) => b.ns - a.ns)[0];
    const card = p.locator('#cause-' + largest.cause);
    assert.equal(await card.evaluate((e) => e.open), false);
    await p.locator(`#chart-ledger .wide a[href="#cause-${largest.cause}"]`).click();
    assert.equal(await card.evaluate((e) => e.open), true);
    assert.equal(await card.locator('dd').first().textContent(), largest.ns + ' ns');
    await p.locator('[data-close-all]').click();
    await card.locator('a[href^="#finding-"]').first().click();
    assert.equal(await p.locator('.finding[open]').count(), 1);
    const [track, ...parts] = await p
        .locator('#chart-ledger .wide rect')
        .evaluateAll((all) => all.map((r) => parseFloat(r.getAttribute('width'))));
    assert.ok(Math.abs(parts.reduce((s, w) => s + w, 0) - track) < 0.1);
});

test('charts are draw lists in the colours of the theme, in the size that fits', async () => {
    const q = await browser.goto(page(trace('demo')));
    const names = await q.locator('figure[id^=chart-]').evaluateAll((all) => all.map((f) => f.id));
    for (const name of ['ledger', 'hotspots', 'categories', 'copies', 'copy_sizes', 'gaps', 'api'])
        assert.ok(names.includes('chart-' + name), name);
    for (const [width, size] of [[400, 'narrow'], [800, 'middle'], [1400, 'wide'], [2560, 'wide']]) {
        await q.setViewportSize({width, height: 900});
        const shown = await q
            .locator('figure[id^=chart-] svg')
            .evaluateAll((all) =>
                all.filter((s) => s.checkVisibility()).map((s) => s.getAttribute('class')),
            );
        assert.deepEqual([...new Set(shown)], ['draw ' + size]);
        assert.equal(shown.length, names.length);
        const letters = await q
            .locator('figure[id^=chart-] .' + size + ' text')
            .first()
            .evaluate((t) => t.getBoundingClientRect().height);
        assert.ok(letters >= 10, `letters of ${letters} px at ${width}`);
        assert.ok(await q.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    }
    const fill = () =>
        q.locator('#chart-ledger .wide a rect').first().evaluate((r) => getComputedStyle(r).fill);
    await q.emulateMedia({colorScheme: 'light'});
    const light = await fill();
    await q.emulateMedia({colorScheme: 'dark'});
    assert.notEqual(await fill(), light);
    assert.match(
        await q.locator('#chart-ledger .wide a title').first().textContent(),
        /GPU 0, compute: .* \(\d+\.\d %\)/,
    );
    assert.equal(await q.locator('#chart-gaps .wide').getAttribute('role'), 'img');
    await q.close();
});

test('commands are copied as they stand', async () => {
    await p.locator('[data-open-all]').click();
    const command = p.locator('.finding .command').first();
    await command.locator('button').click();
    await command.locator('button', {hasText: 'Copied'}).waitFor({timeout: 5000});
    assert.equal(
        await p.evaluate(() => navigator.clipboard.readText()),
        await command.locator('code').textContent(),
    );
    await p.evaluate(() =>
        Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true}),
    );
    const second = p.locator('#missing .command').first();
    await second.locator('button').click();
    await second.locator('button', {hasText: 'Copied'}).waitFor({timeout: 5000});
    await p.evaluate(() => delete navigator.clipboard);
    assert.equal(
        await p.evaluate(() => navigator.clipboard.readText()),
        await second.locator('code').textContent(),
    );
});

test('the analysis can be saved', async () => {
    const download = await downloadBy(p, p.locator('#save-json'));
    assert.equal(download.suggestedFilename(), 'demo.db.analysis.json');
    assert.equal(
        JSON.parse(text(await download.path())).schema_version,
        json(trace('demo')).schema_version,
    );
});

test('printing opens every card and puts it back', async () => {
    const closed = await p.locator('details:not([open])').count();
    assert.ok(closed > 0);
    await p.evaluate(() => dispatchEvent(new Event('beforeprint')));
    assert.equal(await p.locator('details:not([open])').count(), 0);
    await p.evaluate(() => dispatchEvent(new Event('afterprint')));
    assert.equal(await p.locator('details:not([open])').count(), closed);
    const pdf = await p.pdf({path: path.join(output, 'print.pdf'), format: 'A4'});
    assert.ok(pdf.length > 10000);
});

test('no page is wider than the window, from 400 to 2560', async () => {
    for (const name of [
        'demo',
        'multi_gpu',
        'hostile.trace',
        'hostile_names',
        'many_streams',
        'mpi_job',
    ]) {
        const q = await browser.goto(page(trace(name)));
        for (const width of [400, 800, 1400, 2560]) {
            await q.setViewportSize({width, height: 900});
            await drawn(q);
            const wide = await q.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.ok(wide <= 0, `${name} at ${width}: ${wide} px too wide`);
            if (name === 'demo') await q.screenshot({path: path.join(output, `demo-${width}.png`)});
        }
        await q.close();
    }
});

test('screenshots of both themes', async () => {
    for (const colorScheme of ['light', 'dark']) {
        await p.emulateMedia({colorScheme});
        await drawn(p);
        await p.screenshot({path: path.join(output, `demo-${colorScheme}.png`), fullPage: true});
    }
});
