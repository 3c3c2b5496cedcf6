/** A file as whoever downloads it gets it. */
import { writeCsv } from '../../src/accounting/index.ts';

export async function fileText(file: Parameters<typeof writeCsv>[0]): Promise<string> {
  let text = '';
  const sink = {
    gone: false,
    write(data: string | Uint8Array) {
      text += String(data);
      return undefined;
    },
    end() {},
    cut() {
      throw new Error('the file was cut');
    },
  };
  await writeCsv(file, sink, (error) => {
    throw error;
  });
  return text;
}
