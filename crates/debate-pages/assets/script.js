// Relative times, live updates, copy buttons and keyboard shortcuts. Every page works without this script.
'use strict';

// --- Times ------------------------------------------------------------------------------------

const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

function formatAge(moment) {
  const seconds = Math.round((Date.now() - moment) / 1000);
  if (Math.abs(seconds) < 45) return 'just now';
  if (seconds < 3600) return ago.format(-Math.round(seconds / 60), 'minute');
  if (seconds < 86400) return ago.format(-Math.round(seconds / 3600), 'hour');
  return day.format(moment);
}

function formatElapsed(moment) {
  const seconds = Math.max((Date.now() - moment) / 1000, 0);
  const [count, unit] = [[seconds / 86400, 'day'], [seconds / 3600, 'hour'], [seconds / 60, 'minute']]
    .find(([count]) => count >= 1) ?? [0, ''];
  if (!unit) return 'for less than a minute';
  const span = new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' });
  return `for ${span.format(Math.floor(count))}`;
}

function formatSeen(moment) {
  const seconds = Math.max(Math.round((Date.now() - moment) / 1000), 0);
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ago`;
  return day.format(moment);
}

function updateTimes() {
  for (const time of document.querySelectorAll('time[datetime]')) {
    const moment = new Date(time.dateTime);
    if ('since' in time.dataset) time.textContent = formatElapsed(moment);
    else if ('seen' in time.dataset) time.textContent = formatSeen(moment);
    else if ('until' in time.dataset) time.textContent = `until ${clock.format(moment)}`;
    else time.textContent = formatAge(moment);
    time.title = full.format(moment);
  }
}

// --- A debate, live ---------------------------------------------------------------------------
//
// The event stream only announces changes; the page fetches them as HTML that the server renders
// and sanitises like the page itself. The page knows its position, so nothing is missed or shown
// twice after a reconnect.

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 15000;

class Follower {
  // The noun for one entry, and the text shown after the last one.
  get unit() { return 'argument'; }
  get endText() { return 'Closed. No further updates.'; }

  constructor(turns) {
    this.turns = turns;
    this.updatesUrl = turns.dataset.news;
    this.streamUrl = turns.dataset.stream;
    this.shown = Number(turns.dataset.shown);
    this.last = Number(turns.dataset.last);
    this.isNewest = this.shown === this.last;
    this.hasEnded = 'over' in turns.dataset;
    this.pause = FIRST_PAUSE;
    this.unseen = new Set();
    this.title = document.title;
    this.live = document.getElementById('live');
    this.pill = document.getElementById('pill');
    this.pill.addEventListener('click', (event) => this.scrollToUnseen(event));
    this.observer = new IntersectionObserver((entries) => this.markSeen(entries), { threshold: 0 });
    document.addEventListener('visibilitychange', () => this.connectIfVisible());
    addEventListener('pagehide', () => this.disconnect());
    if (this.hasEnded) this.showStatus(this.endText);
    else this.connectIfVisible();
  }

  // A browser allows six connections per host over all tabs, so a hidden tab holds none.
  connectIfVisible() {
    this.disconnect();
    if (!document.hidden && !this.hasEnded) this.connect();
  }

  disconnect() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = undefined;
  }

  connect() {
    const source = new EventSource(`${this.streamUrl}?after=${this.last}`);
    this.source = source;
    source.onopen = () => this.refresh();
    this.listen(source);
    source.onerror = () => {
      this.showStatus('Reconnecting…');
      // EventSource reconnects after a lost connection, but not after an error response.
      if (source.readyState === EventSource.CLOSED) this.reconnectLater();
    };
  }

  listen(source) {
    for (const name of ['argument', 'seat', 'reset', 'end']) {
      source.addEventListener(name, () => this.refresh());
    }
  }

  // Reconnects after a back-off of at least `least` milliseconds.
  reconnectLater(least = 0) {
    this.disconnect();
    const pause = Math.max(least, this.pause * (0.75 + Math.random() / 2));
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
    this.timer = setTimeout(() => this.refresh(), pause);
  }

  // One fetch at a time; an event during a fetch causes one more fetch.
  async refresh() {
    this.again = true;
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.again) {
        this.again = false;
        await this.fetch();
      }
      this.pause = FIRST_PAUSE;
      if (this.hasEnded) return;
      if (!this.source && !document.hidden) this.connect();
      if (this.source?.readyState === EventSource.OPEN) this.showStatus('Live', true);
    } catch (error) {
      this.showStatus('Reconnecting…');
      this.reconnectLater(error.wait);
    } finally {
      this.busy = false;
    }
  }

  async fetch() {
    const after = this.isNewest ? this.shown : this.last;
    const response = await fetch(`${this.updatesUrl}?after=${after}`, { redirect: 'manual' });
    if (response.type === 'opaqueredirect') return this.end('Signed out. Reload the page to sign in.');
    if (response.status === 404) return this.end(this.turns.dataset.gone ?? 'The debate was deleted.');
    if (response.status === 400) return location.reload();
    if (!response.ok) {
      const wait = 1000 * Number(response.headers.get('retry-after') ?? 0);
      throw Object.assign(new Error(`${response.status}`), { wait });
    }
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    this.applyUpdate(page);
  }

  end(text) {
    this.hasEnded = true;
    this.disconnect();
    this.showStatus(text);
  }

  applyUpdate(page) {
    const news = page.getElementById('news');
    const had = this.last;
    this.last = Number(news.dataset.last);
    if (this.isNewest) for (const turn of [...news.children]) this.append(turn);
    this.again ||= this.isNewest && this.shown < this.last;
    for (const id of ['standing', 'changed']) {
      document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
    }
    const unit = this.last === 1 ? this.unit : `${this.unit}s`;
    document.getElementById('count').textContent = `${this.last} ${unit}`;
    this.updatePanel(page);
    updateTimes();
    if (!this.isNewest && this.last > had) this.count(this.last - this.shown);
    if ('over' in news.dataset && !this.again) this.end(this.endText);
  }

  // Updates the panel beside the arguments.
  updatePanel(page) {
    this.updateSeats(page);
    const seat = document.getElementById('seat');
    const before = seat.getBoundingClientRect().top;
    this.replaceForm(seat, page.getElementById('seat'));
    // A focused form keeps its place on the screen.
    const now = document.getElementById('seat');
    if (now.contains(document.activeElement)) {
      scrollBy({ top: now.getBoundingClientRect().top - before, behavior: 'instant' });
    }
  }

  // Updates the participants and the panel for free seats of a debate with seats.
  updateSeats(page) {
    for (const id of ['participants', 'waiting']) {
      const [old, fresh] = [document, page].map((source) => source.getElementById(id));
      if (!old || !fresh) continue;
      for (const details of old.querySelectorAll('details[open]')) {
        fresh.querySelector(`#${details.id}`)?.setAttribute('open', '');
      }
      // An unchanged panel is not replaced, so that its focus and selection stay.
      if (!old.isEqualNode(fresh)) old.replaceWith(document.adoptNode(fresh));
    }
  }

  append(turn) {
    const seq = Number(turn.dataset.seq);
    if (seq !== this.shown + 1) return;
    this.shown = seq;
    const own = document.adoptNode(turn);
    own.classList.add('fresh');
    this.turns.append(own);
    this.unseen.add(own);
    this.observer.observe(own);
    this.count(this.unseen.size);
  }

  // Replaces the form when its action changes, and keeps the text in it.
  replaceForm(old, seat) {
    const kind = (one) => one.querySelector('form')?.getAttribute('action') ?? '';
    if (!old.querySelector('textarea') && !seat.querySelector('textarea')) {
      if (!old.isEqualNode(seat)) old.replaceWith(document.adoptNode(seat));
      return;
    }
    if (kind(old) === kind(seat)) {
      old.querySelector('h2 + p').textContent = seat.querySelector('h2 + p').textContent;
      return;
    }
    const [from, to] = [old, seat].map((one) => one.querySelector('textarea'));
    if (from?.value && !to) {
      // The text cannot be sent any more, but it can still be copied.
      old.querySelector('h2 + p').textContent = seat.querySelector('h2 + p').textContent;
      old.querySelector('.row')?.remove();
      return;
    }
    const focus = from && document.activeElement === from;
    const range = from && [from.selectionStart, from.selectionEnd];
    if (from && to) to.value = from.value;
    old.replaceWith(document.adoptNode(seat));
    if (focus && to) {
      to.focus({ preventScroll: true });
      to.setSelectionRange(...range);
    }
  }

  markSeen(entries) {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      this.unseen.delete(entry.target);
      this.observer.unobserve(entry.target);
    }
    if (this.isNewest) this.count(this.unseen.size);
  }

  count(number) {
    this.pill.hidden = number === 0;
    this.pill.textContent = `${number} new ↓`;
    document.title = number === 0 ? this.title : `(${number}) ${this.title}`;
  }

  scrollToUnseen(event) {
    const [first] = this.unseen;
    if (!first) return;
    event.preventDefault();
    focusItem(first);
  }

  showStatus(text, on = false) {
    this.live.hidden = false;
    this.live.classList.toggle('on', on);
    if (this.live.textContent !== text) this.live.textContent = text;
  }
}

// --- A run, live ------------------------------------------------------------------------------
//
// Turns arrive like a debate's arguments. The text of the current turn arrives over the event stream,
// as text and never as HTML. It is removed when the turn is saved or the attempt ends.

const SPEAKERS = { debater_a: 'Debater A', debater_b: 'Debater B', judge: 'Judge' };

class RunFollower extends Follower {
  get unit() { return 'turn'; }
  get endText() { return 'Ended. No further updates.'; }

  listen(source) {
    // A new connection receives the current turn from its beginning.
    source.addEventListener('open', () => this.clearDraft());
    for (const name of ['turn', 'reset', 'end']) {
      source.addEventListener(name, () => this.refresh());
    }
    source.addEventListener('status', (event) => {
      const { status, last_error: error } = JSON.parse(event.data);
      if (!['running', 'stopping'].includes(status) || error !== this.error) this.clearDraft();
      this.error = error;
      this.refresh();
    });
    source.addEventListener('delta', (event) => this.showDelta(JSON.parse(event.data)));
  }

  showDelta({ round, actor, attempt, text }) {
    const order = turnOrder(round, actor);
    if (order <= this.newestOrder()) return;
    const key = `${order} ${attempt}`;
    if (key !== this.draftKey) this.clearDraft();
    const draft = document.getElementById('draft');
    if (!this.draftKey) {
      document.getElementById('speaking-title').textContent =
        `Round ${round}, ${SPEAKERS[actor]}`;
      document.getElementById('speaking').hidden = false;
    }
    [this.draftKey, this.draftOrder] = [key, order];
    draft.append(text);
  }

  clearDraft() {
    this.draftKey = undefined;
    document.getElementById('draft').replaceChildren();
    document.getElementById('speaking').hidden = true;
  }

  // The order key of the newest turn on the page.
  newestOrder() {
    const { round, actor } = this.turns.lastElementChild?.dataset ?? {};
    return round ? turnOrder(round, actor) : -1;
  }

  append(turn) {
    super.append(turn);
    if (this.draftKey && this.draftOrder <= this.newestOrder()) this.clearDraft();
  }

  updatePanel(page) {
    const focus = document.activeElement?.id;
    this.addEarlierCalls(page);
    for (const id of ['acts', 'scores', 'figures']) {
      const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
      // Without a new verdict the server sends no scores.
      if (!fresh) continue;
      for (const details of old.querySelectorAll('details[open]')) {
        fresh.querySelector(`#${details.id}`)?.setAttribute('open', '');
      }
      // An unchanged element is not replaced, so that it stays under the pointer.
      if (!old.isEqualNode(fresh)) old.replaceWith(document.adoptNode(fresh));
    }
    if (focus && document.activeElement === document.body) {
      document.getElementById(focus)?.focus({ preventScroll: true });
    }
  }

  // The server sends the calls of the newest rounds; the rows of earlier calls are on the page.
  addEarlierCalls(page) {
    const [old, fresh] = [document, page].map((source) => source.getElementById('calls'));
    if (!old || !fresh) return;
    const earlier = [...old.rows].filter((row) => !page.getElementById(row.id));
    const room = Math.max(Number(fresh.dataset.max) - fresh.rows.length, 0);
    fresh.prepend(...earlier.slice(Math.max(earlier.length - room, 0)).map((row) => row.cloneNode(true)));
  }

  end(text) {
    this.clearDraft();
    super.end(text);
  }
}

function turnOrder(round, actor) {
  return Number(round) * 3 + Object.keys(SPEAKERS).indexOf(actor);
}

// --- A thread, live ---------------------------------------------------------------------------
//
// Posts arrive in the order in which they became visible, and are inserted after the post they reply
// to. A post that is on the page already is replaced in its place.

class ThreadFollower extends Follower {
  // New posts that belong on a later page; the server may report one more than once.
  laterPosts = new Set();

  listen(source) {
    for (const name of ['debate', 'reset', 'end']) {
      source.addEventListener(name, () => this.refresh());
    }
  }

  applyUpdate(page) {
    const news = page.getElementById('news');
    [this.shown, this.last] = [Number(news.dataset.through), Number(news.dataset.last)];
    for (const post of [...news.children]) this.addPost(document.adoptNode(post));
    this.again ||= this.shown < this.last;
    for (const id of ['standing', 'changed', 'count']) {
      document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
    }
    updateTimes();
  }

  addPost(post) {
    const known = document.getElementById(post.id);
    if (known) known.querySelector('article').replaceWith(post.querySelector('article'));
    else if (this.isOnPage(post)) this.insert(post);
    this.count(this.unseen.size);
  }

  // Whether the post belongs on this page of the list. A reply to a post of an earlier page does
  // not: only the server knows its position.
  isOnPage({ dataset: { stance, parent, seq } }) {
    const { after, stance: only } = this.turns.dataset;
    if (only && stance !== only) return false;
    return !only && parent ? Boolean(this.findParent(parent)) : Number(seq) > Number(after);
  }

  findParent(parent) {
    return this.turns.querySelector(`[data-id="${parent}"]`);
  }

  insert(post) {
    const isTree = !this.turns.dataset.stance;
    const above = isTree ? this.findParent(post.dataset.parent) : null;
    const next = this.findNext(above, post, isTree);
    // Behind the last post of a page that another one follows: on a later page.
    if (!next && document.querySelector('.gap [rel=next]')) {
      this.laterPosts.add(post.id);
      return;
    }
    this.turns.insertBefore(post, next);
    document.getElementById('nothing')?.remove();
    post.classList.add('fresh');
    this.unseen.add(post);
    this.observer.observe(post);
  }

  // The element before which the post goes: the first one that is neither an older reply to the
  // same post nor below one.
  findNext(above, post, isTree) {
    const place = ({ dataset }) => [isTree ? Number(dataset.depth) : 1, Number(dataset.seq)];
    const [depth, seq] = place(post);
    let next = above ? above.nextElementSibling : this.turns.firstElementChild;
    while (next && (place(next)[0] > depth || (place(next)[0] === depth && place(next)[1] < seq))) {
      next = next.nextElementSibling;
    }
    return next;
  }

  count(number) {
    super.count(number + this.laterPosts.size);
  }
}

// --- Lists ------------------------------------------------------------------------------------
//
// A list has no event stream. It is fetched again from time to time, but not while it has focus.

const LIST_PAUSE = 10000;

class ListRefresher {
  constructor(list) {
    this.list = list;
    this.html = list.innerHTML;
    setInterval(() => this.refresh(), LIST_PAUSE);
    document.addEventListener('visibilitychange', () => this.refresh());
  }

  isPaused() {
    return document.hidden || this.list.contains(document.activeElement);
  }

  async refresh() {
    if (this.isPaused()) return;
    const response = await fetch(location.href, { redirect: 'manual' }).catch(() => undefined);
    if (!response?.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const list = page.querySelector('[data-refresh]');
    if (!list || list.innerHTML === this.html || this.isPaused()) return;
    this.html = list.innerHTML;
    this.list.replaceChildren(...list.childNodes);
    document.title = page.title;
    updateTimes();
  }
}

// --- Copy buttons -----------------------------------------------------------------------------

async function copyText(button) {
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    // Outside a secure context there is no clipboard: the text is selected, for a person to copy.
    source.closest('details')?.setAttribute('open', '');
    getSelection().selectAllChildren(source);
    announceCopy('Text selected. Press Ctrl-C or ⌘C to copy it.');
    return;
  }
  announceCopy('Copied.');
  button.classList.add('done');
  setTimeout(() => button.classList.remove('done'), 2000);
}

function announceCopy(text) {
  const status = document.getElementById('copied');
  if (status) status.textContent = text;
}

// --- Keys -------------------------------------------------------------------------------------

function focusItem(item) {
  const target = item.matches('[tabindex]') ? item : item.querySelector('a');
  target.focus({ preventScroll: true });
  item.scrollIntoView({ block: 'start' });
}

function moveFocus(by) {
  const items = [...document.querySelectorAll('[data-steps] > li')];
  const here = items.indexOf(document.activeElement?.closest('[data-steps] > li'));
  const top = items.findIndex((item) => item.getBoundingClientRect().top >= 0);
  const next = here >= 0 ? here + by : Math.max(top, 0);
  if (items[next]) focusItem(items[next]);
}

// The path prefix under which a proxy publishes the server.
const { base } = document.body.dataset;
const pageShortcuts = { h: '/', a: '/arena', r: '/runs', f: '/forum', n: '/arena/new' };
let hasPrefix = false;

function handleKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest('input, textarea, select, dialog')) return;
  const hadPrefix = hasPrefix;
  hasPrefix = event.key === 'g' && !hadPrefix;
  if (hadPrefix && event.key === 'e') {
    const items = document.querySelectorAll('[data-steps] > li');
    if (items.length > 0) focusItem(items[items.length - 1]);
  } else if (hadPrefix && pageShortcuts[event.key]) location.assign(base + pageShortcuts[event.key]);
  else if (event.key === 'j') moveFocus(1);
  else if (event.key === 'k') moveFocus(-1);
  else if (event.key === '?') document.getElementById('keys').showModal();
  else if (event.key === '/') search();
  else return;
  event.preventDefault();
}

function search() {
  const field = document.getElementById('q');
  if (field) field.focus();
  else location.assign(`${base}/arena#q`);
}

// A link to an entry that is on the page already scrolls to it.
function handleClick(event) {
  const button = event.target.closest?.('button[data-copy]');
  if (button) copyText(button);
  const link = event.target.closest?.('a[data-place]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const turn = document.getElementById(`seq-${link.dataset.place}`);
  if (!turn) return;
  event.preventDefault();
  history.replaceState(null, '', link.href);
  focusItem(turn);
}

const list = document.querySelector('[data-refresh]');
if (list) new ListRefresher(list);
updateTimes();
setInterval(updateTimes, document.getElementById('participants') ? 5000 : 30000);
document.documentElement.classList.add('scripted');
document.addEventListener('keydown', handleKey);
document.addEventListener('click', handleClick);
if (location.hash === '#q') document.getElementById('q')?.focus();
for (const hint of document.querySelectorAll('.hint')) hint.hidden = false;
const turns = document.getElementById('turns');
if (turns) {
  const { run, thread } = turns.dataset;
  new (run !== undefined ? RunFollower : thread !== undefined ? ThreadFollower : Follower)(turns);
}
