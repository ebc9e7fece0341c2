/* The events of the page, unpacked: src/render/html/timeline_pack.h has the format. */

const pause = () => new Promise((done) => setTimeout(done, 0));

function fromBase64(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const raw = atob(text),
        bytes = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
    return bytes;
}

async function inflate(bytes, into) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    const reader = stream.getReader();
    let at = 0;
    for (;;) {
        const {done, value} = await reader.read();
        if (done) break;
        if (at + value.length > into.length) throw new Error('the data is longer than it says');
        into.set(value, at);
        at += value.length;
    }
    if (at !== into.length) throw new Error('the data is shorter than it says');
}

async function unpackBytes(tell) {
    const parts = all('script.pack');
    const size = parts.reduce((sum, part) => sum + Number(part.dataset.size), 0);
    const bytes = new Uint8Array(size);
    let at = 0;
    for (const [i, part] of parts.entries()) {
        tell('Unpacking events: part ' + (i + 1) + ' of ' + parts.length);
        const length = Number(part.dataset.size);
        await inflate(fromBase64(part.textContent), bytes.subarray(at, at + length));
        part.remove(); /* frees the text */
        at += length;
    }
    return {bytes, header: Number(parts[0].dataset.header)};
}

/* Reads n varints into a Float64Array; returns where the next byte is. */
function readVarints(bytes, at, n, out) {
    for (let i = 0; i < n; i++) {
        let b = bytes[at++],
            v = b & 0x7f;
        if (b > 0x7f) {
            b = bytes[at++];
            v |= (b & 0x7f) << 7;
            if (b > 0x7f) {
                b = bytes[at++];
                v |= (b & 0x7f) << 14;
                for (let scale = 2097152; b > 0x7f; scale *= 128) {
                    b = bytes[at++];
                    v += (b & 0x7f) * scale;
                }
            }
        }
        out[i] = v;
    }
    return at;
}

const unzigzag = (v) => (v % 2 ? -(v + 1) / 2 : v / 2);

/* Each turns the numbers of a column into what the page works with. */
const columns = {
    length(track, v) {
        /* start makes an end of it */
        track.end = Float64Array.from(v);
    },
    start(track, v) {
        const start = (track.start = new Float64Array(track.n)),
            end = track.end;
        for (let i = 0, before = 0; i < track.n; i++) {
            start[i] = before + unzigzag(v[i]);
            before = end[i] = start[i] + end[i];
        }
    },
    name: (track, v) => {
        track.name = Uint32Array.from(v);
    },
    copy: (track, v) => {
        track.copy = Uint8Array.from(v);
    },
    bytes: (track, v) => {
        track.bytes = Float64Array.from(v);
    },
    id: (track, v) => {
        track.id = sums(v, Float64Array);
    },
    launch: (track, v) => {
        track.launch = sums(v, Uint32Array);
    },
    call: (track, v) => {
        track.call = sums(v, Uint32Array);
    },
    time(track, v) {
        track.start = track.end = sums(v, Float64Array);
    },
};

function sums(v, Type) {
    const out = new Type(v.length);
    for (let i = 0, sum = 0; i < v.length; i++) out[i] = sum += unzigzag(v[i]);
    return out;
}

function readDoubles(track, bytes, at) {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, 8 * track.n);
    track.value = Float64Array.from({length: track.n}, (_, i) => view.getFloat64(8 * i, true));
    return at + 8 * track.n;
}

function readColumn(track, column, bytes, at, scratch) {
    if (column === 'value') return readDoubles(track, bytes, at);
    const next = readVarints(bytes, at, track.n, scratch);
    columns[column](track, scratch.subarray(0, track.n));
    return next;
}

/* The header, with the columns of every track as arrays. */
async function unpackEvents(tell) {
    const {bytes, header} = await unpackBytes(tell);
    const data = JSON.parse(new TextDecoder().decode(bytes.subarray(0, header)));
    let at = header;
    const launches = new Float64Array(8 * data.launches.n);
    at = readVarints(bytes, at, launches.length, launches);
    data.launches = launches;
    const scratch = new Float64Array(data.tracks.reduce((most, t) => Math.max(most, t.n), 0));
    let calls = 0;
    for (const [i, track] of data.tracks.entries()) {
        tell('Reading events: row ' + (i + 1) + ' of ' + data.tracks.length);
        if (track.n > 20000 || i % 50 === 0) await pause();
        for (const [column, size] of Object.entries(track.columns)) {
            if (readColumn(track, column, bytes, at, scratch) !== at + size)
                throw new Error('column ' + column + ' of ' + track.label + ' is damaged');
            at += size;
        }
        track.index = i;
        if (track.kind === 'calls') {
            track.firstCall = calls;
            calls += track.n;
        }
    }
    data.names = data.names.map(([full, brief, kind]) => ({full, brief: brief || full, kind}));
    return data;
}
