// Names from a trace are data: nothing of them runs, nothing breaks the page.
import assert from 'node:assert/strict';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {Browser, downloadBy, json, output, page, text, trace} from './lib.mjs';

const files = ['hostile.trace', 'hostile_names'].map((name) => trace(name));
const pages = files.map((file) => page(file));
let browser;
before(async () => {
    browser = await Browser.open();
});
after(() => browser.close());

test('no name stands in the page unescaped', () => {
    for (const file of pages) {
        const source = text(file);
        assert.equal(source.match(/<script/gi).length, source.match(/<\/script>/gi).length);
        assert.ok(!/<img|<iframe|<svg\/onload|<!--/i.test(source));
        assert.equal(
            source.match(/<\/script>/gi).length,
            1 + 1 + source.match(/<script type="application\/octet-stream"/g).length,
        );
        // eslint-disable-next-line no-control-regex
        assert.ok(
            !/[\u202a-\u202e\u2066-\u2069\u0000-\u0008]/.test(
                source.replace(/<script[^]*?<\/script>/g, ''),
            ),
        );
    }
});

test("the policy forbids everything but the page's own script and style", () => {
    const policy = text(pages[0]).match(/Content-Security-Policy" content="([^"]*)"/)[1];
    assert.match(
        policy,
        /^default-src 'none'; script-src 'sha256-[\w+/=]{44}'; style-src 'sha256-[\w+/=]{44}'; img-src data:/,
    );
    assert.ok(!/unsafe|https?:|\*/.test(policy));
    assert.ok(
        !/ style="| on\w+="/.test(
            text(pages[0])
                .replace(/data-\w+="[^"]*"/g, '')
                .split('<script')[0],
        ),
    );
});

test('no script of a name runs, whatever is clicked', async () => {
    for (const [i, file] of pages.entries()) {
        const p = await browser.goto(file);
        for (const details of await p.locator('details').all())
            await details.evaluate((e) => {
                e.open = true;
            });
        for (const tip of await p.locator('[data-tip]:visible').all())
            await tip.dispatchEvent('mouseover');
        for (const select of ['thead button', '[data-find]', 'a.jump', '#tl-next'])
            for (const e of (await p.locator(select).all()).slice(0, 25))
                await e.evaluate((x) => x.click());
        await p.locator('#tl-search').fill('script');
        for (let k = 0; k < 5; k++) await p.locator('#tl-next').click();
        await p.locator('#tl-range').click();
        const b = await p.locator('#tl').boundingBox();
        for (let x = 200; x < b.width; x += 60) await p.mouse.move(b.x + x, b.y + 66);
        assert.equal(await p.evaluate(() => window.__pwned), undefined);
        assert.equal(await p.locator('main script, main img, main iframe').count(), 0);
        await p.screenshot({path: path.join(output, `hostile-${i}.png`)});
        await p.close();
    }
});

test('names are shown as they are, with controls made visible', async () => {
    const p = await browser.goto(pages[0]);
    const names = await p
        .locator('#table-hotspots tbody tr')
        .evaluateAll((all) => all.map((r) => r.cells[1].textContent));
    const want = json(files[0]).analyses.hotspots.map((h) => h.name);
    assert.equal(names.length, want.length);
    assert.ok(names.includes('</script><script>window.__pwned=2</script>'));
    assert.ok(names.includes('&lt;b&gt;&amp;&#x3c;script&#x3e;'));
    assert.ok(names.includes('quote"comma,line\\nbreak'));
    assert.ok(names.includes('\\u202egnp.lenrek\\u202c\\u2066x\\u2069'));
    assert.ok(names.some((n) => n.startsWith('bad utf-8 \\xff\\xfe')));
    await p.close();
});

test('a spreadsheet takes no name for a formula', async () => {
    const p = await browser.goto(pages[0]);
    const download = await downloadBy(p, p.locator('.table[data-name=hotspots] button.csv'));
    const csv = text(await download.path());
    assert.match(csv, /,'=cmd\|'\/c calc'!A1,/);
    assert.match(csv, /,'@SUM\(1\),/);
    assert.ok(!/(^|,)"?[=@]/m.test(csv));
    await p.close();
});

test('other scripts cannot be added: the policy blocks them', async () => {
    const p = await browser.goto(pages[0]);
    const problems = browser.problems.length;
    await p.evaluate(() => {
        const s = document.createElement('script');
        s.textContent = 'window.__pwned = 99';
        document.body.append(s);
        const d = document.createElement('div');
        d.innerHTML = '<img src="x" onerror="window.__pwned = 98">';
        document.body.append(d);
    });
    await p.waitForTimeout(200);
    assert.equal(await p.evaluate(() => window.__pwned), undefined);
    assert.ok(browser.problems.length > problems); // the browser says that it blocked them
    browser.problems.length = problems;
    await p.close();
});

test('damaged data is told, the rest of the page works', async () => {
    const {writeFileSync} = await import('node:fs');
    const bad = path.join(output, 'damaged.html');
    writeFileSync(
        bad,
        text(pages[0]).replace(
            /(data-header="\d+">)(.{40})/,
            '$1AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
        ),
    );
    const p = await browser.context.newPage();
    await p.goto('file://' + bad);
    await p.evaluate(() => window.gpusight.ready);
    assert.match(await p.locator('#tl-status').textContent(), /^The timeline cannot be shown: /);
    await p.locator('#table-hotspots th[data-key=calls] button').click();
    await p.close();
});
