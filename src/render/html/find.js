/* Finding events: by name, and from links in the rest of the page; the legend. */

function search(text) {
    byId('tl-search').value = text;
    const wanted = text.trim().toLowerCase();
    if (!wanted) {
        tl.query = null;
        byId('tl-matches').textContent = '';
        redraw();
        return;
    }
    const names = Uint8Array.from(tl.data.names, (n) =>
        n.full.toLowerCase().includes(wanted) ? 1 : 0,
    );
    const copies = Uint8Array.from(copyWords, (w) =>
        w.toLowerCase().concat(' copy').includes(wanted) ? 1 : 0,
    );
    let count = 0;
    names.forEach((hit, i) => {
        count += hit * tl.data.nameCount[i];
    });
    copies.forEach((hit, i) => {
        count += hit * tl.data.copyCount[i];
    });
    tl.query = {names, copies};
    byId('tl-matches').textContent = count === 1 ? '1 match' : humanCount(count) + ' matches';
    redraw();
}

/* The match after (or before) the selected event, else after the left edge. */
function stepMatch(direction) {
    if (!tl.query) return;
    const from = tl.selected
        ? tl.selected.track.start[tl.selected.i]
        : direction > 0
          ? tl.t0 - 1
          : tl.t1;
    const fromTrack = tl.selected ? tl.selected.track.index : -1,
        fromPlace = tl.selected ? tl.selected.i : -1;
    let best = null;
    for (const track of tl.data.tracks) {
        if (track.kind === 'series') continue;
        const later = (i) =>
            (track.start[i] - from || track.index - fromTrack || i - fromPlace) * direction > 0;
        let i =
            direction > 0
                ? placeFrom(track.start, track.n, from)
                : placeAfter(track.start, track.n, from) - 1;
        while (i >= 0 && i < track.n && !(later(i) && isMatch(tl.query, track, i))) i += direction;
        if (i < 0 || i >= track.n) continue;
        const nearer = best && (track.start[i] - best.track.start[best.i]) * direction;
        if (!best || nearer < 0) best = {track, i};
    }
    if (best) select(best);
}

/* ---- jumps from the rest of the page ---- */

function findEvent(from, kind, id) {
    const kinds = {dispatch: 'kernels', copy: 'copies', region: 'calls'};
    for (const track of tl.data.tracks) {
        if (track.kind !== kinds[kind]) continue;
        for (
            let i = placeFrom(track.start, track.n, from);
            i < track.n && track.start[i] === from;
            i++
        )
            if (track.id[i] === id) return {track, i};
    }
    return null;
}

function jump(link) {
    const from = Number(link.dataset.from),
        to = Number(link.dataset.to);
    tl.mark = {t0: from, t1: Math.max(to, from)};
    const event = link.dataset.kind
        ? findEvent(from, link.dataset.kind, Number(link.dataset.id))
        : null;
    if (event) select(event);
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
    return items.length
        ? make('div', {}, make('span', {class: 'note'}, title), make('ul', {}, ...items))
        : null;
}

function showLegend() {
    const {ranked, names, colorOf: colors, copyCount} = tl.data;
    const kernels = ranked
        .slice(0, OWN_COLORS)
        .map((i) => legendItem(colors[i], names[i].brief || '(no name)'));
    if (ranked.length > OWN_COLORS) kernels.push(legendItem('kernel-other', 'others'));
    const copies = copyKinds
        .map((kind, i) => copyCount[i] && legendItem('copy-' + kind, copyWords[i]))
        .filter(Boolean);
    const used = new Set(colors);
    const calls = [
        ['call-launch', 'launch'],
        ['call-sync', 'wait'],
        ['call-copy', 'copy'],
        ['call-alloc', 'allocation'],
        ['call-module', 'loading'],
        ['call-other', 'other'],
    ]
        .filter(([color]) => used.has(color))
        .map(([color, word]) => legendItem(color, word));
    byId('tl-legend').replaceChildren(
        ...[
            legendList('Kernels', kernels),
            legendList('Copies', copies),
            legendList('Calls', calls),
        ].filter(Boolean),
    );
}

function eventNote(data) {
    if (data.kept >= data.total) return humanCount(data.total) + ' events, all of them.';
    return (
        humanCount(data.kept) +
        ' of ' +
        humanCount(data.total) +
        ' events: the longest of each row are kept, ' +
        humanCount(data.total - data.kept) +
        ' shorter ones are left out (' +
        humanCount(data.gpu_left_out) +
        ' of them GPU work). Tables, charts and findings above and below count every event; ' +
        '--timeline-limit keeps more.'
    );
}
