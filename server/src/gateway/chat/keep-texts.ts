/** For accounts that switched it on: the request and its answer are stored as they went over the wire. */
import type { Answer, Sink } from '../../core/answer.ts';
import type { KeySnapshot } from '../../keys/index.ts';
import { MAX_KEPT_CHARACTERS } from '../../requestlog/index.ts';
import type { Call } from '../call.ts';
import type { Gateway } from '../gateway.ts';

/** One more than is stored, so that a longer answer is recognised as cut. */
const REMEMBERED_CHARACTERS = MAX_KEPT_CHARACTERS + 1;

export function keptAnswer<A extends Answer>(answer: A, call: Call, key: KeySnapshot, gw: Gateway): A {
  const { keepTextsDays: days } = key;
  if (days === undefined) return answer;
  const request = Buffer.from(call.body).toString('utf8');
  const keep = (text: string | null) =>
    gw.texts.keep({ requestId: call.id, accountId: key.account.id, days, request, answer: text });
  if (answer.kind === 'body') {
    keep(textOf(answer.body));
    return answer;
  }
  const run = async (sink: Sink): Promise<void> => {
    const recorder = new RecordingSink(sink);
    try {
      await answer.run(recorder);
    } finally {
      keep(recorder.text);
    }
  };
  return { ...answer, run };
}

function textOf(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data).toString('utf8');
}

class RecordingSink implements Sink {
  readonly #sink: Sink;
  text = '';

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  get gone(): boolean {
    return this.#sink.gone;
  }

  write(data: string | Uint8Array): Promise<void> | undefined {
    if (this.text.length < REMEMBERED_CHARACTERS) this.text += textOf(data);
    return this.#sink.write(data);
  }

  end(): void {
    this.#sink.end();
  }

  cut(): void {
    this.#sink.cut();
  }
}
