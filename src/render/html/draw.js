/* Drawing the timeline on its canvas, and the small map of all of it. */

const AXIS_HEIGHT = 22,
    FONT = '11px system-ui, sans-serif',
    CHARACTER = 6;

/* Everything the timeline knows. Times are ns from the start of the window. */
const tl = {
    data: null,
    rows: [],
    height: 0,
    t0: 0,
    t1: 1,
    span: 1,
    selected: null /* {track, i} */,
    hover: null,
    range: null,
    mark: null,
    query: null,
    colors: {},
    scheduled: false,
    drawMs: 0,
};

const gutter = () => (tl.canvas.clientWidth < 600 ? 84 : 170);
const plotWidth = () => Math.max(1, tl.canvas.clientWidth - gutter());
const nsPerPixel = () => (tl.t1 - tl.t0) / plotWidth();
const xOf = (t) => gutter() + ((t - tl.t0) / (tl.t1 - tl.t0)) * plotWidth();
const timeAt = (x) => tl.t0 + (x - gutter()) * nsPerPixel();

function readColors() {
    const style = getComputedStyle(document.documentElement);
    const names = [
        'text',
        'muted',
        'line',
        'surface',
        'raised',
        'accent',
        'kernel-other',
        'call-launch',
        'call-sync',
        'call-copy',
        'call-alloc',
        'call-module',
        'call-other',
        'select',
        'mark',
    ];
    for (let i = 0; i < OWN_COLORS; i++) names.push('kernel-' + i);
    for (const kind of copyKinds) names.push('copy-' + kind);
    for (const name of names) tl.colors[name] = style.getPropertyValue('--' + name).trim();
}

/* Black or white, whichever can be read on a colour. */
const inkCache = new Map();
function inkOn(color) {
    if (!inkCache.has(color)) {
        const v = parseInt(color.slice(1), 16);
        const light = [v >> 16, (v >> 8) & 255, v & 255].map((c) => {
            const s = c / 255;
            return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
        });
        const y = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
        inkCache.set(color, y > 0.179 ? '#000000' : '#ffffff');
    }
    return inkCache.get(color);
}

function colorOf(track, i) {
    if (track.kind === 'copies') return tl.colors['copy-' + copyKinds[track.copy[i]]];
    return tl.colors[tl.data.colorOf[track.name[i]]];
}

function labelOf(track, i) {
    if (track.kind !== 'copies') return tl.data.names[track.name[i]].brief;
    return copyWords[track.copy[i]] + (track.bytes[i] ? ' ' + humanBytes(track.bytes[i] - 1) : '');
}

/* ---- the axis ---- */

function niceStep(least) {
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map((k) => k * power).find((step) => step >= least) || 10 * power;
}

function tickLabel(t, step) {
    const [unit, word] = [
        [1e9, 's'],
        [1e6, 'ms'],
        [1e3, 'µs'],
        [1, 'ns'],
    ].find(([size]) => Math.max(Math.abs(tl.t1), step) >= size) || [1, 'ns'];
    const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)));
    return (t / unit).toFixed(decimals) + ' ' + word;
}

function drawAxis(c, width, height) {
    const step = niceStep(Math.max(110 * nsPerPixel(), 1)),
        left = gutter();
    c.fillStyle = tl.colors.surface;
    c.fillRect(left, 0, width - left, AXIS_HEIGHT);
    c.strokeStyle = tl.colors.line;
    c.lineWidth = 1;
    c.beginPath();
    c.fillStyle = tl.colors.muted;
    for (let t = Math.ceil(tl.t0 / step) * step; t <= tl.t1; t += step) {
        const x = Math.round(xOf(t)) + 0.5;
        c.moveTo(x, AXIS_HEIGHT - 5);
        c.lineTo(x, height);
        c.fillText(tickLabel(t, step), x + 3, 12);
    }
    c.stroke();
}

/* ---- events ---- */

/* Which pieces of a level hold a match of the search. */
function matchesOf(lane, level) {
    if (level.query !== tl.query) {
        level.query = tl.query;
        const {track} = lane,
            query = tl.query;
        const hit = (level.hit = new Uint8Array(level.n));
        if (!level.from) {
            for (let i = 0; i < level.n; i++) hit[i] = isMatch(query, track, trackPlace(lane, i));
        } else {
            const below = matchesOf(lane, level.from);
            for (let i = 0; i < level.n; i++) {
                const end = i + 1 < level.n ? level.first[i + 1] : level.from.n;
                for (let k = level.first[i]; k < end && !hit[i]; k++) hit[i] = below[k];
            }
        }
    }
    return level.hit;
}

function isMatch(query, track, i) {
    return track.copy ? query.copies[track.copy[i]] : query.names[track.name[i]];
}

function drawLane(c, lane, y, width) {
    const {track} = lane,
        level = levelFor(lane, nsPerPixel());
    const hit = tl.query && matchesOf(lane, level);
    const left = gutter(),
        scale = plotWidth() / (tl.t1 - tl.t0),
        height = LANE_HEIGHT - 2;
    let color = '',
        alpha = 1,
        drawn = -1;
    for (let i = placeAfter(level.until, level.n, tl.t0); i < level.n && level.s[i] < tl.t1; i++) {
        const x0 = Math.max(left, left + (level.s[i] - tl.t0) * scale);
        const x1 = Math.min(width, left + (level.e[i] - tl.t0) * scale);
        if (x1 < drawn + 0.5 && !(hit && hit[i]))
            continue; /* inside the pixel that is drawn already */
        const place = trackPlace(lane, level.rep ? level.rep[i] : i),
            fill = colorOf(track, place);
        const length = level.e[i] - level.s[i];
        const want =
            hit && !hit[i]
                ? 0.15
                : level.busy && length > 0
                  ? 0.35 + 0.65 * Math.min(1, level.busy[i] / length)
                  : 1;
        if (fill !== color) c.fillStyle = color = fill;
        if (want !== alpha) c.globalAlpha = alpha = want;
        c.fillRect(x0, y, Math.max(1, x1 - x0 - (x1 - x0 > 3 ? 0.5 : 0)), height);
        drawn = x1;
        if (x1 - x0 > 5 * CHARACTER) {
            const room = Math.floor((x1 - x0 - 6) / CHARACTER),
                text = labelOf(track, place);
            c.fillStyle = inkOn(fill);
            c.fillText(
                text.length > room ? text.slice(0, room - 1) + '…' : text,
                x0 + 3,
                y + 11,
                x1 - x0 - 4,
            );
            color = '';
        }
    }
    c.globalAlpha = 1;
}

function drawSeries(c, row, y, width) {
    const {track} = row,
        {start, value, n} = track;
    if (!track.most) {
        track.most = Math.max(...[0].concat(Array.from(value).filter(isFinite)));
        track.least = Math.min(0, ...Array.from(value).filter(isFinite));
    }
    const height = SERIES_HEIGHT - 8,
        range = track.most - track.least || 1;
    c.strokeStyle = tl.colors.accent;
    c.lineWidth = 1.5;
    c.beginPath();
    const first = Math.max(0, placeAfter(start, n, tl.t0) - 1);
    let open = false,
        last = -1;
    for (let i = first; i < n; i++) {
        const x = Math.max(gutter(), xOf(start[i]));
        if (isFinite(value[i]) && !(open && x - last < 0.5)) {
            const level = y + 4 + height * (1 - (value[i] - track.least) / range);
            if (open) c.lineTo(x, level);
            else c.moveTo(x, level);
            open = true;
            last = x;
        }
        if (start[i] > tl.t1 || x > width) break;
    }
    c.stroke();
}

function drawRow(c, row, y, width) {
    if (row.head) {
        c.fillStyle = tl.colors.raised;
        c.fillRect(0, y, width, HEAD_HEIGHT - 2);
    } else if (row.track.kind === 'series') {
        drawSeries(c, row, y, width);
    } else {
        row.lanes.forEach((lane, k) => drawLane(c, lane, y + k * LANE_HEIGHT, width));
    }
}

function clipped(c, text, room) {
    if (c.measureText(text).width <= room) return text;
    let n = Math.max(1, Math.floor(room / CHARACTER));
    while (n > 1 && c.measureText(text.slice(0, n) + '…').width > room) n--;
    return text.slice(0, n) + '…';
}

function drawLabels(c, top, bottom) {
    const left = gutter();
    for (const row of tl.rows) {
        const y = row.y - tl.scroll.scrollTop + AXIS_HEIGHT;
        if (row.hidden || y > bottom || y + (row.height || HEAD_HEIGHT) < top) continue;
        if (row.head) {
            c.font = 'bold ' + FONT;
            c.fillStyle = tl.colors.text;
            const text = (row.folded ? '▸ ' : '▾ ') + row.label;
            c.fillText(clipped(c, text, tl.canvas.clientWidth - 20), 4 + 12 * row.depth, y + 13);
            c.font = FONT;
        } else {
            c.fillStyle = tl.colors.surface;
            c.fillRect(0, y, left - 1, row.height);
            c.fillStyle = row === tl.activeRow ? tl.colors.accent : tl.colors.muted;
            c.fillText(clipped(c, row.label, left - 26), 20, y + 11);
        }
    }
}

/* ---- what is selected ---- */

function band(c, from, to, color, height) {
    const x0 = Math.max(gutter(), xOf(from)),
        x1 = xOf(to);
    if (x1 < gutter() || x0 > tl.canvas.clientWidth) return;
    c.fillStyle = color;
    c.globalAlpha = 0.18;
    c.fillRect(x0, AXIS_HEIGHT, Math.max(1, x1 - x0), height);
    c.globalAlpha = 1;
    c.fillRect(x0, 0, 1.5, height);
    c.fillRect(Math.max(x0, x1) - 1.5, 0, 1.5, height);
}

function boxOf(event) {
    const {track, i} = event,
        row = track.row;
    if (row.hidden) return null;
    const k = row.lanes.findIndex(
        (lane) => !lane.index || lane.index[placeFrom(lane.index, lane.n, i)] === i,
    );
    const y = row.y - tl.scroll.scrollTop + AXIS_HEIGHT + Math.max(0, k) * LANE_HEIGHT;
    const x0 = xOf(track.start[i]),
        x1 = xOf(track.end[i]);
    return {x0, x1: Math.max(x1, x0 + 2), y};
}

function drawSelected(c) {
    const box = tl.selected && boxOf(tl.selected);
    if (!box) return;
    c.save();
    c.beginPath();
    c.rect(gutter(), AXIS_HEIGHT, plotWidth(), tl.canvas.clientHeight);
    c.clip();
    c.strokeStyle = tl.colors.select;
    c.lineWidth = 2;
    c.strokeRect(box.x0 - 1, box.y - 1, box.x1 - box.x0 + 2, LANE_HEIGHT);
    for (const other of linkedTo(tl.selected).slice(0, 20)) {
        const to = boxOf(other);
        if (!to) continue;
        c.lineWidth = 1.5;
        c.beginPath();
        c.moveTo(box.x0, box.y + LANE_HEIGHT / 2);
        c.bezierCurveTo(
            box.x0,
            (box.y + to.y) / 2,
            to.x0,
            (box.y + to.y) / 2,
            to.x0,
            to.y + LANE_HEIGHT / 2,
        );
        c.stroke();
        c.strokeRect(to.x0 - 1, to.y - 1, to.x1 - to.x0 + 2, LANE_HEIGHT);
    }
    c.restore();
}

/* ---- all of it ---- */

function sizeCanvas(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1;
    if (
        canvas.width !== Math.round(width * ratio) ||
        canvas.height !== Math.round(height * ratio)
    ) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        canvas.style.height = height + 'px';
    }
    const c = canvas.getContext('2d');
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    return c;
}

function draw() {
    const begin = performance.now();
    tl.scheduled = false;
    const width = tl.scroll.clientWidth,
        height = tl.scroll.clientHeight;
    const c = sizeCanvas(tl.canvas, width, height);
    c.font = FONT;
    c.fillStyle = tl.colors.surface;
    c.fillRect(0, 0, width, height);
    drawAxis(c, width, height);
    c.save();
    c.beginPath();
    c.rect(0, AXIS_HEIGHT, width, height);
    c.clip();
    for (const row of tl.rows) {
        const y = row.y - tl.scroll.scrollTop + AXIS_HEIGHT;
        if (!row.hidden && y < height && y + (row.height || HEAD_HEIGHT) > AXIS_HEIGHT)
            drawRow(c, row, y, width);
    }
    drawLabels(c, AXIS_HEIGHT, height);
    c.restore();
    if (tl.mark) band(c, tl.mark.t0, tl.mark.t1, tl.colors.mark, height);
    if (tl.range) band(c, tl.range.t0, tl.range.t1, tl.colors.select, height);
    drawSelected(c);
    drawMap();
    tl.drawMs = performance.now() - begin;
}

function redraw() {
    if (!tl.scheduled && tl.data) {
        tl.scheduled = true;
        requestAnimationFrame(draw);
    }
}

/* GPU work of everything: a line for the kernels and one for the copies of each GPU. */
function drawMapImage(width, height, scale) {
    const image = document.createElement('canvas'),
        ratio = window.devicePixelRatio || 1;
    image.width = tl.map.width;
    image.height = tl.map.height;
    const c = image.getContext('2d'),
        line = (height - 4) / Math.max(1, tl.data.gpus.length);
    c.scale(ratio, ratio);
    c.fillStyle = tl.colors.raised;
    c.fillRect(0, 0, width, height);
    const part = tl.data.tracks.some((track) => track.kind === 'copies') ? 0.6 : 1;
    for (const {track, lanes} of tl.rows) {
        const kernels = track && track.kind === 'kernels';
        if (!kernels && !(track && track.kind === 'copies')) continue;
        c.fillStyle = tl.colors[kernels ? 'kernel-0' : 'copy-h2d'];
        const y = 2 + track.gpu * line + (kernels ? 0 : line * part);
        const high = Math.max(1, line * (kernels ? part : 1 - part) - 1);
        for (const lane of lanes) {
            const level = levelFor(lane, 1 / scale);
            for (let i = 0; i < level.n; i++)
                c.fillRect(
                    level.s[i] * scale,
                    y,
                    Math.max(0.5, (level.e[i] - level.s[i]) * scale),
                    high,
                );
        }
    }
    return image;
}

/* The map, with what is not visible veiled. */
function drawMap() {
    const width = tl.map.clientWidth,
        height = 40,
        scale = width / tl.span;
    const c = sizeCanvas(tl.map, width, height);
    if (!tl.mapImage || tl.mapImage.width !== tl.map.width)
        tl.mapImage = drawMapImage(width, height, scale);
    c.drawImage(tl.mapImage, 0, 0, width, height);
    c.fillStyle = tl.colors.surface;
    c.globalAlpha = 0.6;
    c.fillRect(0, 0, tl.t0 * scale, height);
    c.fillRect(tl.t1 * scale, 0, width - tl.t1 * scale, height);
    c.globalAlpha = 1;
    c.strokeStyle = tl.colors.accent;
    c.lineWidth = 2;
    c.strokeRect(tl.t0 * scale + 1, 1, Math.max(2, (tl.t1 - tl.t0) * scale - 2), height - 2);
}
