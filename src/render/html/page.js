/* The page itself: theme, tooltips, copy buttons, cards, printing. */
const byId = (id) => document.getElementById(id);
const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));

/* An element with attributes and children; strings become text. */
function make(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
        if (key === 'onclick') e.addEventListener('click', value);
        else if (value === true) e.setAttribute(key, '');
        else if (value !== false && value !== null && value !== undefined)
            e.setAttribute(key, value);
    }
    e.append(...children.filter((c) => c !== null && c !== undefined));
    return e;
}

function digits3(v, unit) {
    return v.toFixed(v < 9.995 ? 2 : v < 99.95 ? 1 : 0) + ' ' + unit;
}

/* As the program writes times, see human.c. */
function humanTime(ns) {
    if (ns < 0) return '-' + humanTime(-ns);
    if (ns < 1000) return Math.round(ns) + ' ns';
    if (ns < 999.5e3) return digits3(ns / 1e3, 'µs');
    if (ns < 999.5e6) return digits3(ns / 1e6, 'ms');
    if (ns < 120e9) return digits3(ns / 1e9, 's');
    const s = Math.floor(ns / 1e9),
        two = (n) => String(n).padStart(2, '0');
    if (s < 7200) return Math.floor(s / 60) + ' min ' + two(s % 60) + ' s';
    return Math.floor(s / 3600) + ' h ' + two(Math.floor(s / 60) % 60) + ' min';
}

function humanBytes(n) {
    const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
    if (n < 1024) return n + ' B';
    let u = 0;
    for (n /= 1024; n >= 999.5 && u < 5; u++) n /= 1024;
    return digits3(n, units[u]);
}

const humanCount = (n) => n.toLocaleString('en-US');
const humanPercent = (p) => (p > 0 && p < 0.05 ? '<0.1 %' : p.toFixed(1) + ' %');

/* ---- theme ---- */

const THEME_KEY = 'gpusight-theme';
const themeListeners = [];

function remember(key, value) {
    try {
        localStorage.setItem(key, value);
    } catch (e) {
        /* pages from files may have no storage */
    }
}

function recall(key) {
    try {
        return localStorage.getItem(key);
    } catch (e) {
        return null;
    }
}

function isDark() {
    const set = document.documentElement.dataset.theme;
    return set ? set === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function showTheme() {
    byId('theme').setAttribute('aria-pressed', String(isDark()));
    for (const listener of themeListeners) listener();
}

function startTheme() {
    const kept = recall(THEME_KEY);
    if (kept === 'dark' || kept === 'light') document.documentElement.dataset.theme = kept;
    byId('theme').addEventListener('click', () => {
        const next = isDark() ? 'light' : 'dark';
        document.documentElement.dataset.theme = next;
        remember(THEME_KEY, next);
        showTheme();
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', showTheme);
    showTheme();
}

/* ---- tooltips: on hover and on focus, Escape hides ---- */

function placeTip(box, target) {
    const at = target.getBoundingClientRect(),
        size = box.getBoundingClientRect();
    const left = Math.min(Math.max(8, at.left), innerWidth - size.width - 8);
    const below = at.bottom + 6 + size.height < innerHeight;
    box.style.left = Math.max(8, left) + 'px';
    box.style.top = (below ? at.bottom + 6 : Math.max(8, at.top - size.height - 6)) + 'px';
}

function startTips() {
    const box = byId('tooltip');
    let owner = null;
    const hide = () => {
        if (owner) owner.removeAttribute('aria-describedby');
        owner = null;
        box.hidden = true;
    };
    const show = (event) => {
        const target = event.target.closest && event.target.closest('[data-tip]');
        if (!target || target === owner) return;
        hide();
        owner = target;
        box.textContent = target.dataset.tip;
        box.hidden = false;
        target.setAttribute('aria-describedby', 'tooltip');
        placeTip(box, target);
    };
    const leave = (event) => {
        if (owner && !owner.contains(event.relatedTarget)) hide();
    };
    document.addEventListener('mouseover', show);
    document.addEventListener('focusin', show);
    document.addEventListener('mouseout', leave);
    document.addEventListener('focusout', leave);
    document.addEventListener('click', show);
    document.addEventListener('scroll', hide, true);
    document.addEventListener('keydown', (event) => {
        if (event.key === 'Escape') hide();
    });
}

/* ---- copying ---- */

function copyByHand(text) {
    const area = make('textarea', {class: 'offscreen', 'aria-hidden': 'true'});
    area.value = text;
    document.body.append(area);
    area.select();
    let done = false;
    try {
        done = document.execCommand('copy');
    } catch (e) {
        /* told below */
    }
    area.remove();
    return done;
}

async function copyText(text) {
    try {
        await navigator.clipboard.writeText(text);
        return true;
    } catch (e) {
        return copyByHand(text);
    }
}

function startCopies() {
    document.addEventListener('click', async (event) => {
        const button = event.target.closest('button.copy');
        if (!button) return;
        const done = await copyText(button.parentElement.querySelector('code').textContent);
        button.focus();
        button.textContent = done ? 'Copied' : 'Select and copy';
        setTimeout(() => {
            button.textContent = 'Copy';
        }, 1600);
    });
}

function download(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], {type}));
    const link = make('a', {href: url, download: name});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/* ---- cards ---- */

function reveal(hash) {
    const target = hash.length > 1 ? byId(hash.slice(1)) : null;
    for (let e = target; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
    return target;
}

function startCards() {
    document.addEventListener('click', (event) => {
        const link = event.target.closest('a[href^="#"]');
        if (!link) return;
        const target = reveal(link.getAttribute('href'));
        const summary = target && target.tagName === 'DETAILS' && target.querySelector('summary');
        if (summary) setTimeout(() => summary.focus(), 0);
    });
    for (const [name, open] of [
        ['openAll', true],
        ['closeAll', false],
    ])
        for (const button of all(open ? '[data-open-all]' : '[data-close-all]'))
            button.addEventListener('click', () => {
                for (const card of all('details', byId(button.dataset[name]))) card.open = open;
            });
    if (location.hash) reveal(location.hash);
}

function startPrinting() {
    let opened = [];
    addEventListener('beforeprint', () => {
        opened = all('details:not([open])');
        for (const card of opened) card.open = true;
    });
    addEventListener('afterprint', () => {
        for (const card of opened) card.open = false;
    });
}

/* The chapter that is read, in the contents. */
function startContents() {
    const links = new Map(all('nav a').map((a) => [a.getAttribute('href').slice(1), a]));
    const watcher = new IntersectionObserver(
        (entries) => {
            for (const entry of entries) {
                if (!entry.isIntersecting) continue;
                for (const [id, link] of links)
                    if (id === entry.target.id) link.setAttribute('aria-current', 'true');
                    else link.removeAttribute('aria-current');
            }
        },
        {rootMargin: '-20% 0px -70% 0px'},
    );
    for (const chapter of all('section.chapter')) watcher.observe(chapter);
}

function startPage() {
    startTheme();
    startTips();
    startCopies();
    startCards();
    startPrinting();
    startContents();
    byId('save-json').addEventListener('click', () => {
        const base = document.title.replace(/ – gpusight$/, '');
        download(base + '.' + byId('save-json').dataset.kind + '.json', 'application/json', byId('analysis').textContent);
    });
}
