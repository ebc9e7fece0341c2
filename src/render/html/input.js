/* Mouse, wheel, touch and keys on the timeline; its start. */

function rowAt(y) {
    const at = y - AXIS_HEIGHT + tl.scroll.scrollTop;
    return tl.rows.find(
        (row) => !row.hidden && at >= row.y && at < row.y + (row.height || HEAD_HEIGHT),
    );
}

/* The event under a point of the canvas, or null. */
function eventAt(x, y) {
    const row = x >= gutter() && y > AXIS_HEIGHT ? rowAt(y) : null;
    if (!row || row.head || !row.lanes.length) return null;
    const k = Math.floor((y - AXIS_HEIGHT + tl.scroll.scrollTop - row.y) / LANE_HEIGHT);
    const lane = row.lanes[Math.min(k, row.lanes.length - 1)];
    const level = levelFor(lane, nsPerPixel()),
        t = timeAt(x),
        slack = 2 * nsPerPixel();
    const last = placeAfter(level.s, level.n, t + slack) - 1;
    let best = -1,
        nearest = Infinity;
    for (let i = last; i >= 0 && i > last - 8; i--) {
        const away = level.s[i] > t ? level.s[i] - t : Math.max(0, t - level.e[i]);
        if (away <= slack && away < nearest) {
            nearest = away;
            best = i;
        }
    }
    return best < 0
        ? null
        : {track: row.track, i: trackPlace(lane, level.rep ? level.rep[best] : best)};
}

/* ---- hovering ---- */

function seriesText(row, t) {
    const {start, value, n} = row.track,
        i = placeAfter(start, n, t) - 1;
    return i < 0 ? null : row.label + ': ' + Number(value[i].toPrecision(6));
}

function hoverText(x, y) {
    const event = eventAt(x, y),
        row = rowAt(y);
    if (event) {
        const {track, i} = event;
        const name = fullName(event);
        return (
            (name.length > 300 ? name.slice(0, 299) + '…' : name) +
            '\n' +
            humanTime(track.end[i] - track.start[i]) +
            ' at ' +
            humanTime(track.start[i]) +
            (track.kind === 'copies' && track.bytes[i] ? ', ' + humanBytes(track.bytes[i] - 1) : '')
        );
    }
    return row && !row.head && row.track.kind === 'series' && x >= gutter()
        ? seriesText(row, timeAt(x))
        : null;
}

function hover(event) {
    const box = byId('tl-hover');
    const text = event && !event.buttons ? hoverText(event.offsetX, event.offsetY) : null;
    box.hidden = !text;
    if (!text) return;
    box.textContent = text;
    const size = box.getBoundingClientRect();
    box.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - size.width - 8)) + 'px';
    box.style.top = Math.max(4, Math.min(event.clientY + 16, innerHeight - size.height - 8)) + 'px';
}

/* ---- moving ---- */

function pan(part) {
    const by = (tl.t1 - tl.t0) * part;
    setView(tl.t0 + by, tl.t1 + by);
}

function zoom(factor, x) {
    const at = x === undefined ? (tl.t0 + tl.t1) / 2 : timeAt(Math.max(x, gutter()));
    const length = Math.min(tl.span, Math.max(20, (tl.t1 - tl.t0) * factor));
    const share = (at - tl.t0) / (tl.t1 - tl.t0);
    setView(at - length * share, at + length * (1 - share));
}

function startWheel() {
    tl.canvas.addEventListener(
        'wheel',
        (event) => {
            const focused = document.activeElement === tl.canvas;
            if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
                event.preventDefault();
                pan((event.deltaX || event.deltaY) / plotWidth());
            } else if (event.ctrlKey || event.metaKey || focused) {
                event.preventDefault();
                const lines = event.deltaMode === 1 ? 30 : 1;
                zoom(
                    Math.exp(Math.max(-300, Math.min(300, event.deltaY * lines)) / 400),
                    event.offsetX,
                );
            }
        },
        {passive: false},
    );
}

/* One pointer pans or, with Shift, selects; two zoom. */
function startPointers() {
    const down = new Map();
    let drag = null,
        pinch = null;
    const place = (event) => {
        const box = tl.canvas.getBoundingClientRect();
        return {x: event.clientX - box.left, y: event.clientY - box.top};
    };
    tl.canvas.addEventListener('pointerdown', (event) => {
        if (event.pointerType === 'mouse' && event.button !== 0) return;
        const at = place(event);
        down.set(event.pointerId, at);
        tl.canvas.setPointerCapture(event.pointerId);
        if (down.size === 2) {
            const [a, b] = down.values();
            pinch = {t0: timeAt(Math.min(a.x, b.x)), t1: timeAt(Math.max(a.x, b.x))};
            drag = null;
        } else {
            drag = {
                ...at,
                t0: tl.t0,
                t1: tl.t1,
                scroll: tl.scroll.scrollTop,
                moved: false,
                from: event.shiftKey && at.x >= gutter() ? timeAt(at.x) : null,
            };
        }
    });
    tl.canvas.addEventListener('pointermove', (event) => {
        if (!down.has(event.pointerId)) {
            hover(event);
            return;
        }
        const at = place(event);
        down.set(event.pointerId, at);
        if (pinch && down.size === 2) followPinch(pinch, Array.from(down.values()));
        else if (drag) followDrag(drag, at);
    });
    const up = (event) => {
        if (!down.delete(event.pointerId)) return;
        if (drag && drag.from !== null && drag.moved) showRange();
        else if (drag && !drag.moved && event.type === 'pointerup') click(drag.x, drag.y);
        drag = null;
        pinch = down.size < 2 ? null : pinch;
    };
    tl.canvas.addEventListener('pointerup', up);
    tl.canvas.addEventListener('pointercancel', up);
    tl.canvas.addEventListener('pointerleave', () => hover(null));
}

function followDrag(drag, at) {
    if (Math.abs(at.x - drag.x) + Math.abs(at.y - drag.y) > 3) drag.moved = true;
    if (!drag.moved) return;
    if (drag.from !== null) {
        const to = Math.max(0, Math.min(tl.span, timeAt(at.x)));
        const a = Math.round(Math.min(drag.from, to)),
            b = Math.round(Math.max(drag.from, to));
        tl.range = b > a ? {t0: a, t1: b} : null;
        redraw();
    } else {
        const by = ((drag.x - at.x) * (drag.t1 - drag.t0)) / plotWidth();
        tl.scroll.scrollTop = drag.scroll + drag.y - at.y;
        setView(drag.t0 + by, drag.t1 + by);
    }
}

/* The times under the two fingers stay under them. */
function followPinch(pinch, points) {
    const x0 = Math.min(points[0].x, points[1].x),
        x1 = Math.max(points[0].x, points[1].x, x0 + 10);
    const scale = (pinch.t1 - pinch.t0) / (x1 - x0);
    const t0 = pinch.t0 - (x0 - gutter()) * scale;
    setView(t0, t0 + plotWidth() * scale);
}

function click(x, y) {
    const row = rowAt(y);
    if (y > AXIS_HEIGHT && row && row.head) {
        row.folded = !row.folded;
        layout();
        return;
    }
    const event = eventAt(x, y);
    if (row && !row.head) tl.activeRow = row;
    select(event);
}

/* ---- keys ---- */

function stepEvent(direction) {
    const row = tl.activeRow;
    if (!row || !row.lanes.length) return;
    const track = row.track,
        middle = (tl.t0 + tl.t1) / 2;
    const i =
        tl.selected && tl.selected.track === track
            ? tl.selected.i + direction
            : Math.min(placeFrom(track.start, track.n, middle), track.n - 1);
    if (i >= 0 && i < track.n) select({track, i});
}

function stepRow(direction) {
    const rows = tl.rows.filter((row) => !row.head && row.lanes.length);
    const at = rows.indexOf(tl.activeRow);
    const row = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + direction))];
    if (!row) return;
    tl.activeRow = row;
    showRow(row);
    byId('tl-matches').textContent = row.label;
    redraw();
}

const keyActions = {
    ArrowLeft: () => pan(-0.15),
    ArrowRight: () => pan(0.15),
    a: () => pan(-0.15),
    d: () => pan(0.15),
    ArrowUp: () => stepRow(-1),
    ArrowDown: () => stepRow(1),
    '+': () => zoom(0.7),
    '=': () => zoom(0.7),
    w: () => zoom(0.7),
    '-': () => zoom(1 / 0.7),
    s: () => zoom(1 / 0.7),
    Home: () => setView(0, tl.span),
    PageUp: () => {
        tl.scroll.scrollTop -= tl.scroll.clientHeight - 40;
    },
    PageDown: () => {
        tl.scroll.scrollTop += tl.scroll.clientHeight - 40;
    },
    '.': () => stepEvent(1),
    ',': () => stepEvent(-1),
    Enter: () => {
        if (tl.selected) select(tl.selected, true);
    },
    g: () => {
        const others = tl.selected ? linkedTo(tl.selected) : [];
        if (others.length) select(others[0]);
    },
    Escape: () => {
        tl.mark = null;
        select(null);
        setRange(null);
    },
};

function startKeys() {
    tl.canvas.addEventListener('keydown', (event) => {
        const action = !event.ctrlKey && !event.metaKey && !event.altKey && keyActions[event.key];
        if (!action) return;
        event.preventDefault();
        action();
    });
}

function startMap() {
    const follow = (event) => {
        if (!(event.buttons & 1)) return;
        const at = (event.offsetX / tl.map.clientWidth) * tl.span,
            half = (tl.t1 - tl.t0) / 2;
        setView(at - half, at + half);
    };
    tl.map.addEventListener('pointerdown', (event) => {
        tl.map.setPointerCapture(event.pointerId);
        follow(event);
    });
    tl.map.addEventListener('pointermove', follow);
}

function startControls() {
    byId('tl-in').addEventListener('click', () => zoom(0.5));
    byId('tl-out').addEventListener('click', () => zoom(2));
    byId('tl-fit').addEventListener('click', () => setView(0, tl.span));
    byId('tl-range').addEventListener('click', () => setRange(tl.t0, tl.t1));
    byId('tl-clear').addEventListener('click', () => setRange(null));
    byId('tl-prev').addEventListener('click', () => stepMatch(-1));
    byId('tl-next').addEventListener('click', () => stepMatch(1));
    byId('tl-search').addEventListener('input', (event) => search(event.target.value));
    byId('tl-search').addEventListener('keydown', (event) => {
        if (event.key === 'Enter') stepMatch(event.shiftKey ? -1 : 1);
    });
}

function layout() {
    tl.height = placeRows(tl.rows) + AXIS_HEIGHT + 4;
    byId('tl-space').style.height = tl.height + 'px';
    tl.scroll.style.height =
        Math.min(tl.height, Math.max(240, Math.round(innerHeight * 0.65))) + 'px';
    redraw();
}

async function loadTimeline(tell) {
    if (typeof DecompressionStream === 'undefined')
        throw new Error('this browser cannot decompress data (DecompressionStream)');
    const data = await unpackEvents(tell);
    tell('Arranging events');
    await pause();
    colorNames(data);
    tl.rows = makeRows(data);
    tl.data = data;
    tl.span = Math.max(1, data.window_ns);
    tl.t1 = tl.span;
}

function showTimeline() {
    byId('tl-box').hidden = false;
    readColors();
    startWheel();
    startPointers();
    startKeys();
    startMap();
    startControls();
    themeListeners.push(() => {
        readColors();
        tl.mapImage = null;
        redraw();
    });
    tl.scroll.addEventListener('scroll', redraw);
    new ResizeObserver(layout).observe(byId('tl-box'));
    showLegend();
    layout();
    byId('tl-status').textContent = eventNote(tl.data);
}

function startTimeline() {
    Object.assign(tl, {canvas: byId('tl'), map: byId('tl-map'), scroll: byId('tl-scroll')});
    const tell = (text) => {
        byId('tl-status').textContent = text;
    };
    const ready = loadTimeline(tell)
        .then(showTimeline)
        .catch((error) => {
            tell('The timeline cannot be shown: ' + error.message + '.');
        });
    document.addEventListener('click', (event) => {
        const link = event.target.closest('a.jump');
        if (link) ready.then(() => tl.data && jump(link));
        const find = event.target.closest('[data-find]');
        if (find)
            ready.then(() => {
                if (!tl.data) return;
                search(find.dataset.find);
                byId('timeline').scrollIntoView();
                stepMatch(1);
            });
    });
    /* For scripts that drive the page: what the timeline shows, and sums over any range. */
    window.gpusight = {
        ready,
        timeline: () => ({
            t0: tl.t0,
            t1: tl.t1,
            span: tl.span,
            range: tl.range,
            draw_ms: tl.drawMs,
            start_ns: tl.data && tl.data.start_ns,
            selected: tl.selected && {
                name: fullName(tl.selected),
                kind: tl.selected.track.kind,
                start: tl.selected.track.start[tl.selected.i],
            },
        }),
        summary: (t0, t1) => summarizeRange(tl.data, t0, t1),
        setView,
        setRange,
        draw,
    };
}
