/** How many tokens a request's input is, as the surest and the likeliest count. */
import type { ChatRequest, Extras, Part, Tool } from '../../core/chat.ts';
import { isJsonObject } from '../../core/json.ts';
import type { TokenCount } from '../../core/token-estimate.ts';
import { ForeignCount } from './foreign-count.ts';
import { countInputText } from './remembered-counts.ts';

/** Role, separators and the like, as the OpenAI protocol counts them. */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_PER_TOOL = 12;
/** Between OpenAI's 765 and Anthropic's 1,600 for a full-size picture. */
const TOKENS_PER_IMAGE = 1_100;
const TOKENS_PER_SMALL_IMAGE = 85;
/** Compressed speech is about 4 KB of base64 a second and 10 tokens a second. */
const AUDIO_CHARACTERS_PER_TOKEN = 400;
/** A PDF page is about 60 KB of base64 and 2,000 tokens. */
const FILE_CHARACTERS_PER_TOKEN = 30;
const ENCRYPTED_CHARACTERS_PER_TOKEN = 6;

export interface InputTokens extends TokenCount {
  /** Those of `most` that are sound, which may be priced apart. */
  audio: number;
  /** How long a provider is asked to keep the prompt in its cache, which may cost more than reading it. */
  kept: '5m' | '1h' | undefined;
}

export function countInput(request: ChatRequest): InputTokens {
  const sum = new InputCount();
  sum.tokens(3);
  for (const { parts, extras } of request.messages) {
    sum.tokens(TOKENS_PER_MESSAGE);
    if (extras) sum.foreign(extras);
    for (const part of parts) countPart(part, sum);
  }
  for (const tool of request.tools) countTool(tool, sum);
  const { output } = request;
  if (output.kind === 'json-schema') {
    sum.text(JSON.stringify(output.schema));
    if (output.description) sum.text(output.description);
  }
  sum.addForeign(request);
  // The word for the whole prompt.
  const whole = request.extras['anthropic-messages']?.['cache_control'];
  if (isJsonObject(whole)) sum.keeps(whole['ttl'] === '1h' ? { ttl: '1h' } : {});
  return sum;
}

class InputCount implements InputTokens {
  likely = 0;
  most = 0;
  audio = 0;
  kept: '5m' | '1h' | undefined;
  #foreign: ForeignCount | undefined;

  tokens(count: number): void {
    this.likely += count;
    this.most += count;
  }

  text(text: string): void {
    const { likely, most } = countInputText(text);
    this.likely += likely;
    this.most += most;
  }

  keeps({ ttl = '5m' }: { ttl?: '5m' | '1h' }): void {
    if (this.kept !== '1h') this.kept = ttl;
  }

  /** What we hand on without understanding it is read by a provider of its protocol all the same. */
  foreign(extras: Extras): void {
    this.#foreign ??= new ForeignCount(TOKENS_PER_IMAGE);
    this.#foreign.inConversation(extras);
  }

  addForeign({ extras, tools }: ChatRequest): void {
    for (const _protocol in extras) {
      this.#foreign ??= new ForeignCount(TOKENS_PER_IMAGE);
      for (const { parameters } of tools) if (parameters) this.#foreign.skip(parameters);
      this.#foreign.besideIt(extras);
      break;
    }
    if (!this.#foreign) return;
    const { likely, most } = this.#foreign.total();
    this.likely += likely;
    this.most += most;
  }
}

function countTool({ name, description, parameters, cacheControl, extras }: Tool, sum: InputCount): void {
  if (cacheControl) sum.keeps(cacheControl);
  sum.tokens(TOKENS_PER_TOOL);
  sum.text(name);
  sum.text(description ?? '');
  if (parameters) sum.text(JSON.stringify(parameters));
  if (extras) sum.foreign(extras);
}

function countPart(part: Part, sum: InputCount): void {
  if (part.extras) sum.foreign(part.extras);
  if (part.cacheControl) sum.keeps(part.cacheControl);
  switch (part.kind) {
    case 'text':
    case 'refusal':
      sum.text(part.text);
      break;
    case 'reasoning':
      sum.text(part.text);
      sum.tokens(Math.ceil((part.encrypted?.length ?? 0) / ENCRYPTED_CHARACTERS_PER_TOKEN));
      break;
    case 'tool-call':
      sum.tokens(8);
      sum.text(part.name);
      sum.text(part.arguments);
      break;
    case 'tool-result':
      sum.tokens(6);
      for (const inner of part.content) countPart(inner, sum);
      break;
    case 'image':
      countImage(part, sum);
      break;
    case 'audio':
      countAudio(part, sum);
      break;
    case 'file':
      countFile(part, sum);
  }
}

function countAudio({ data }: Extract<Part, { kind: 'audio' }>, sum: InputCount): void {
  const tokens = Math.ceil(data.length / AUDIO_CHARACTERS_PER_TOKEN);
  sum.tokens(tokens);
  sum.audio += tokens;
}

/** Only some providers know the word for a small picture, so a hold does not rely on it. */
function countImage({ detail }: Extract<Part, { kind: 'image' }>, sum: InputCount): void {
  sum.likely += detail === 'low' ? TOKENS_PER_SMALL_IMAGE : TOKENS_PER_IMAGE;
  sum.most += TOKENS_PER_IMAGE;
}

function countFile({ source, name, extras }: Extract<Part, { kind: 'file' }>, sum: InputCount): void {
  if (name !== undefined) sum.text(name);
  // Of a block that is kept whole the text is counted with the rest of it.
  if (source.kind === 'text') sum.text(extras?.['anthropic-messages']?.['block'] === undefined ? source.text : '');
  else sum.tokens(source.kind === 'data' ? Math.ceil(source.data.length / FILE_CHARACTERS_PER_TOKEN) : 2_000);
}
