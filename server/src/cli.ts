/** The command line tool: `npm run dargah -- <noun> <verb>`. */
import { connect } from './cli/connect.ts';
import { run } from './cli/run.ts';

const complain = (text: string) => void process.stderr.write(`${text}\n`);

async function readInput(): Promise<string> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
  return text;
}

// A reader that has seen enough, such as `head`, closes the pipe: that is an end, not a fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await run(process.argv.slice(2), {
  variables: process.env,
  connect: () => connect(process.env, complain),
  print: (text) => void process.stdout.write(`${text}\n`),
  complain,
  readInput,
});
