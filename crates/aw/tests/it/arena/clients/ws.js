// Follows a debate with npm's `ws`, coming back after every cut: prints each seq it is given.
const WebSocket = require('ws');
const [url, debate] = process.argv.slice(2);
let seen = 0;

const connect = () => {
  const position = seen ? `&after_seq=${seen}` : '';
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?debate_id=${debate}${position}`);
  const take = ({ seq }) => {
    seen = seq;
    console.log(seq);
  };
  socket.on('message', (text) => {
    const { event, data } = JSON.parse(text);
    if (event === 'initial_state') data.arguments.forEach(take);
    if (event === 'new_argument') take(data.argument);
    if (event === 'new_argument' && data.debate.state === 'CLOSED') process.exit(0);
  });
  socket.on('error', () => {});
  socket.on('close', () => setTimeout(connect, 20));
};
connect();
