/** How many tokens a request's input is, as the surest and the likeliest count. */
import type { ChatRequest, Extras, MediaSource, Part, Tool } from '../../core/chat.ts';
import { hasFields } from '../../core/json.ts';
import type { TokenCount } from '../../core/token-estimate.ts';
import { keepsBlock } from '../../protocols/index.ts';
import { ANY_PICTURE, type PictureTokens } from '../../vendors/index.ts';
import { BoundedCount } from './bounded-count.ts';
import { countDocument, countEncrypted, countPicture, countSound, textInside } from './count-media.ts';
import { ExtrasCount } from './extras-count.ts';
import { countInputText } from './remembered-counts.ts';

/** Role, separators and the like, as the OpenAI protocol counts them. */
const TOKENS_PER_MESSAGE = 4;
/** The answer is begun for the model with its role, which counts as input. */
const TOKENS_TO_BEGIN_ANSWER = 3;
/** The words around the name, the description and the schema of a tool. */
const TOKENS_PER_TOOL = 12;
/** The id of a call and the words around its name and arguments. */
const TOKENS_PER_TOOL_CALL = 8;
/** The id of the call that is answered and the words around the result. */
const TOKENS_PER_TOOL_RESULT = 6;

export interface InputTokens extends TokenCount {
  /** Those of `most` that are sound, which may be priced apart. */
  audio: number;
  /** What `most` is above `likely` only because nobody sees how large pictures, documents and recordings are. */
  unsure: number;
  /** How long a provider is asked to keep the prompt in its cache, which may cost more than reading it. */
  kept: '5m' | '1h' | undefined;
}

/** `pictures` is asked only where there is one. */
export function countInput(request: ChatRequest, pictures: () => PictureTokens = () => ANY_PICTURE): InputTokens {
  const sum = new InputCount(pictures);
  sum.tokens(TOKENS_TO_BEGIN_ANSWER);
  for (const { parts, extras } of request.messages) {
    sum.tokens(TOKENS_PER_MESSAGE);
    if (extras) sum.partExtras(extras);
    for (const part of parts) countPart(part, sum);
  }
  for (const tool of request.tools) countTool(tool, sum);
  const { output } = request;
  if (output.kind === 'json-schema') {
    sum.text(JSON.stringify(output.schema));
    if (output.description) sum.text(output.description);
  }
  sum.closeExtras(request);
  const cached = request.priced?.cachesPrompt;
  if (cached !== undefined) sum.keeps({ ttl: cached });
  return sum;
}

class InputCount implements InputTokens {
  likely = 0;
  most = 0;
  audio = 0;
  unsure = 0;
  kept: '5m' | '1h' | undefined;
  readonly #pictures: () => PictureTokens;
  readonly #texts = new BoundedCount(countInputText);
  #extras: ExtrasCount | undefined;

  constructor(pictures: () => PictureTokens) {
    this.#pictures = pictures;
  }

  tokens(count: number): void {
    this.likely += count;
    this.most += count;
  }

  add({ likely, most }: TokenCount): void {
    this.likely += likely;
    this.most += most;
  }

  text(text: string): void {
    this.add(this.#texts.of(text));
  }

  picture(source: MediaSource, isSmall: boolean): void {
    this.#media(countPicture(source, isSmall, this.#pictures()));
  }

  sound(data: string): void {
    const counted = countSound(data);
    this.#media(counted);
    this.audio += counted.most;
  }

  document(source: MediaSource): void {
    const text = textInside(source);
    if (text !== undefined) this.text(text);
    else this.#media(countDocument(source, this.#pictures));
  }

  #media(counted: TokenCount): void {
    this.add(counted);
    this.unsure += counted.most - counted.likely;
  }

  keeps({ ttl = '5m' }: { ttl?: '5m' | '1h' }): void {
    if (this.kept !== '1h') this.kept = ttl;
  }

  /** Of a message, a part or a tool. What we do not understand is read by a provider of its protocol all the same. */
  partExtras(extras: Extras): void {
    this.#openExtras().addPartExtras(extras);
  }

  closeExtras({ extras, tools }: ChatRequest): void {
    if (hasFields(extras)) {
      const count = this.#openExtras();
      for (const { parameters } of tools) if (parameters) count.skip(parameters);
      count.addRequestExtras(extras);
    }
    if (!this.#extras) return;
    this.add(this.#extras.total());
    this.unsure += this.#extras.unsure;
  }

  #openExtras(): ExtrasCount {
    this.#extras ??= new ExtrasCount((text) => this.#texts.of(text), this.#pictures);
    return this.#extras;
  }
}

function countTool({ name, description, parameters, cacheControl, extras }: Tool, sum: InputCount): void {
  if (cacheControl) sum.keeps(cacheControl);
  sum.tokens(TOKENS_PER_TOOL);
  sum.text(name);
  sum.text(description ?? '');
  if (parameters) sum.text(JSON.stringify(parameters));
  if (extras) sum.partExtras(extras);
}

function countPart(part: Part, sum: InputCount): void {
  if (part.extras) sum.partExtras(part.extras);
  if (part.cacheControl) sum.keeps(part.cacheControl);
  switch (part.kind) {
    case 'text':
    case 'refusal':
      sum.text(part.text);
      break;
    case 'reasoning':
      sum.text(part.text);
      if (part.encrypted !== undefined) sum.tokens(countEncrypted(part.encrypted));
      break;
    case 'tool-call':
      sum.tokens(TOKENS_PER_TOOL_CALL);
      sum.text(part.name);
      sum.text(part.arguments);
      break;
    case 'tool-result':
      sum.tokens(TOKENS_PER_TOOL_RESULT);
      for (const inner of part.content) countPart(inner, sum);
      break;
    case 'image':
      sum.picture(part.source, part.detail === 'low');
      break;
    case 'audio':
      sum.sound(part.data);
      break;
    case 'file':
      countFile(part, sum);
  }
}

function countFile({ source, name, extras }: Extract<Part, { kind: 'file' }>, sum: InputCount): void {
  if (name !== undefined) sum.text(name);
  if (source.kind !== 'text') sum.document(source);
  // A block that is kept whole is counted, with its text, among the extras.
  else if (extras === undefined || !keepsBlock(extras)) sum.text(source.text);
}
