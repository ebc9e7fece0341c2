/* The selected range: what runs in it, and the command that analyzes it in full. */

function numberCell(value, text) {
    return make('td', {class: 'num', 'data-v': String(value)}, text);
}

function summaryTable(name, caption, heads, rows) {
    const head = make(
        'tr',
        {},
        ...heads.map(([key, label]) =>
            make(
                'th',
                {
                    scope: 'col',
                    'data-key': key,
                    class: key === 'name' || key === 'direction' ? null : 'num',
                },
                label,
            ),
        ),
    );
    const box = make(
        'div',
        {class: 'table', 'data-name': name},
        make(
            'div',
            {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
            make(
                'table',
                {id: 'table-' + name},
                make('caption', {}, caption),
                make('thead', {}, head),
                make('tbody', {}, ...rows),
            ),
        ),
    );
    new Table(box);
    return box;
}

function gpuTable(sums) {
    return summaryTable(
        'range-gpus',
        'GPUs in the range',
        [
            ['gpu', 'GPU'],
            ['busy_ns', 'busy'],
            ['busy_pct', 'busy, %'],
            ['kernel_ns', 'kernels'],
            ['copy_ns', 'copies'],
            ['idle_ns', 'idle'],
            ['kernels', 'kernels, number'],
            ['copies', 'copies, number'],
        ],
        sums.gpus.map((g) =>
            make(
                'tr',
                {},
                numberCell(g.index, String(g.index)),
                numberCell(g.busy_ns, humanTime(g.busy_ns)),
                numberCell(
                    (100 * g.busy_ns) / sums.window_ns,
                    humanPercent((100 * g.busy_ns) / sums.window_ns),
                ),
                numberCell(g.kernel_ns, humanTime(g.kernel_ns)),
                numberCell(g.copy_ns, humanTime(g.copy_ns)),
                numberCell(g.idle_ns, humanTime(g.idle_ns)),
                numberCell(g.kernels, humanCount(g.kernels)),
                numberCell(g.copies, humanCount(g.copies)),
            ),
        ),
    );
}

function kernelTable(sums) {
    return summaryTable(
        'range-kernels',
        'Kernels in the range',
        [
            ['name', 'kernel'],
            ['calls', 'calls'],
            ['total_ns', 'total'],
            ['mean_ns', 'average'],
        ],
        sums.kernels
            .slice(0, 500)
            .map((k) =>
                make(
                    'tr',
                    {},
                    make('td', {class: 'name'}, k.name),
                    numberCell(k.calls, humanCount(k.calls)),
                    numberCell(k.total_ns, humanTime(k.total_ns)),
                    numberCell(k.total_ns / k.calls, humanTime(k.total_ns / k.calls)),
                ),
            ),
    );
}

function copyTable(sums) {
    return summaryTable(
        'range-copies',
        'Copies in the range',
        [
            ['direction', 'direction'],
            ['count', 'copies'],
            ['bytes', 'bytes'],
            ['time_ns', 'time'],
        ],
        sums.copies.map((k) =>
            make(
                'tr',
                {},
                make('td', {class: 'name'}, k.direction),
                numberCell(k.count, humanCount(k.count)),
                numberCell(k.bytes, humanBytes(k.bytes)),
                numberCell(k.time, humanTime(k.time)),
            ),
        ),
    );
}

function windowCommand(range) {
    const file = JSON.parse(byId('analysis').textContent).metadata.database_file || 'TRACE';
    const quoted = /^[\w./+:@%-]+$/.test(file) ? file : "'" + file.replace(/'/g, "'\\''") + "'";
    return (
        'gpusight analyze --window ' + absolute(range.t0) + '..' + absolute(range.t1) + ' ' + quoted
    );
}

function showRange() {
    const box = byId('tl-summary'),
        range = tl.range;
    box.hidden = byId('tl-clear').hidden = !range;
    if (!range) return;
    const sums = summarizeRange(tl.data, range.t0, range.t1);
    const parts = [
        make('h3', {}, 'Selected: ' + humanTime(sums.window_ns) + ' from ' + humanTime(range.t0)),
    ];
    if (tl.data.gpu_left_out)
        parts.push(
            make(
                'p',
                {class: 'note'},
                'Not all GPU work is in this page, so these are lower bounds; ' +
                    'the command below has the exact numbers.',
            ),
        );
    if (sums.gpus.length) parts.push(gpuTable(sums));
    if (sums.kernels.length) parts.push(kernelTable(sums));
    if (sums.copies.length) parts.push(copyTable(sums));
    parts.push(
        make('p', {class: 'note'}, 'The full analysis of this range:'),
        make(
            'div',
            {class: 'command'},
            make('pre', {}, make('code', {}, windowCommand(range))),
            make(
                'button',
                {type: 'button', class: 'copy', 'aria-label': 'Copy this command'},
                'Copy',
            ),
        ),
    );
    box.replaceChildren(...parts);
}

function setRange(t0, t1) {
    if (t0 === null) {
        tl.range = null;
    } else {
        const a = Math.max(0, Math.round(Math.min(t0, t1))),
            b = Math.min(tl.span, Math.round(Math.max(t0, t1)));
        tl.range = b > a ? {t0: a, t1: b} : null;
    }
    showRange();
    redraw();
}
