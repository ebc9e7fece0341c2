/* What is looked at: the view, the selected event, and the call or kernel it belongs to. */

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
        for (
            let i = track.call ? track.call.indexOf(place + 1) : -1;
            i >= 0 && found.length < 1000;
            i = track.call.indexOf(place + 1, i + 1)
        )
            found.push({track, i});
    return found.sort((a, b) => a.track.start[a.i] - b.track.start[b.i]);
}

/* The call of a kernel or copy; the kernels and copies of a call. */
function linkedTo(event) {
    const {track, i} = event;
    if (tl.linked && tl.linked.track === track && tl.linked.i === i) return tl.linked.events;
    let events = [];
    if (track.call && track.call[i]) events = [callAt(track.call[i] - 1)].filter(Boolean);
    else if (track.kind === 'calls') events = workOf(track.firstCall + i);
    tl.linked = {track, i, events};
    return events;
}

/* ---- the view ---- */

function setView(t0, t1) {
    const least = 20; /* ns */
    let length = Math.min(Math.max(t1 - t0, least), tl.span);
    if (!(length > 0)) length = tl.span;
    const middle = (t0 + t1) / 2;
    tl.t0 = Math.min(Math.max(0, middle - length / 2), tl.span - length);
    tl.t1 = tl.t0 + length;
    redraw();
}

function showRow(row) {
    for (let r = row.parent; r; r = r.parent) r.folded = false;
    layout();
    const top = tl.scroll.scrollTop,
        room = tl.scroll.clientHeight - AXIS_HEIGHT;
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
        const s = event.track.start[event.i],
            e = event.track.end[event.i];
        if (zoom) zoomTo(s, e);
        else if (e < tl.t0 || s > tl.t1) setView(s - (tl.t1 - tl.t0) / 2, s + (tl.t1 - tl.t0) / 2);
    }
    showEvent();
    redraw();
}

/* ---- one event ---- */

const absolute = (t) => String(BigInt(tl.data.start_ns) + BigInt(Math.round(t)));

function launchFacts(track, i) {
    const place = track.launch ? track.launch[i] : 0;
    if (!place) return [];
    const v = tl.data.launches.subarray(8 * (place - 1), 8 * place);
    return [
        ['grid', v.slice(0, 3).join('×')],
        ['group', v.slice(3, 6).join('×')],
        ['LDS', humanBytes(v[6])],
        ['scratch', humanBytes(v[7])],
    ];
}

function copyFacts(track, i) {
    if (track.kind !== 'copies' || !track.bytes[i]) return [];
    const bytes = track.bytes[i] - 1,
        ns = track.end[i] - track.start[i];
    return [['size', humanBytes(bytes)]].concat(
        ns > 0 ? [['bandwidth', (bytes / ns).toFixed(2) + ' GB/s']] : [],
    );
}

function eventFacts({track, i}) {
    const kinds = {kernels: 'dispatch', copies: 'copy', calls: 'call', markers: 'marker'};
    const facts = [
        ['start', humanTime(track.start[i]) + ' (' + absolute(track.start[i]) + ' ns)'],
        ['duration', humanTime(track.end[i] - track.start[i])],
        ['row', track.row.label],
    ];
    if (track.gpu !== null) facts.push(['GPU', String(tl.data.gpus[track.gpu].index)]);
    if (track.process !== null) facts.push(['process', tl.data.processes[track.process]]);
    if (track.id && track.id[i] >= 0) facts.push([kinds[track.kind] + ' id', String(track.id[i])]);
    if (track.name && tl.data.names[track.name[i]].kind)
        facts.push(['kind', tl.data.names[track.name[i]].kind]);
    return facts.concat(launchFacts(track, i), copyFacts(track, i));
}

const fullName = ({track, i}) =>
    track.kind === 'copies'
        ? copyWords[track.copy[i]] + ' copy'
        : tl.data.names[track.name[i]].full;

function factList(facts) {
    return make(
        'dl',
        {class: 'facts'},
        ...facts.map(([label, value]) =>
            make('div', {}, make('dt', {}, label), make('dd', {}, value)),
        ),
    );
}

function button(text, onclick, id) {
    return make('button', {type: 'button', class: 'small', onclick, id}, text);
}

function linkButtons(event) {
    const others = linkedTo(event);
    if (event.track.kind === 'calls')
        return others
            .slice(0, 5)
            .map((other, k) =>
                button(
                    'Go to ' +
                        (other.track.kind === 'copies' ? 'its copy' : 'its kernel') +
                        (others.length > 1 ? ' ' + (k + 1) + ' of ' + others.length : ''),
                    () => select(other),
                    k ? null : 'tl-link',
                ),
            );
    if (!event.track.call) return [];
    if (others.length)
        return [button('Go to the call that caused it', () => select(others[0]), 'tl-link')];
    return [make('span', {class: 'note'}, 'Its call is not in this page.')];
}

function showEvent() {
    const box = byId('tl-event'),
        event = tl.selected;
    box.hidden = !event;
    if (!event) return;
    const {track, i} = event,
        name = fullName(event);
    box.replaceChildren(
        make('h3', {class: 'name'}, name),
        factList(eventFacts(event)),
        make(
            'div',
            {class: 'buttons'},
            ...linkButtons(event),
            button('Zoom to it', () => select(event, true)),
            button('Select its time', () => setRange(track.start[i], track.end[i])),
            button('Find all of this name', () => search(name)),
            button('Close', () => select(null)),
        ),
    );
}
