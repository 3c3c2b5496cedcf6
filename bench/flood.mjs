/**
 * Many who sign in with a password at once, a process of its own: each over a connection of its own, again and again; whoever is
 * told to come back waits as long as it was told. Ends with SIGTERM and prints how the answers were counted.
 *   node flood.mjs '<json>'   {port, people, password, lanes}
 */
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const { port, people, password, lanes } = JSON.parse(process.argv[2]);
const counts = {};

function signIn(agent, to) {
  const body = JSON.stringify({ to, password });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const options = { agent, port, host: '127.0.0.1', method: 'POST', path: '/api/console/sign-in/password', headers };
    const asked = http.request(options, (answer) => {
      answer.resume();
      answer.once('end', () =>
        resolve({ status: answer.statusCode, wait: Number(answer.headers['retry-after'] ?? 0) }),
      );
      answer.once('error', reject);
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

async function lane(to) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    const { status, wait } = await signIn(agent, to).catch(() => ({ status: 'cut', wait: 1 }));
    counts[status] = (counts[status] ?? 0) + 1;
    await pause(wait * 1_000);
  }
}

process.once('SIGTERM', () => {
  console.log(JSON.stringify(counts));
  process.exit(0);
});
for (let n = 0; n < lanes; n++) void lane(people[n % people.length]);
