/** Answers every name with the same addresses, another one first each time, as Docker's name server does for a service. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const HEADER_BYTES = 12;
const ANSWERED_WITHOUT_FAULT = 0x8180;
const TYPE_A = 1;
const CLASS_IN = 1;
/** The name of the question, where it stands in every answer. */
const SAME_NAME = 0xc000 + HEADER_BYTES;

export async function startNameServer(addresses: readonly string[]): Promise<{ port: number; close(): void }> {
  const socket = createSocket('udp4');
  let turn = 0;
  socket.on('message', (query, from) => {
    const first = turn++ % addresses.length;
    const reply = answerTo(query, [...addresses.slice(first), ...addresses.slice(0, first)]);
    socket.send(reply, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, close: () => void socket.close() };
}

function answerTo(query: Buffer, addresses: string[]): Buffer {
  const questionEnd = query.indexOf(0, HEADER_BYTES) + 5;
  const isAsked = query.readUInt16BE(questionEnd - 4) === TYPE_A;
  const records = isAsked ? addresses.map(recordOf) : [];
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(ANSWERED_WITHOUT_FAULT, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, query.subarray(HEADER_BYTES, questionEnd), ...records]);
}

function recordOf(address: string): Buffer {
  const record = Buffer.alloc(16);
  record.writeUInt16BE(SAME_NAME, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(CLASS_IN, 4);
  record.writeUInt16BE(4, 10);
  for (const [i, part] of address.split('.').entries()) record.writeUInt8(Number(part), 12 + i);
  return record;
}
