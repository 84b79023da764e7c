// What moves: times in words, new arguments as they come, keys. Every page works without it.
'use strict';

// --- Times ------------------------------------------------------------------------------------

const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

function inWords(moment) {
  const seconds = Math.round((Date.now() - moment) / 1000);
  if (Math.abs(seconds) < 45) return 'just now';
  if (seconds < 3600) return ago.format(-Math.round(seconds / 60), 'minute');
  if (seconds < 86400) return ago.format(-Math.round(seconds / 3600), 'hour');
  return day.format(moment);
}

function forHowLong(moment) {
  const seconds = Math.max((Date.now() - moment) / 1000, 0);
  const [count, unit] = [[seconds / 86400, 'day'], [seconds / 3600, 'hour'], [seconds / 60, 'minute']]
    .find(([count]) => count >= 1) ?? [0, ''];
  if (!unit) return 'since a moment ago';
  const span = new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' });
  return `for ${span.format(Math.floor(count))}`;
}

function tellTimes() {
  for (const time of document.querySelectorAll('time[datetime]')) {
    const moment = new Date(time.dateTime);
    time.textContent = 'since' in time.dataset ? forHowLong(moment) : inWords(moment);
    time.title = full.format(moment);
  }
}

// --- A debate, live ---------------------------------------------------------------------------
//
// The stream only says that there is something new; what it is comes from the server as HTML, made
// and cleaned the same way as the page. The page knows its position, so nothing is missed or shown
// twice, whoever was away in between.

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 15000;

class Follower {
  constructor(turns) {
    this.turns = turns;
    this.base = `/arena/${turns.dataset.debate}`;
    this.stream = `/debates/${turns.dataset.debate}/events`;
    this.shown = Number(turns.dataset.shown);
    this.last = Number(turns.dataset.last);
    this.isNewest = this.shown === this.last;
    this.over = 'over' in turns.dataset;
    this.pause = FIRST_PAUSE;
    this.unseen = new Set();
    this.title = document.title;
    this.live = document.getElementById('live');
    this.pill = document.getElementById('pill');
    this.pill.addEventListener('click', (event) => this.leap(event));
    this.eye = new IntersectionObserver((seen) => this.look(seen), { threshold: 0 });
    document.addEventListener('visibilitychange', () => this.attend());
    addEventListener('pagehide', () => this.hangUp());
    if (!this.over) this.attend();
  }

  // A browser has six connections for all its tabs: one that nobody looks at holds none.
  attend() {
    this.hangUp();
    if (!document.hidden && !this.over) this.connect();
  }

  hangUp() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = undefined;
  }

  connect() {
    const source = new EventSource(`${this.stream}?after=${this.last}`);
    this.source = source;
    source.onopen = () => this.ring();
    for (const name of ['argument', 'reset', 'end']) {
      source.addEventListener(name, () => this.ring());
    }
    source.onerror = () => {
      this.say('Reconnecting…');
      // It tries again by itself after a cut, but never after a refusal, which may be a proxy's.
      if (source.readyState === EventSource.CLOSED) this.later();
    };
  }

  later() {
    this.hangUp();
    const pause = this.pause * (0.75 + Math.random() / 2);
    this.pause = Math.min(this.pause * 2, LONGEST_PAUSE);
    this.timer = setTimeout(() => this.ring(), pause);
  }

  // One look at a time; a ring during a look means one more.
  async ring() {
    this.again = true;
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.again) {
        this.again = false;
        await this.fetch();
      }
      this.pause = FIRST_PAUSE;
      if (this.over) return;
      if (!this.source && !document.hidden) this.connect();
      if (this.source?.readyState === EventSource.OPEN) this.say('Live', true);
    } catch {
      this.say('Reconnecting…');
      this.later();
    } finally {
      this.busy = false;
    }
  }

  async fetch() {
    const after = this.isNewest ? this.shown : this.last;
    const response = await fetch(`${this.base}/entries?after=${after}`, { redirect: 'manual' });
    if (response.type === 'opaqueredirect') return this.end('Logged out. Reload to log in.');
    if (response.status === 404) return this.end('The debate was deleted.');
    if (response.status === 400) return location.reload();
    if (!response.ok) throw new Error(`${response.status}`);
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    this.put(page);
  }

  end(words) {
    this.over = true;
    this.hangUp();
    this.say(words);
  }

  put(page) {
    const news = page.getElementById('news');
    const seat = document.getElementById('seat');
    const before = seat.getBoundingClientRect().top;
    const had = this.last;
    this.last = Number(news.dataset.last);
    if (this.isNewest) for (const turn of [...news.children]) this.append(turn);
    this.again ||= this.isNewest && this.shown < this.last;
    for (const id of ['standing', 'changed']) {
      document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
    }
    document.getElementById('count').textContent = `${this.last} in all`;
    this.reseat(seat, page.getElementById('seat'));
    // Whoever writes goes on writing in the same place.
    const now = document.getElementById('seat');
    if (now.contains(document.activeElement)) {
      scrollBy({ top: now.getBoundingClientRect().top - before, behavior: 'instant' });
    }
    tellTimes();
    if (!this.isNewest && this.last > had) this.count(this.last - this.shown);
    if ('over' in news.dataset && !this.again) this.end('Closed. All is said.');
  }

  append(turn) {
    const seq = Number(turn.dataset.seq);
    if (seq !== this.shown + 1) return;
    this.shown = seq;
    const own = document.adoptNode(turn);
    own.classList.add('fresh');
    this.turns.append(own);
    this.unseen.add(own);
    this.eye.observe(own);
    this.count(this.unseen.size);
  }

  // The form changes when what may be done changes, and keeps what was written.
  reseat(old, seat) {
    const kind = (one) => one.querySelector('form')?.getAttribute('action') ?? '';
    if (kind(old) === kind(seat)) {
      old.querySelector('h2 + p').textContent = seat.querySelector('h2 + p').textContent;
      return;
    }
    const [from, to] = [old, seat].map((one) => one.querySelector('textarea'));
    if (from?.value && !to) {
      // Nothing can be sent any more, but it can still be copied.
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

  look(seen) {
    for (const entry of seen) {
      if (!entry.isIntersecting) continue;
      this.unseen.delete(entry.target);
      this.eye.unobserve(entry.target);
    }
    if (this.isNewest) this.count(this.unseen.size);
  }

  count(number) {
    this.pill.hidden = number === 0;
    this.pill.textContent = `${number} new ↓`;
    document.title = number === 0 ? this.title : `(${number}) ${this.title}`;
  }

  leap(event) {
    const [first] = this.unseen;
    if (!first) return;
    event.preventDefault();
    step(first);
  }

  say(words, on = false) {
    this.live.hidden = false;
    this.live.classList.toggle('on', on);
    if (this.live.textContent !== words) this.live.textContent = words;
  }
}

// --- Lists ------------------------------------------------------------------------------------
//
// A list has no stream; it looks again now and then, but not under the hands of its reader.

const LIST_PAUSE = 10000;

class Lister {
  constructor(list) {
    this.list = list;
    this.html = list.innerHTML;
    setInterval(() => this.look(), LIST_PAUSE);
    document.addEventListener('visibilitychange', () => this.look());
  }

  async look() {
    if (document.hidden || this.list.contains(document.activeElement)) return;
    const response = await fetch(location.href, { redirect: 'manual' }).catch(() => undefined);
    if (!response?.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const list = page.querySelector('[data-refresh]');
    if (!list || list.innerHTML === this.html) return;
    this.html = list.innerHTML;
    this.list.replaceChildren(...list.childNodes);
    document.title = page.title;
    tellTimes();
  }
}

// --- Keys -------------------------------------------------------------------------------------

function step(item) {
  const target = item.matches('[tabindex]') ? item : item.querySelector('a');
  target.focus({ preventScroll: true });
  item.scrollIntoView({ block: 'start' });
}

function move(by) {
  const items = [...document.querySelectorAll('[data-steps] > li')];
  const here = items.indexOf(document.activeElement?.closest('[data-steps] > li'));
  const top = items.findIndex((item) => item.getBoundingClientRect().top >= 0);
  const next = here >= 0 ? here + by : Math.max(top, 0);
  if (items[next]) step(items[next]);
}

const places = { h: '/', a: '/arena', n: '/arena/new' };
let going = false;

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest('input, textarea, select, dialog')) return;
  const wasGoing = going;
  going = event.key === 'g' && !wasGoing;
  if (wasGoing && event.key === 'e') {
    const items = document.querySelectorAll('[data-steps] > li');
    if (items.length > 0) step(items[items.length - 1]);
  } else if (wasGoing && places[event.key]) location.assign(places[event.key]);
  else if (event.key === 'j') move(1);
  else if (event.key === 'k') move(-1);
  else if (event.key === '?') document.getElementById('keys').showModal();
  else if (event.key === '/') search();
  else return;
  event.preventDefault();
}

function search() {
  const field = document.getElementById('q');
  if (field) field.focus();
  else location.assign('/arena#q');
}

// A place that is on the page already needs no new page.
function clicked(event) {
  const place = event.target.closest?.('a[data-place]')?.dataset.place;
  if (!place || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const turn = document.getElementById(`seq-${place}`);
  if (!turn) return;
  event.preventDefault();
  history.replaceState(null, '', `?at=${place}#seq-${place}`);
  step(turn);
}

const list = document.querySelector('[data-refresh]');
if (list) new Lister(list);
tellTimes();
setInterval(tellTimes, 30000);
document.addEventListener('keydown', pressed);
document.addEventListener('click', clicked);
if (location.hash === '#q') document.getElementById('q')?.focus();
for (const hint of document.querySelectorAll('.hint')) hint.hidden = false;
const turns = document.getElementById('turns');
if (turns) new Follower(turns);
