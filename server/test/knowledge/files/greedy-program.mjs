/** Stands in for a reader whose library fills memory in one go and takes the refusal for the end of the file. */
import { readFileSync } from 'node:fs';

process.on('disconnect', () => process.exit(0));
process.on('message', ({ name }) => {
  if (name === 'room') {
    const [, limit = ''] = /^Max data size\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    const [, taken = ''] = /^VmData:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    process.send({ kind: 'read', blocks: [{ kind: 'text', text: String(Number(limit) - Number(taken) * 1024) }] });
    return;
  }
  const taken = [];
  try {
    while (taken.length < 64) taken.push(Buffer.alloc(64 * 1024 * 1024, 1));
  } catch {}
  process.send({ kind: 'read', blocks: [] });
});
