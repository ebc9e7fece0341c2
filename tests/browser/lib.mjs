// What the browser tests share: traces, pages, a browser that reports everything odd.
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import path from 'node:path';

export const work = process.env.WORK;
export const output = path.join(work, 'output');
export const require = createRequire(path.join(work, 'node_modules', 'x'));
const {chromium} = require('playwright-core');
const here = import.meta.dirname;

mkdirSync(output, {recursive: true});

export function gpusight(...args) {
    return execFileSync(process.env.GPUSIGHT, args, {
        encoding: 'utf8',
        maxBuffer: 1 << 30,
        stdio: ['ignore', 'pipe', 'pipe'],
    });
}

/** The trace of a built-in scenario, or of a .trace file beside this one. */
export function trace(name, ...options) {
    const file = path.join(
        output,
        [name.replace('.trace', ''), ...options].join('_').replace(/[^\w.]/g, '_') + '.db',
    );
    if (!existsSync(file))
        gpusight(
            'synth',
            '--merge',
            name.endsWith('.trace') ? path.join(here, name) : name,
            '-o',
            file,
            ...options,
        );
    return file;
}

/** The page of a trace, always made anew. */
export function page(file, ...options) {
    const to =
        file.replace(/\.db$/, '') +
        (options.length ? '_' + options.join('_').replace(/[^\w]/g, '_') : '') +
        '.html';
    gpusight('analyze', '--format', 'html', ...options, '-o', to, file);
    return to;
}

export function json(file, ...options) {
    return JSON.parse(
        gpusight('analyze', '--format', 'json', '--top-kernels', '1000000', ...options, file),
    );
}

export const text = (file) => readFileSync(file, 'utf8');

/** Clicks until a download comes: a busy browser may drop one, and a person would click again. */
export async function downloadBy(p, button) {
    for (let tries = 0; tries < 4; tries++) {
        const [download] = await Promise.all([
            p.waitForEvent('download', {timeout: 8000}).catch(() => null),
            button.click(),
        ]);
        if (download) return download;
    }
    throw new Error('no download');
}

/** A browser with an empty profile; close() fails when a page complained or asked for anything. */
export class Browser {
    static async open(options = {}) {
        const b = new Browser();
        b.profile = mkdtempSync(path.join(tmpdir(), 'gpusight-browser-'));
        b.problems = [];
        b.context = await chromium.launchPersistentContext(b.profile, {
            executablePath: process.env.BROWSER,
            headless: true,
            acceptDownloads: true,
            viewport: {width: 1400, height: 900},
            ...options,
            args: [
                '--no-sandbox',
                '--disable-gpu',
                '--disable-quic',
                '--no-first-run',
                '--disable-background-networking',
                '--disable-component-update',
                '--disable-sync',
            ],
        });
        return b;
    }

    async goto(file, hash = '') {
        const p = await this.context.newPage();
        p.on(
            'console',
            (m) =>
                ['error', 'warning'].includes(m.type()) &&
                this.problems.push('console: ' + m.text()),
        );
        p.on('pageerror', (e) => this.problems.push('error: ' + e.stack));
        p.on('dialog', (d) => {
            this.problems.push('dialog: ' + d.message());
            d.dismiss();
        });
        p.on('request', (r) => {
            if (
                !/^(blob:|data:)/.test(r.url()) &&
                r.url().split('#')[0] !== 'file://' + encodeURI(file)
            )
                this.problems.push('request: ' + r.url());
        });
        await p.goto('file://' + file + hash);
        await p.evaluate(() => window.gpusight.ready);
        await p.waitForFunction(() => {
            const status = document.getElementById('tl-status');
            return !status || /events/.test(status.textContent);
        });
        return p;
    }

    async close() {
        await this.context.close();
        rmSync(this.profile, {recursive: true, force: true});
        if (this.problems.length)
            throw new Error('the page complained:\n' + this.problems.join('\n'));
    }
}

/** Waits until the timeline has drawn what was last asked of it. */
export const drawn = (p) =>
    p.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );

/** Numbers that are the same in every run. */
export function random(seed) {
    let x = BigInt(seed) * 0x9e3779b97f4a7c15n;
    return () => {
        x = (x * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
        return Number(x >> 11n) / 2 ** 53;
    };
}
