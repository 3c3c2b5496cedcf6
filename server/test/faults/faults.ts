/** Every way a provider is known to fail, and what a client must see of it: nothing, as long as another route is left. */

import { completeAnswer } from '../fake-vendor/answer.ts';
import { framesOf, openEventStream, wholeOf, writeFrames } from '../fake-vendor/behaviours.ts';
import { answer, type Behaviour, createGate, type Dialect, dataFrame, faults, json } from '../fake-vendor/index.ts';

export interface Scene {
  behaviour: Behaviour;
  /** The provider hangs from here on. */
  stalled?: Promise<void>;
}

export interface Fault {
  name: string;
  /** Which requests can meet it. */
  meets: 'stream' | 'whole' | 'both';
  /**
   * before: nothing was sent yet, the next route is asked; after: the client has read a part of the answer;
   * client: its own fault, no route is asked again; harmless: odd, but an answer.
   */
  phase: 'before' | 'after' | 'client' | 'harmless';
  /** `outcome` of the attempt on the receipt. */
  outcome: string | { stream: string; whole: string };
  /** Status of the client's own fault. */
  status?: number;
  /** The error when no route is left. */
  error?: 'upstream_error' | 'upstream_timeout' | 'invalid_request';
  /** Protocols it cannot happen in. */
  except?: Dialect[];
  scene(): Scene;
}

export const TEXT = 'An answer in several pieces, long enough to be cut.';
const SECRET = 'the provider speaks of secret-of-everything';

const plain = (behaviour: () => Behaviour) => () => ({ behaviour: behaviour() });

function status(code: number, outcome: string, message = SECRET): Fault {
  const error = outcome === 'timeout' ? ('upstream_timeout' as const) : ('upstream_error' as const);
  const scene = plain(() => faults.failWith(code, message));
  return { name: `status ${code}`, meets: 'both', phase: 'before', outcome, error, scene };
}

function hang(name: string, meets: Fault['meets'], make: (gate: ReturnType<typeof createGate>) => Behaviour): Fault {
  const scene = () => {
    const gate = createGate();
    return { behaviour: make(gate), stalled: gate.reached };
  };
  return { name, meets, phase: 'before', outcome: 'timeout', error: 'upstream_timeout', scene };
}

function clientFault(name: string, code: number, outcome: string, message: (dialect: Dialect) => string): Fault {
  const scene = plain(() => (wire) => faults.failWith(code, message(wire.request.dialect))(wire));
  const shown = code === 413 ? 413 : 400;
  return { name, meets: 'both', phase: 'client', outcome, status: shown, error: 'invalid_request', scene };
}

/** Frames until a part of the text is out and the end is not. */
const FRAMES_WITH_TEXT: Record<string, number> = {
  'openai-chat': 2,
  'anthropic-messages': 4,
  'openai-responses': 5,
  'gemini-generate': 1,
};

/** A fault whose place in the stream depends on the protocol. */
function afterText(make: (frames: number) => Behaviour): Behaviour {
  return (wire) => make(FRAMES_WITH_TEXT[wire.request.dialect] ?? 1)(wire);
}

function interrupted(name: string, outcome: string, make: (frames: number) => Behaviour): Fault {
  return {
    name,
    meets: 'stream',
    phase: 'after',
    outcome,
    error: 'upstream_error',
    scene: plain(() => afterText(make)),
  };
}

const before = (name: string, meets: Fault['meets'], outcome: Fault['outcome'], make: () => Behaviour): Fault => ({
  name,
  meets,
  phase: 'before',
  outcome,
  error: 'upstream_error',
  scene: plain(make),
});

const harmless = (name: string, meets: Fault['meets'], behaviour: Behaviour, except: Dialect[] = []): Fault => ({
  name,
  meets,
  phase: 'harmless',
  outcome: 'ok',
  except,
  scene: plain(() => behaviour),
});

export const FAULTS: Fault[] = [
  before('reset before headers', 'both', 'connect', () => faults.resetBeforeHeaders()),
  status(408, 'timeout'),
  status(409, 'server'),
  status(429, 'rate-limited'),
  status(500, 'server'),
  status(502, 'server'),
  status(503, 'server'),
  status(504, 'timeout'),
  status(529, 'server'),
  status(401, 'credential'),
  status(403, 'credential'),
  status(404, 'model-gone'),
  before('429 with Retry-After', 'both', 'rate-limited', () => faults.rateLimited('7')),
  before('an HTML page with 502', 'both', 'server', () => faults.htmlPage(502)),
  before('an HTML page with 400', 'both', 'malformed', () => faults.htmlPage(400)),
  before('an HTML page with 200', 'both', 'malformed', () => faults.htmlPage(200)),
  before('200 with an error body', 'both', 'server', () => faults.errorIn200(SECRET)),
  before('200 with null', 'both', 'malformed', () => faults.nullBody()),
  before('200 with broken JSON', 'both', 'malformed', () => faults.brokenJson()),
  before('200 with nothing', 'both', { stream: 'empty', whole: 'malformed' }, () => faults.emptyBody()),
  before('200 with an empty object', 'both', '*', () => json(200, {})),
  before('an error event first', 'stream', 'server', () => faults.errorEvent(0)),
  before('a stream that ends before its text', 'stream', 'truncated', () => startThenEnd()),
  before('a stream cut before its text', 'stream', 'truncated', () => faults.cutAfter(0)),
  before('garbage in the stream', 'stream', 'malformed', () => garbage()),
  before('a body cut in the middle', 'whole', 'truncated', () => faults.cutAfter(1)),
  before('a body closed in the middle', 'whole', 'truncated', () => faults.cutAfter(1, 'close')),
  hang('silence before headers', 'both', (gate) => faults.stallBeforeHeaders(gate)),
  hang('silence after headers', 'both', (gate) => faults.stallAfterHeaders(gate)),
  hang('silence inside a body', 'whole', (gate) => faults.stallAfter(1, gate)),
  hang('comments and nothing else', 'stream', (gate) => faults.commentsUntil(gate)),
  clientFault('400 for the request', 400, 'client-fault', () => SECRET),
  clientFault('413', 413, 'client-fault', () => SECRET),
  clientFault('too long a prompt', 400, 'context-too-long', tooLong),
  interrupted('an error event in the text', 'server', (frames) => faults.errorEvent(frames, { text: TEXT })),
  interrupted('a stream cut in the text', 'truncated', (frames) => faults.cutAfter(frames, 'reset', { text: TEXT })),
  interrupted('a stream closed in the text', 'truncated', (frames) => faults.cutAfter(frames, 'close', { text: TEXT })),
  interrupted('an end without its marker', 'truncated', (frames) => faults.endWithoutTerminal(frames, { text: TEXT })),
  {
    name: 'silence in the text',
    meets: 'stream',
    phase: 'after',
    outcome: 'timeout',
    error: 'upstream_timeout',
    scene() {
      const gate = createGate();
      return {
        behaviour: afterText((frames) => faults.stallAfter(frames, gate, { text: TEXT })),
        stalled: gate.reached,
      };
    },
  },
  harmless('a whole answer to a stream request', 'stream', wholeAnyway()),
  harmless('a stream to a whole request', 'whole', streamAnyway()),
  harmless('one byte at a time', 'stream', answer({ text: TEXT }, { perByte: true })),
  // Google's streams have no last frame: only their close tells the end.
  harmless('a connection left open after the end', 'stream', leftOpen(), ['gemini-generate']),
];

function tooLong(dialect: Dialect): string {
  if (dialect === 'gemini-generate')
    return 'The input token count (9) exceeds the maximum number of tokens allowed (8).';
  return 'prompt is too long: 9 tokens > 8 maximum';
}

/** As far as the protocol goes without a word of the answer. */
function startThenEnd(): Behaviour {
  return (wire) => {
    const frames = { 'anthropic-messages': 3, 'openai-responses': 4, 'openai-chat': 1 }[
      wire.request.dialect as 'openai-chat'
    ];
    // Google begins with text at once: an empty candidate stands for a beginning.
    if (frames === undefined)
      return streamOf(wire, [dataFrame({ candidates: [{ content: { parts: [] }, index: 0 }] })]);
    return faults.endWithoutTerminal(frames, { text: TEXT })(wire);
  };
}

function garbage(): Behaviour {
  return (wire) => streamOf(wire, [dataFrame('{"half a frame')]);
}

async function streamOf(wire: Parameters<Behaviour>[0], frames: string[]): Promise<void> {
  openEventStream(wire);
  await writeFrames(wire, frames);
  wire.end();
}

function wholeAnyway(): Behaviour {
  return (wire) => json(200, wholeOf(completeAnswer({ text: TEXT }, wire.request), wire.request))(wire);
}

function streamAnyway(): Behaviour {
  return (wire) => streamOf(wire, framesOf(completeAnswer({ text: TEXT }, wire.request), wire.request));
}

function leftOpen(): Behaviour {
  return async (wire) => {
    openEventStream(wire);
    await writeFrames(wire, framesOf(completeAnswer({ text: TEXT }, wire.request), wire.request));
    await wire.request.ended;
  };
}
