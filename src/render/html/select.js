/* What happens in a range of time: the numbers of `gpusight analyze --window`, from the events. */

/* Spans are flat arrays [start, end, start, end, …], in order, disjoint; touching ones are one. */
function appendSpan(spans, start, end) {
    if (end <= start) return;
    const last = spans.length - 1;
    if (last > 0 && start <= spans[last]) {
        if (end > spans[last]) spans[last] = end;
    } else {
        spans.push(start, end);
    }
}

function joinSpans(a, b) {
    const out = [];
    for (let i = 0, k = 0; i < a.length || k < b.length;) {
        const first = k >= b.length || (i < a.length && a[i] <= b[k]);
        const from = first ? a : b,
            at = first ? i : k;
        appendSpan(out, from[at], from[at + 1]);
        if (first) i += 2;
        else k += 2;
    }
    return out;
}

function totalOf(spans) {
    let sum = 0;
    for (let i = 0; i < spans.length; i += 2) sum += spans[i + 1] - spans[i];
    return sum;
}

/* Calls fn(place in track, start, end) for the events of a lane that touch [t0, t1], clipped. */
function eachIn(lane, t0, t1, fn) {
    const {start, end, n} = lane;
    for (let i = placeFrom(lane.levels[0].until, n, t0); i < n && start[i] <= t1; i++) {
        const s = start[i],
            e = end[i];
        if ((s < t1 && e > t0) || (s === e && s >= t0))
            fn(trackPlace(lane, i), s < t0 ? t0 : s, e > t1 ? t1 : e);
    }
}

class RangeSums {
    constructor(data, t0, t1) {
        this.data = data;
        this.t0 = t0;
        this.t1 = t1;
        this.count = new Float64Array(data.names.length);
        this.total = new Float64Array(data.names.length);
        this.copies = copyKinds.map(() => ({count: 0, bytes: 0, time: 0}));
        this.gpus = data.gpus.map((gpu) => ({
            index: gpu.index,
            name: gpu.name,
            kernels: 0,
            copies: 0,
            kernelSpans: [],
            copySpans: copyKinds.map(() => []),
        }));
    }

    addKernels(lane) {
        const {track} = lane,
            gpu = this.gpus[track.gpu],
            spans = [];
        eachIn(lane, this.t0, this.t1, (i, s, e) => {
            this.count[track.name[i]]++;
            this.total[track.name[i]] += e - s;
            gpu.kernels++;
            appendSpan(spans, s, e);
        });
        gpu.kernelSpans = joinSpans(gpu.kernelSpans, spans);
    }

    addCopies(lane) {
        const {track} = lane,
            gpu = this.gpus[track.gpu],
            spans = copyKinds.map(() => []);
        eachIn(lane, this.t0, this.t1, (i, s, e) => {
            const kind = track.copy[i];
            this.copies[kind].count++;
            if (track.bytes[i]) this.copies[kind].bytes += track.bytes[i] - 1;
            gpu.copies++;
            appendSpan(spans[kind], s, e);
        });
        gpu.copySpans = gpu.copySpans.map((before, kind) => joinSpans(before, spans[kind]));
    }

    finish() {
        const window = this.t1 - this.t0;
        for (const gpu of this.gpus) {
            const copies = gpu.copySpans.reduce(joinSpans, []);
            gpu.kernel_ns = totalOf(gpu.kernelSpans);
            gpu.copy_ns = totalOf(copies);
            gpu.busy_ns = totalOf(joinSpans(gpu.kernelSpans, copies));
            gpu.idle_ns = window - gpu.busy_ns;
            gpu.copySpans.forEach((spans, kind) => {
                this.copies[kind].time += totalOf(spans);
            });
            delete gpu.kernelSpans;
            delete gpu.copySpans;
        }
        const names = Array.from(this.count.keys())
            .filter((i) => this.count[i])
            .map((i) => ({
                name: this.data.names[i].full,
                brief: this.data.names[i].brief,
                calls: this.count[i],
                total_ns: this.total[i],
            }));
        names.sort((a, b) => b.total_ns - a.total_ns || (a.name < b.name ? -1 : 1));
        const copies = this.copies
            .map((c, kind) => ({direction: copyWords[kind], ...c}))
            .filter((c) => c.count);
        return {window_ns: window, gpus: this.gpus, kernels: names, copies};
    }
}

/* t0 and t1 in whole ns from the start of the page's window. */
function summarizeRange(data, t0, t1) {
    const sums = new RangeSums(data, t0, t1);
    for (const track of data.tracks)
        for (const lane of track.row.lanes) {
            if (track.kind === 'kernels') sums.addKernels(lane);
            else if (track.kind === 'copies') sums.addCopies(lane);
        }
    return sums.finish();
}
