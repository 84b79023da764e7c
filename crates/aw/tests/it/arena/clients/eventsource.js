// Follows a debate with npm's `eventsource`, which reconnects by itself: prints each seq it is given.
const { EventSource } = require('eventsource');
const [url, debate] = process.argv.slice(2);
let seen = '';

const open = () => {
  const position = seen ? `?after=${seen}` : '';
  const source = new EventSource(`${url}/debates/${debate}/events${position}`);
  source.addEventListener('argument', ({ data, lastEventId }) => {
    seen = lastEventId;
    console.log(JSON.parse(data).argument.seq);
  });
  source.addEventListener('end', () => process.exit(0));
  source.onerror = () => {
    // A refused connection ends an EventSource for good in some versions; begin anew from where
    // this one was.
    if (source.readyState !== EventSource.CLOSED) return;
    source.close();
    setTimeout(open, 20);
  };
};
open();
