/** A realtime session of the simulator: it repeats texts, answers sound with a tone, and hears when a speaker falls silent. */
import { isJsonObject, type Json, type JsonObject, parseTrustedJson } from '../../../core/json.ts';
import type { UpstreamSocket, UpstreamSocketListener } from '../port.ts';
import { toneOf } from './audio.ts';
import { type Heard, SpokenTurn } from './spoken-turn.ts';

const RATE = 24_000;
const BYTES_PER_SECOND = RATE * 2;
const TONE_SECONDS = 1;
/** A tenth of a second. */
const PIECE_BYTES = BYTES_PER_SECOND / 10;
const HEARD_TOKENS_PER_SECOND = 10;
const SAID_TOKENS_PER_SECOND = 20;

const SESSION: JsonObject = {
  type: 'realtime',
  object: 'realtime.session',
  output_modalities: ['audio'],
  instructions: '',
  tools: [],
  tool_choice: 'auto',
  max_output_tokens: 'inf',
};
const INPUT: JsonObject = {
  format: { type: 'audio/pcm', rate: RATE },
  transcription: null,
  turn_detection: { type: 'server_vad', silence_duration_ms: 500, create_response: true, interrupt_response: true },
};
const OUTPUT: JsonObject = { format: { type: 'audio/pcm', rate: RATE }, voice: 'tone' };

interface Sizes {
  text: number;
  audio: number;
}

interface Active {
  id: string;
  said: Sizes;
  cancelled: boolean;
}

export class SandboxRealtime implements UpstreamSocket {
  readonly waitingBytes = 0;
  #listener: UpstreamSocketListener | undefined;
  #session: JsonObject;
  #ids = 0;
  #heard = '';
  #size: Sizes = { text: 0, audio: 0 };
  #cached: Sizes = { text: 0, audio: 0 };
  #active: Active | undefined;
  readonly #turn = new SpokenTurn(BYTES_PER_SECOND);
  #closed = false;
  #paused: Promise<void> | undefined;
  #goOn: () => void = () => undefined;

  constructor(model: string) {
    this.#session = { ...SESSION, id: 'sess_sandbox', model, audio: { input: INPUT, output: OUTPUT } };
  }

  listen(listener: UpstreamSocketListener): void {
    this.#listener = listener;
    this.#say('session.created', { session: this.#session });
  }

  pause(): void {
    this.#paused ??= new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  resume(): void {
    this.#goOn();
    this.#paused = undefined;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.resume();
    this.#listener?.closed('closed with 1000');
  }

  send(text: string): void {
    const event = parseTrustedJson(text);
    if (!isJsonObject(event) || this.#closed) return;
    const handle = this.#handlers[String(event['type'])];
    if (handle) handle(event);
    else this.#refuse('unknown_event', event);
  }

  readonly #handlers: Partial<Record<string, (event: JsonObject) => void>> = {
    'session.update': ({ session }) => this.#update(session),
    'conversation.item.create': ({ item }) => this.#add(item),
    'input_audio_buffer.append': ({ audio }) => this.#listenTo(String(audio ?? '')),
    'input_audio_buffer.commit': (event) => {
      if (this.#turn.seconds > 0) this.#commit();
      else this.#refuse('input_audio_buffer_commit_empty', event);
    },
    'input_audio_buffer.clear': () => {
      this.#turn.clear();
      this.#say('input_audio_buffer.cleared', {});
    },
    'response.create': (event) => {
      if (this.#active) this.#refuse('conversation_already_has_active_response', event);
      else void this.#respond(event['response']);
    },
    'response.cancel': (event) => {
      if (this.#active) this.#active.cancelled = true;
      else this.#refuse('response_cancel_not_active', event);
    },
  };

  #say(type: string, fields: JsonObject): void {
    if (!this.#closed) this.#listener?.message(JSON.stringify({ type, event_id: `event_${++this.#ids}`, ...fields }));
  }

  #refuse(code: string, { event_id: id }: JsonObject): void {
    const error = { type: 'invalid_request_error', code, message: code, param: null, event_id: id ?? null };
    this.#say('error', { error });
  }

  #update(session: Json | undefined): void {
    const update = isJsonObject(session) ? session : {};
    const before = objectIn(this.#session, 'audio');
    const audio = objectIn(update, 'audio');
    const half = (side: string): JsonObject => ({ ...objectIn(before, side), ...objectIn(audio, side) });
    const halves = { input: half('input'), output: half('output') };
    this.#session = { ...this.#session, ...update, model: this.#session['model'] as Json, audio: halves };
    this.#say('session.updated', { session: this.#session });
  }

  #add(item: Json | undefined): void {
    const given = isJsonObject(item) ? item : {};
    const parts = Array.isArray(given['content']) ? given['content'].filter(isJsonObject) : [];
    this.#heard = parts.map(({ text, transcript }) => String(text ?? transcript ?? '')).join(' ');
    this.#size.text += Math.ceil(JSON.stringify(given).length / 4);
    this.#sayItem({ id: `item_${++this.#ids}`, object: 'realtime.item', status: 'completed', ...given });
  }

  #sayItem(item: JsonObject): void {
    this.#say('conversation.item.added', { item, previous_item_id: null });
    this.#say('conversation.item.done', { item, previous_item_id: null });
  }

  #listenTo(base64: string): void {
    const detection = objectIn(objectIn(objectIn(this.#session, 'audio'), 'input'), 'turn_detection');
    const heard: Heard = this.#turn.hear(
      Buffer.from(base64, 'base64'),
      Number(detection['silence_duration_ms'] ?? 500),
    );
    if (detection['type'] === undefined) return;
    if (heard === 'speech') {
      this.#say('input_audio_buffer.speech_started', { audio_start_ms: 0, item_id: `item_${this.#ids}` });
      if (this.#active && detection['interrupt_response'] !== false) this.#active.cancelled = true;
    }
    if (heard !== 'silence') return;
    this.#say('input_audio_buffer.speech_stopped', { audio_end_ms: 0, item_id: `item_${this.#ids}` });
    this.#commit();
    if (detection['create_response'] !== false && !this.#active) void this.#respond(undefined);
  }

  #commit(): void {
    const { seconds } = this.#turn;
    this.#heard = `${seconds.toFixed(1)} seconds of sound`;
    this.#size.audio += Math.ceil(seconds * HEARD_TOKENS_PER_SECOND);
    this.#turn.clear();
    const id = `item_${++this.#ids}`;
    this.#say('input_audio_buffer.committed', { item_id: id, previous_item_id: null });
    const content = [{ type: 'input_audio', transcript: null }];
    this.#sayItem({ id, object: 'realtime.item', type: 'message', status: 'completed', role: 'user', content });
  }

  async #respond(options: Json | undefined): Promise<void> {
    const asked = isJsonObject(options) ? options : {};
    const modalities = asked['output_modalities'] ?? this.#session['output_modalities'];
    const speaks = Array.isArray(modalities) && modalities.includes('audio');
    const active: Active = { id: `resp_${++this.#ids}`, said: { text: 0, audio: 0 }, cancelled: false };
    const input = { ...this.#size };
    this.#active = active;
    this.#say('response.created', { response: this.#responseOf(active, 'in_progress', [], null) });
    const item = { id: `item_${++this.#ids}`, object: 'realtime.item', type: 'message', role: 'assistant' };
    const at = { response_id: active.id, item_id: item.id, output_index: 0, content_index: 0 };
    this.#say('response.output_item.added', { ...at, item: { ...item, status: 'in_progress', content: [] } });
    const text = `Sandbox simulator heard: ${this.#heard}`;
    const spoken = await this.#deliver(active, at, text, speaks);
    const part = speaks ? { type: 'output_audio', transcript: spoken } : { type: 'output_text', text: spoken };
    const done = { ...item, status: active.cancelled ? 'incomplete' : 'completed', content: [part] };
    this.#say('response.output_item.done', { ...at, item: done });
    this.#active = undefined;
    this.#size.text += active.said.text;
    this.#size.audio += active.said.audio;
    const usage = usageOf(input, this.#cached, active.said);
    this.#cached = input;
    const status = active.cancelled ? 'cancelled' : 'completed';
    this.#say('response.done', { response: this.#responseOf(active, status, [done], usage) });
  }

  /** A piece in each turn of the event loop, so that it can be interrupted. Returns what was said of the text. */
  async #deliver(active: Active, at: JsonObject, text: string, speaks: boolean): Promise<string> {
    const kind = speaks ? 'output_audio_transcript' : 'output_text';
    let said = '';
    const words = text.split(' ');
    for (const [place, part] of words.entries()) {
      const word = place < words.length - 1 ? `${part} ` : part;
      if (!(await this.#mayGoOn(active))) return said;
      said += word;
      active.said.text++;
      this.#say(`response.${kind}.delta`, { ...at, delta: word });
    }
    const sound = speaks ? toneOf(TONE_SECONDS, RATE) : Buffer.alloc(0);
    for (let from = 0; from < sound.length; from += PIECE_BYTES) {
      if (!(await this.#mayGoOn(active))) return said;
      active.said.audio += (PIECE_BYTES / BYTES_PER_SECOND) * SAID_TOKENS_PER_SECOND;
      this.#say('response.output_audio.delta', { ...at, delta: sound.toString('base64', from, from + PIECE_BYTES) });
    }
    if (speaks) this.#say('response.output_audio.done', at);
    this.#say(`response.${kind}.done`, { ...at, [speaks ? 'transcript' : 'text']: said });
    return said;
  }

  async #mayGoOn(active: Active): Promise<boolean> {
    await new Promise((resolve) => setImmediate(resolve));
    await this.#paused;
    return !active.cancelled && !this.#closed;
  }

  #responseOf({ id, cancelled }: Active, status: string, output: JsonObject[], usage: JsonObject | null): JsonObject {
    const details = cancelled ? { type: 'cancelled', reason: 'client_cancelled' } : null;
    return { id, object: 'realtime.response', status, status_details: details, output, usage };
  }
}

function usageOf(input: Sizes, cached: Sizes, said: Sizes): JsonObject {
  return {
    total_tokens: input.text + input.audio + said.text + said.audio,
    input_tokens: input.text + input.audio,
    output_tokens: said.text + said.audio,
    input_token_details: {
      text_tokens: input.text,
      audio_tokens: input.audio,
      image_tokens: 0,
      cached_tokens: cached.text + cached.audio,
      cached_tokens_details: { text_tokens: cached.text, audio_tokens: cached.audio, image_tokens: 0 },
    },
    output_token_details: { text_tokens: said.text, audio_tokens: said.audio },
  };
}

function objectIn(from: JsonObject, name: string): JsonObject {
  const value = from[name];
  return isJsonObject(value) ? value : {};
}
