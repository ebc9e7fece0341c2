/* Every table of the page: sorting, search, choice of columns, CSV. */

const collator = new Intl.Collator('en', {numeric: true});

function cellValue(cell) {
    if (!cell) return '';
    const v = cell.dataset.v;
    if (v === undefined) return cell.textContent;
    return v === '' ? NaN : Number(v);
}

/* Text cells that a spreadsheet would take for a formula get a quote in front. */
function csvCell(cell) {
    const v = cell.dataset.v;
    let text = v === undefined ? cell.textContent : v;
    if (v === undefined && /^[=+\-@\t\r]/.test(text)) text = "'" + text;
    return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

class Table {
    constructor(box) {
        this.box = box;
        this.table = box.querySelector('table');
        this.heads = all('thead th', this.table);
        this.body = this.table.tBodies[0];
        this.rows = Array.from(this.body.rows);
        this.tree = this.table.hasAttribute('data-tree');
        this.tools();
        this.shares();
        if (this.tree) this.branches();
        else this.heads.forEach((head, i) => this.sortable(head, i));
    }

    tools() {
        const name = this.box.dataset.name;
        this.search = make('input', {
            type: 'search',
            placeholder: 'Search',
            'aria-label': 'Search in this table',
            autocomplete: 'off',
        });
        this.search.addEventListener('input', () => this.filter());
        this.count = make('span', {class: 'note', role: 'status'});
        const csv = make(
            'button',
            {type: 'button', class: 'small csv', onclick: () => this.save(name)},
            'CSV',
        );
        const bar = make(
            'div',
            {class: 'tools'},
            this.search,
            this.count,
            make('span', {class: 'grow'}),
            this.chooser(),
            csv,
        );
        this.box.prepend(bar);
    }

    chooser() {
        const list = make('div', {class: 'choices'});
        this.heads.forEach((head, i) => {
            const box = make('input', {type: 'checkbox'});
            box.checked = !head.hidden;
            box.addEventListener('change', () => this.showColumn(i, box.checked));
            list.append(make('label', {}, box, ' ' + head.textContent));
        });
        const menu = make('details', {class: 'columns-menu'}, make('summary', {}, 'Columns'), list);
        menu.addEventListener('keydown', (event) => {
            if (event.key !== 'Escape') return;
            menu.open = false;
            menu.querySelector('summary').focus();
        });
        document.addEventListener('click', (event) => {
            if (menu.open && !menu.contains(event.target)) menu.open = false;
        });
        return menu;
    }

    /* A bar behind every percentage. */
    shares() {
        this.heads.forEach((head, i) => {
            if (!head.hasAttribute('data-share')) return;
            for (const row of this.rows) {
                const share = cellValue(row.cells[i]);
                row.cells[i].classList.add('share');
                row.cells[i].style.setProperty(
                    '--share',
                    (share > 0 ? Math.min(share, 100) : 0) + '%',
                );
            }
        });
    }

    showColumn(i, shown) {
        this.heads[i].hidden = !shown;
        for (const row of this.rows) row.cells[i].hidden = !shown;
    }

    sortable(head, i) {
        const tip = head.dataset.tip;
        head.removeAttribute('data-tip');
        const button = make(
            'button',
            {type: 'button', class: 'sort', 'data-tip': tip},
            head.textContent,
        );
        button.addEventListener('click', () => this.sort(i));
        head.replaceChildren(button);
    }

    sort(i) {
        const head = this.heads[i],
            number = head.classList.contains('num');
        const before = head.getAttribute('aria-sort');
        const down = before ? before === 'ascending' : number;
        for (const other of this.heads) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        const keyed = this.rows.map((row) => [cellValue(row.cells[i]), row]);
        const missing = (v) => typeof v === 'number' && isNaN(v);
        keyed.sort(([x], [y]) => {
            if (missing(x) || missing(y)) return missing(x) - missing(y);
            const order = number ? x - y : collator.compare(x, y);
            return down ? -order : order;
        });
        this.rows = keyed.map(([, row]) => row);
        this.body.append(...this.rows);
    }

    filter() {
        const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
        let shown = 0;
        const matches = this.rows.map((row) => {
            const text = row.textContent.toLowerCase();
            return words.every((word) => text.includes(word));
        });
        if (this.tree && words.length) this.withParents(matches);
        this.rows.forEach((row, i) => {
            row.hidden = words.length ? !matches[i] : this.tree && this.isFolded(i);
            shown += !row.hidden;
        });
        this.count.textContent = words.length ? shown + ' of ' + this.rows.length : '';
    }

    /* ---- trees ---- */

    depth(i) {
        return Number(this.rows[i].dataset.depth);
    }

    withParents(matches) {
        for (let i = this.rows.length - 1; i >= 0; i--)
            for (let k = i - 1, depth = this.depth(i); matches[i] && k >= 0 && depth > 0; k--)
                if (this.depth(k) < depth) {
                    matches[k] = true;
                    depth = this.depth(k);
                }
    }

    isFolded(i) {
        for (let k = i - 1, depth = this.depth(i); k >= 0 && depth > 0; k--)
            if (this.depth(k) < depth) {
                if (this.rows[k].dataset.folded !== undefined) return true;
                depth = this.depth(k);
            }
        return false;
    }

    branches() {
        for (const head of this.heads) head.tabIndex = 0; /* for its tooltip */
        this.rows.forEach((row, i) => {
            const cell = row.cells[0],
                name = cell.textContent;
            const parent = i + 1 < this.rows.length && this.depth(i + 1) > this.depth(i);
            cell.style.paddingLeft = 0.5 + 1.25 * Math.min(this.depth(i), 12) + 'rem';
            if (!parent) {
                cell.classList.add('leaf');
                return;
            }
            const button = make('button', {
                type: 'button',
                class: 'fold',
                'aria-label': 'Fold ' + name,
            });
            const fold = (folded) => {
                button.setAttribute('aria-expanded', String(!folded));
                if (folded) row.dataset.folded = '';
                else delete row.dataset.folded;
            };
            button.addEventListener('click', () => {
                fold(row.dataset.folded === undefined);
                this.filter();
            });
            fold(this.depth(i) >= 1);
            cell.prepend(button);
        });
        this.filter();
    }

    /* ---- CSV: all rows that the search leaves, all columns, exact numbers ---- */

    csv() {
        const hidden = this.search.value !== '';
        const lines = [this.heads.map((head) => head.dataset.key).join(',')];
        for (const row of this.rows)
            if (!hidden || !row.hidden) lines.push(Array.from(row.cells, csvCell).join(','));
        return lines.join('\r\n') + '\r\n';
    }

    save(name) {
        download(name + '.csv', 'text/csv;charset=utf-8', this.csv());
    }
}

function startTables() {
    for (const box of all('div.table')) new Table(box);
}
