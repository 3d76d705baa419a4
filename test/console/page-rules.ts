/** What holds of every page of the console, looked for in the page as it is shown. */
import type { Page } from 'playwright-core';

/** Of names and texts that somebody chose to do harm: letters that are written from right to left. */
const FOREIGN = /[\u05d0-\u05ea\u202e]/;

/**
 * Runs in the page, which has no policy against what a test evaluates. Each fault is a rule and what broke it:
 * `table` each can be sorted by every column, filtered and saved as CSV; `time` each is relative, with the time itself on hover; `copy` addresses and
 * ids that lead nowhere can be copied; `title` the tab says what it shows; `bidi` a foreign text turns nothing around it; `code` nothing of what
 * people typed became an element or a script; `end` the page leads somewhere; `repeat` no column of a table says in every row what the page is about;
 * `row` a button in a row says of which.
 */
const FIND_FAULTS = `(() => {
  const faults = [];
  const main = document.querySelector('main');
  const all = (selector, within = main) => [...within.querySelectorAll(selector)];
  const shown = (element) => element.textContent.trim().slice(0, 60);
  for (const table of all('table')) {
    const place = table.closest('.data-table');
    if (place === null) { faults.push('table: no tools: ' + shown(table)); continue; }
    if (place.querySelector('input[type=search][aria-label]') === null && main.querySelector('form input[type=search], .page-actions input[type=search]') === null) faults.push('table: no filter: ' + shown(table));
    if (!all('button', place).some((button) => button.textContent === 'CSV')) faults.push('table: no CSV: ' + shown(table));
    const subject = main.querySelector('h1 .name')?.textContent;
    const rows = all('tbody tr', table).filter((row) => row.cells.length > 1);
    for (const [at, head] of all('thead th', table).entries())
      if (rows.length > 0 && rows.every((row) => row.cells[at]?.textContent === subject)) faults.push('repeat: ' + shown(head));
    for (const button of all('tbody button:not(.copy)', table))
      if (!/^.+: ./s.test(button.getAttribute('aria-label') ?? '') || !button.getAttribute('aria-label').startsWith(shown(button))) faults.push('row: ' + shown(button));
    if (table.caption === null) faults.push('table: no caption: ' + shown(table));
    for (const head of all('thead th', table))
      if (head.querySelector('button') === null || !head.hasAttribute('aria-sort')) faults.push('table: not sorted by ' + shown(head));
  }
  for (const time of all('time'))
    if (Number.isNaN(Date.parse(time.dateTime)) || !/\\d{4}.*\\d:\\d\\d/.test(time.title)) faults.push('time: ' + time.outerHTML);
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  const raw = 'time, pre, textarea, option, [role=log], .diff-lines';
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.data.trim();
    const element = node.parentElement;
    if (/\\d{4}-\\d\\d-\\d\\dT\\d\\d:/.test(text) && element.closest(raw) === null) faults.push('time: as a text: ' + text.slice(0, 60));
    const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
    const isAddress = /^(\\d{1,3}\\.){3}\\d{1,3}$/.test(text) || /^[0-9a-f]*:[0-9a-f:]*:[0-9a-f]*$/i.test(text);
    if ((isId || isAddress) && element.closest('a, pre, button, time') === null) {
      const around = element.closest('td, dd, li, p, h1, h2, div');
      if (around === null || around.querySelector('.copy') === null) faults.push('copy: ' + text);
    }
    if (${String(FOREIGN)}.test(text)) {
      let isApart = false;
      for (let at = element; at !== main && at !== null && !isApart; at = at.parentElement)
        isApart = at.matches('bdi, option, pre, textarea') || /isolate|plaintext/.test(getComputedStyle(at).unicodeBidi);
      if (!isApart) faults.push('bidi: ' + element.outerHTML.slice(0, 160));
    }
  }
  for (const element of all('img, script, iframe, object, embed, [onerror], [onclick], [style*=url]')) faults.push('code: ' + element.outerHTML.slice(0, 160));
  for (const link of all('a[href], area[href], form[action]', document))
    if (!/^(https?:|blob:)/.test(link.href ?? link.action)) faults.push('code: ' + link.outerHTML.slice(0, 160));
  if (!/^\\S.* · Prefixcast$/s.test(document.title)) faults.push('title: ' + document.title);
  if (all('h1').length !== 1) faults.push('title: ' + all('h1').length + ' headings');
  if (!all('a[href], button, input, select, textarea').some((one) => one.closest('th, .copy') === null)) faults.push('end: nothing leads on');
  return [...new Set(faults)];
})()`;

export function pageFaults(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(FIND_FAULTS);
}

/** Elements that only what people typed can have brought, in windows and messages as well. */
const FIND_FOREIGN = `[...document.body.querySelectorAll('img, iframe, object, embed, svg script, [onerror], [onclick], [href^="javascript:" i], [src^="javascript:" i]')]
  .map((element) => element.outerHTML.slice(0, 160))`;

export function foreignElements(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(FIND_FOREIGN);
}
