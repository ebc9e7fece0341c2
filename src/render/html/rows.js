/* Rows of the timeline: events laid into lanes, and lanes merged for when they are far away. */

const MOST_LANES = 4,
    LANE_HEIGHT = 16,
    SERIES_HEIGHT = 36,
    HEAD_HEIGHT = 20,
    ROW_GAP = 4;
const MERGE_ABOVE = 1000; /* events */

/* The first place where v[i] > x, or >= x. */
function placeAfter(v, n, x) {
    let low = 0,
        high = n;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (v[middle] > x) high = middle;
        else low = middle + 1;
    }
    return low;
}

function placeFrom(v, n, x) {
    let low = 0,
        high = n;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (v[middle] >= x) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* Each event takes the first lane that is free: nested calls come out by depth. */
function assignLanes(track) {
    const {start, end, n} = track,
        free = new Float64Array(MOST_LANES).fill(-Infinity);
    const lane = new Uint8Array(n),
        counts = new Uint32Array(MOST_LANES);
    for (let i = 0; i < n; i++) {
        let k = 0;
        while (k < MOST_LANES - 1 && start[i] < free[k]) k++;
        lane[i] = k;
        counts[k]++;
        if (end[i] > free[k]) free[k] = end[i];
    }
    return {lane, counts};
}

function makeLanes(track) {
    const {lane, counts} = assignLanes(track),
        lanes = [];
    for (let k = 0; k < MOST_LANES && counts[k]; k++) {
        if (counts[k] === track.n) {
            lanes.push({track, index: null, start: track.start, end: track.end, n: track.n});
            break;
        }
        const one = {track, index: new Uint32Array(counts[k]), n: 0};
        one.start = new Float64Array(counts[k]);
        one.end = new Float64Array(counts[k]);
        for (let i = 0; i < track.n; i++)
            if (lane[i] === k) {
                one.index[one.n] = i;
                one.start[one.n] = track.start[i];
                one.end[one.n++] = track.end[i];
            }
        lanes.push(one);
    }
    for (const one of lanes) addLevels(one);
    return lanes;
}

/* Ends so far: the last lane may hold events that overlap, so that ends alone have no order. */
function latest(end, n) {
    const out = new Float64Array(n);
    for (let i = 0, most = -Infinity; i < n; i++) out[i] = most = Math.max(most, end[i]);
    return out;
}

function ordered(end, n) {
    for (let i = 1; i < n; i++) if (end[i] < end[i - 1]) return false;
    return true;
}

/* Joins what lies within `size` ns. `rep` is the longest event of a piece, by place in the lane. */
function mergeLevel(lane, from, size) {
    const s = new Float64Array(from.n),
        e = new Float64Array(from.n),
        busy = new Float64Array(from.n);
    const rep = new Uint32Array(from.n),
        first = new Uint32Array(from.n);
    let n = 0,
        longest = 0;
    for (let i = 0; i < from.n; i++) {
        const r = from.rep ? from.rep[i] : i,
            length = lane.end[r] - lane.start[r];
        const work = from.busy ? from.busy[i] : length;
        if (n && Math.max(e[n - 1], from.e[i]) - s[n - 1] <= size) {
            e[n - 1] = Math.max(e[n - 1], from.e[i]);
            busy[n - 1] += work;
            if (length > longest) {
                longest = length;
                rep[n - 1] = r;
            }
        } else {
            s[n] = from.s[i];
            e[n] = from.e[i];
            busy[n] = work;
            rep[n] = r;
            first[n++] = i;
            longest = length;
        }
    }
    return {
        size,
        n,
        from,
        s: s.slice(0, n),
        e: e.slice(0, n),
        busy: busy.slice(0, n),
        rep: rep.slice(0, n),
        first: first.slice(0, n),
    };
}

function addLevels(lane) {
    const bottom = {size: 0, n: lane.n, s: lane.start, e: lane.end, rep: null, busy: null};
    lane.levels = [bottom];
    const span = lane.n ? lane.end[lane.n - 1] - lane.start[0] : 0;
    let last = bottom;
    for (let size = (2 * span) / lane.n || 1; last.n > MERGE_ABOVE && size < span; size *= 4) {
        const next = mergeLevel(lane, last, size);
        if (next.n < 0.75 * last.n) lane.levels.push((last = next));
    }
    for (const level of lane.levels)
        level.until = ordered(level.e, level.n) ? level.e : latest(level.e, level.n);
}

function levelFor(lane, nsPerPixel) {
    let k = lane.levels.length - 1;
    while (k > 0 && lane.levels[k].size > nsPerPixel) k--;
    return lane.levels[k];
}

const trackPlace = (lane, i) => (lane.index ? lane.index[i] : i);

/* ---- what is shown, from top to bottom ---- */

function headOf(data, track) {
    if (track.kind === 'series') return ['Telemetry', null];
    if (track.kind === 'path') return ['Critical path', null];
    const process = track.process === null ? 'No process' : data.processes[track.process];
    if (track.gpu === null) return [process, 'Host threads'];
    const gpu = data.gpus[track.gpu];
    return [
        process,
        'GPU ' + gpu.index + (gpu.name ? ' ' + gpu.name : '') + (gpu.host ? ' on ' + gpu.host : ''),
    ];
}

function seriesLabel(data, track) {
    return track.gpu === null
        ? track.label
        : 'GPU ' + data.gpus[track.gpu].index + ' ' + track.label;
}

function makeRows(data) {
    const rows = [];
    let above = [null, null],
        top = null,
        group = null;
    for (const track of data.tracks) {
        const head = headOf(data, track);
        for (let depth = 0; depth < 2; depth++) {
            if (head[depth] === above[depth] && head[0] === above[0]) continue;
            if (head[depth] === null) continue;
            group = {
                head: true,
                depth,
                label: head[depth],
                folded: false,
                parent: depth ? top : null,
            };
            top = depth ? top : group;
            rows.push(group);
        }
        above = head;
        const series = track.kind === 'series';
        const row = {
            track,
            parent: group,
            label: series ? seriesLabel(data, track) : track.label,
            lanes: series ? [] : makeLanes(track),
        };
        row.height = series ? SERIES_HEIGHT : row.lanes.length * LANE_HEIGHT + ROW_GAP;
        track.row = row;
        rows.push(row);
    }
    return rows;
}

const isHidden = (row) => Boolean(row.parent && (row.parent.folded || isHidden(row.parent)));

/* Sets the place of each row; returns the height of all. */
function placeRows(rows) {
    let y = 0;
    for (const row of rows) {
        row.hidden = isHidden(row);
        row.y = y;
        if (!row.hidden) y += row.head ? HEAD_HEIGHT : row.height;
    }
    return y;
}

/* ---- colours: the kernels that take longest have their own, so do directions and classes ---- */

const OWN_COLORS = 7;
const copyKinds = ['unknown', 'h2d', 'd2h', 'd2d', 'p2p', 'h2h', 'set'];
const copyWords = [
    'Unknown',
    'Host-to-Device',
    'Device-to-Host',
    'Device-to-Device',
    'Peer-to-Peer',
    'Host-to-Host',
    'Memset',
];
const callColors = {
    launch: 'call-launch',
    sync: 'call-sync',
    copy: 'call-copy',
    'copy (async)': 'call-copy',
    allocation: 'call-alloc',
    'module load': 'call-module',
};

function rankKernels(data) {
    data.kernelTotal = new Float64Array(data.names.length);
    data.nameCount = new Float64Array(data.names.length);
    data.copyCount = new Float64Array(copyKinds.length);
    for (const track of data.tracks)
        for (let i = 0; i < track.n; i++) {
            if (track.name) data.nameCount[track.name[i]]++;
            else if (track.copy) data.copyCount[track.copy[i]]++;
            if (track.kind === 'kernels')
                data.kernelTotal[track.name[i]] += track.end[i] - track.start[i];
        }
    return Array.from(data.names.keys())
        .filter((i) => data.kernelTotal[i] > 0)
        .sort((a, b) => data.kernelTotal[b] - data.kernelTotal[a] || a - b);
}

function hashText(text) {
    let h = 0;
    for (let i = 0; i < text.length && i < 64; i++) h = (h * 31 + text.charCodeAt(i)) >>> 0;
    return h;
}

/* The name of the CSS variable for every name. */
function colorNames(data) {
    data.ranked = rankKernels(data);
    const isKernel = new Set(data.ranked);
    data.colorOf = data.names.map((name, i) => {
        if (isKernel.has(i)) return 'kernel-other';
        if (name.kind) return callColors[name.kind] || 'call-other';
        return 'kernel-' + (hashText(name.full) % OWN_COLORS);
    });
    data.ranked.slice(0, OWN_COLORS).forEach((i, rank) => {
        data.colorOf[i] = 'kernel-' + rank;
    });
}
