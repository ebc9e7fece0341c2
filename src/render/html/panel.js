/* What stands around the canvas: legend, search, the selected event, the selected range. */

/* ---- links between kernels or copies and the calls that caused them ---- */

function callAt(place) {
    for (const track of tl.data.tracks)
        if (track.kind === 'calls' && place >= track.firstCall && place < track.firstCall + track.n)
            return {track, i: place - track.firstCall};
    return null;
}

function workOf(place) {
    const found = [];
    for (const track of tl.data.tracks)
        for (let i = track.call ? track.call.indexOf(place + 1) : -1; i >= 0 && found.length < 1000;
            i = track.call.indexOf(place + 1, i + 1))
            found.push({track, i});
    return found.sort((a, b) => a.track.start[a.i] - b.track.start[b.i]);
}

/* The call of a kernel or copy; the kernels and copies of a call. */
function linkedTo(event) {
    const {track, i} = event;
    if (tl.linked && tl.linked.track === track && tl.linked.i === i)
        return tl.linked.events;
    let events = [];
    if (track.call && track.call[i])
        events = [callAt(track.call[i] - 1)].filter(Boolean);
    else if (track.kind === 'calls')
        events = workOf(track.firstCall + i);
    tl.linked = {track, i, events};
    return events;
}

/* ---- the view ---- */

function setView(t0, t1) {
    const least = 20; /* ns */
    let length = Math.min(Math.max(t1 - t0, least), tl.span);
    if (!(length > 0))
        length = tl.span;
    const middle = (t0 + t1) / 2;
    tl.t0 = Math.min(Math.max(0, middle - length / 2), tl.span - length);
    tl.t1 = tl.t0 + length;
    redraw();
}

function showRow(row) {
    for (let r = row.parent; r; r = r.parent)
        r.folded = false;
    layout();
    const top = tl.scroll.scrollTop, room = tl.scroll.clientHeight - AXIS_HEIGHT;
    if (row.y < top || row.y + row.height > top + room)
        tl.scroll.scrollTop = Math.max(0, row.y - room / 2);
}

function zoomTo(from, to) {
    const length = Math.max(to - from, 100);
    setView(from - 2 * length, to + 2 * length);
}

function select(event, zoom) {
    tl.selected = event;
    if (event) {
        tl.activeRow = event.track.row;
        showRow(event.track.row);
        const s = event.track.start[event.i], e = event.track.end[event.i];
        if (zoom)
            zoomTo(s, e);
        else if (e < tl.t0 || s > tl.t1)
            setView(s - (tl.t1 - tl.t0) / 2, s + (tl.t1 - tl.t0) / 2);
    }
    showEvent();
    redraw();
}

/* ---- one event ---- */

const absolute = (t) => String(BigInt(tl.data.start_ns) + BigInt(Math.round(t)));

function launchFacts(track, i) {
    const place = track.launch ? track.launch[i] : 0;
    if (!place)
        return [];
    const v = tl.data.launches.subarray(8 * (place - 1), 8 * place);
    return [['grid', v.slice(0, 3).join('×')], ['group', v.slice(3, 6).join('×')],
            ['LDS', humanBytes(v[6])], ['scratch', humanBytes(v[7])]];
}

function copyFacts(track, i) {
    if (track.kind !== 'copies' || !track.bytes[i])
        return [];
    const bytes = track.bytes[i] - 1, ns = track.end[i] - track.start[i];
    return [['size', humanBytes(bytes)]].concat(ns > 0 ? [['bandwidth', (bytes / ns).toFixed(2) + ' GB/s']] : []);
}

function eventFacts({track, i}) {
    const kinds = {kernels: 'dispatch', copies: 'copy', calls: 'call', markers: 'marker'};
    const facts = [['start', humanTime(track.start[i]) + ' (' + absolute(track.start[i]) + ' ns)'],
                   ['duration', humanTime(track.end[i] - track.start[i])], ['row', track.row.label]];
    if (track.gpu !== null)
        facts.push(['GPU', String(tl.data.gpus[track.gpu].index)]);
    if (track.process !== null)
        facts.push(['process', tl.data.processes[track.process]]);
    if (track.id && track.id[i] >= 0)
        facts.push([kinds[track.kind] + ' id', String(track.id[i])]);
    if (track.name && tl.data.names[track.name[i]].kind)
        facts.push(['kind', tl.data.names[track.name[i]].kind]);
    return facts.concat(launchFacts(track, i), copyFacts(track, i));
}

const fullName = ({track, i}) => (track.kind === 'copies' ? copyWords[track.copy[i]] + ' copy'
                                                          : tl.data.names[track.name[i]].full);

function factList(facts) {
    return make('dl', {class: 'facts'}, ...facts.map(([label, value]) =>
        make('div', {}, make('dt', {}, label), make('dd', {}, value))));
}

function button(text, onclick, id) {
    return make('button', {type: 'button', class: 'small', onclick, id}, text);
}

function linkButtons(event) {
    const others = linkedTo(event);
    if (event.track.kind === 'calls')
        return others.slice(0, 5).map((other, k) =>
            button('Go to ' + (other.track.kind === 'copies' ? 'its copy' : 'its kernel') +
                   (others.length > 1 ? ' ' + (k + 1) + ' of ' + others.length : ''),
                   () => select(other), k ? null : 'tl-link'));
    if (!event.track.call)
        return [];
    if (others.length)
        return [button('Go to the call that caused it', () => select(others[0]), 'tl-link')];
    return [make('span', {class: 'note'}, 'Its call is not in this page.')];
}

function showEvent() {
    const box = byId('tl-event'), event = tl.selected;
    box.hidden = !event;
    if (!event)
        return;
    const {track, i} = event, name = fullName(event);
    box.replaceChildren(
        make('h3', {class: 'name'}, name), factList(eventFacts(event)),
        make('div', {class: 'buttons'}, ...linkButtons(event),
             button('Zoom to it', () => select(event, true)),
             button('Select its time', () => setRange(track.start[i], track.end[i])),
             button('Find all of this name', () => search(name)),
             button('Close', () => select(null))));
}

/* ---- a range ---- */

function numberCell(value, text) {
    return make('td', {class: 'num', 'data-v': String(value)}, text);
}

function summaryTable(name, caption, heads, rows) {
    const head = make('tr', {}, ...heads.map(([key, label]) =>
        make('th', {scope: 'col', 'data-key': key, class: key === 'name' || key === 'direction' ? null : 'num'}, label)));
    const box = make('div', {class: 'table', 'data-name': name},
                     make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption},
                          make('table', {id: 'table-' + name}, make('caption', {}, caption),
                               make('thead', {}, head), make('tbody', {}, ...rows))));
    new Table(box);
    return box;
}

function gpuTable(sums) {
    return summaryTable('range-gpus', 'GPUs in the range', [
        ['gpu', 'GPU'], ['busy_ns', 'busy'], ['busy_pct', 'busy, %'], ['kernel_ns', 'kernels'], ['copy_ns', 'copies'],
        ['idle_ns', 'idle'], ['kernels', 'kernels, number'], ['copies', 'copies, number'],
    ], sums.gpus.map((g) => make('tr', {}, numberCell(g.index, String(g.index)),
        numberCell(g.busy_ns, humanTime(g.busy_ns)),
        numberCell(100 * g.busy_ns / sums.window_ns, humanPercent(100 * g.busy_ns / sums.window_ns)),
        numberCell(g.kernel_ns, humanTime(g.kernel_ns)), numberCell(g.copy_ns, humanTime(g.copy_ns)),
        numberCell(g.idle_ns, humanTime(g.idle_ns)), numberCell(g.kernels, humanCount(g.kernels)),
        numberCell(g.copies, humanCount(g.copies)))));
}

function kernelTable(sums) {
    return summaryTable('range-kernels', 'Kernels in the range', [
        ['name', 'kernel'], ['calls', 'calls'], ['total_ns', 'total'], ['mean_ns', 'average'],
    ], sums.kernels.slice(0, 500).map((k) => make('tr', {}, make('td', {class: 'name'}, k.name),
        numberCell(k.calls, humanCount(k.calls)), numberCell(k.total_ns, humanTime(k.total_ns)),
        numberCell(k.total_ns / k.calls, humanTime(k.total_ns / k.calls)))));
}

function copyTable(sums) {
    return summaryTable('range-copies', 'Copies in the range', [
        ['direction', 'direction'], ['count', 'copies'], ['bytes', 'bytes'], ['time_ns', 'time'],
    ], sums.copies.map((k) => make('tr', {}, make('td', {class: 'name'}, k.direction),
        numberCell(k.count, humanCount(k.count)), numberCell(k.bytes, humanBytes(k.bytes)),
        numberCell(k.time, humanTime(k.time)))));
}

function windowCommand(range) {
    const file = JSON.parse(byId('analysis').textContent).metadata.database_file || 'TRACE';
    const quoted = /^[\w./+:@%-]+$/.test(file) ? file : "'" + file.replace(/'/g, "'\\''") + "'";
    return 'gpusight analyze --window ' + absolute(range.t0) + '..' + absolute(range.t1) + ' ' + quoted;
}

function showRange() {
    const box = byId('tl-summary'), range = tl.range;
    box.hidden = byId('tl-clear').hidden = !range;
    if (!range)
        return;
    const sums = summarizeRange(tl.data, range.t0, range.t1);
    const parts = [make('h3', {}, 'Selected: ' + humanTime(sums.window_ns) + ' from ' + humanTime(range.t0))];
    if (tl.data.gpu_left_out)
        parts.push(make('p', {class: 'note'}, 'Not all GPU work is in this page, so these are lower bounds; ' +
                                              'the command below has the exact numbers.'));
    if (sums.gpus.length)
        parts.push(gpuTable(sums));
    if (sums.kernels.length)
        parts.push(kernelTable(sums));
    if (sums.copies.length)
        parts.push(copyTable(sums));
    parts.push(make('p', {class: 'note'}, 'The full analysis of this range:'),
               make('div', {class: 'command'}, make('pre', {}, make('code', {}, windowCommand(range))),
                    make('button', {type: 'button', class: 'copy', 'aria-label': 'Copy this command'}, 'Copy')));
    box.replaceChildren(...parts);
}

function setRange(t0, t1) {
    if (t0 === null) {
        tl.range = null;
    } else {
        const a = Math.max(0, Math.round(Math.min(t0, t1))), b = Math.min(tl.span, Math.round(Math.max(t0, t1)));
        tl.range = b > a ? {t0: a, t1: b} : null;
    }
    showRange();
    redraw();
}

/* ---- search ---- */

function search(text) {
    byId('tl-search').value = text;
    const wanted = text.trim().toLowerCase();
    if (!wanted) {
        tl.query = null;
        byId('tl-matches').textContent = '';
        redraw();
        return;
    }
    const names = Uint8Array.from(tl.data.names, (n) => (n.full.toLowerCase().includes(wanted) ? 1 : 0));
    const copies = Uint8Array.from(copyWords, (w) => (w.toLowerCase().concat(' copy').includes(wanted) ? 1 : 0));
    let count = 0;
    names.forEach((hit, i) => { count += hit * tl.data.nameCount[i]; });
    copies.forEach((hit, i) => { count += hit * tl.data.copyCount[i]; });
    tl.query = {names, copies};
    byId('tl-matches').textContent = count === 1 ? '1 match' : humanCount(count) + ' matches';
    redraw();
}

/* The match after (or before) the selected event, else after the left edge. */
function stepMatch(direction) {
    if (!tl.query)
        return;
    const from = tl.selected ? tl.selected.track.start[tl.selected.i] : direction > 0 ? tl.t0 - 1 : tl.t1;
    const fromTrack = tl.selected ? tl.selected.track.index : -1, fromPlace = tl.selected ? tl.selected.i : -1;
    let best = null;
    for (const track of tl.data.tracks) {
        if (track.kind === 'series')
            continue;
        const later = (i) => (track.start[i] - from || track.index - fromTrack || i - fromPlace) * direction > 0;
        let i = direction > 0 ? placeFrom(track.start, track.n, from) : placeAfter(track.start, track.n, from) - 1;
        while (i >= 0 && i < track.n && !(later(i) && isMatch(tl.query, track, i)))
            i += direction;
        if (i < 0 || i >= track.n)
            continue;
        const nearer = best && (track.start[i] - best.track.start[best.i]) * direction;
        if (!best || nearer < 0)
            best = {track, i};
    }
    if (best)
        select(best);
}

/* ---- jumps from the rest of the page ---- */

function findEvent(from, kind, id) {
    const kinds = {dispatch: 'kernels', copy: 'copies', region: 'calls'};
    for (const track of tl.data.tracks) {
        if (track.kind !== kinds[kind])
            continue;
        for (let i = placeFrom(track.start, track.n, from); i < track.n && track.start[i] === from; i++)
            if (track.id[i] === id)
                return {track, i};
    }
    return null;
}

function jump(link) {
    const from = Number(link.dataset.from), to = Number(link.dataset.to);
    tl.mark = {t0: from, t1: Math.max(to, from)};
    const event = link.dataset.kind ? findEvent(from, link.dataset.kind, Number(link.dataset.id)) : null;
    if (event)
        select(event);
    zoomTo(from, to);
    setTimeout(() => tl.canvas.focus({preventScroll: true}), 0); /* after the link was followed */
}

/* ---- legend and notes ---- */

function legendItem(color, text) {
    const swatch = make('span', {class: 'swatch'});
    swatch.style.background = 'var(--' + color + ')';
    return make('li', {}, swatch, make('span', {class: 'name'}, text));
}

function legendList(title, items) {
    return items.length ? make('div', {}, make('span', {class: 'note'}, title), make('ul', {}, ...items)) : null;
}

function showLegend() {
    const {ranked, names, colorOf: colors, copyCount} = tl.data;
    const kernels = ranked.slice(0, OWN_COLORS)
        .map((i) => legendItem(colors[i], names[i].brief || '(no name)'));
    if (ranked.length > OWN_COLORS)
        kernels.push(legendItem('kernel-other', 'others'));
    const copies = copyKinds.map((kind, i) => copyCount[i] && legendItem('copy-' + kind, copyWords[i]))
        .filter(Boolean);
    const used = new Set(colors);
    const calls = [['call-launch', 'launch'], ['call-sync', 'wait'], ['call-copy', 'copy'], ['call-alloc', 'allocation'],
                   ['call-module', 'loading'], ['call-other', 'other']]
        .filter(([color]) => used.has(color)).map(([color, word]) => legendItem(color, word));
    byId('tl-legend').replaceChildren(...[legendList('Kernels', kernels), legendList('Copies', copies),
                                          legendList('Calls', calls)].filter(Boolean));
}

function eventNote(data) {
    if (data.kept >= data.total)
        return humanCount(data.total) + ' events, all of them.';
    return humanCount(data.kept) + ' of ' + humanCount(data.total) + ' events: the longest of each row are kept, ' +
           humanCount(data.total - data.kept) + ' shorter ones are left out (' + humanCount(data.gpu_left_out) +
           ' of them GPU work). Tables, charts and findings above and below count every event; ' +
           '--timeline-limit keeps more.';
}
