/** Reads a handshake from a socket, exactly as much as is asked for: what follows belongs to the destination. */
import type { Socket } from 'node:net';

export interface HandshakeReader {
  exactly(bytes: number): Promise<Buffer>;
  /** Reads up to and including the mark. */
  until(mark: string, max: number): Promise<string>;
}

export function reader(socket: Socket): HandshakeReader {
  const readable = () =>
    new Promise<void>((resolve, reject) => {
      const finish = (error?: Error) => {
        socket.off('readable', ready).off('end', ended).off('error', finish).off('close', ended);
        if (error) reject(error);
        else resolve();
      };
      const ready = () => finish();
      const ended = () => finish(new Error('the proxy closed the connection'));
      socket.once('readable', ready).once('end', ended).once('error', finish).once('close', ended);
    });
  const exactly = async (bytes: number): Promise<Buffer> => {
    if (bytes === 0) return Buffer.alloc(0);
    for (;;) {
      const piece = socket.read(bytes) as Buffer | null;
      if (piece?.length === bytes) return piece;
      if (piece) socket.unshift(piece);
      if (socket.destroyed || socket.readableEnded) throw new Error('the proxy closed the connection');
      await readable();
    }
  };
  const until = async (mark: string, max: number): Promise<string> => {
    let text = '';
    // Byte by byte: a head is short, and one byte too many would be missing later.
    while (!text.endsWith(mark)) {
      if (text.length >= max) throw new Error('the answer of the proxy is too long');
      text += (await exactly(1)).toString('latin1');
    }
    return text;
  };
  return { exactly, until };
}
