/** The input tokens of a request: an upper bound and the most likely count. */
import type { ChatRequest, Extras, MediaSource, Part, Tool } from '../../core/chat.ts';
import { hasFields } from '../../core/json.ts';
import type { TokenCount } from '../../core/token-estimate.ts';
import { keepsBlock } from '../../protocols/index.ts';
import {
  ANY_MEDIA,
  countEncrypted,
  countPicture,
  countSound,
  isPictureFile,
  type MediaLimits,
  textInside,
} from './count-media.ts';
import { countWaiting, type WaitingOptions } from './count-waiting.ts';
import { surveyDocument } from './documents/survey-document.ts';
import { unknownDocument } from './documents/unknown-document.ts';
import { ExtrasCount } from './extras-count.ts';
import { TextCount, type WaitingText } from './text-count.ts';

/** Role, separators and the like, as the OpenAI protocol counts them. */
const TOKENS_PER_MESSAGE = 4;
/** The answer is begun for the model with its role, which counts as input. */
const TOKENS_TO_BEGIN_ANSWER = 3;
/** The tokens around the name, the description and the schema of a tool. */
const TOKENS_PER_TOOL = 12;
/** The id of a call and the tokens around its name and arguments. */
const TOKENS_PER_TOOL_CALL = 8;
/** The id of the answered call and the tokens around the result. */
const TOKENS_PER_TOOL_RESULT = 6;

export interface InputTokens extends TokenCount {
  /** The part of `max` that is audio, which may have a price of its own. */
  audio: number;
  /**
   * The part by which `max` exceeds `likely` only because the size of pictures, documents and recordings is unknown.
   */
  unsure: number;
  /** Tokens of the predicted output. */
  predicted: number;
  /** How long the provider is to keep the prompt in its cache; writing it may cost more than reading. */
  kept: '5m' | '1h' | undefined;
  /** False while long texts and documents have not been read: then `finish` must be awaited. */
  readonly isWhole: boolean;
  finish(options: FinishOptions): Promise<void>;
}

export type FinishOptions = Pick<WaitingOptions, 'randomBytes' | 'checkLeast' | 'canPayMax'>;

/** `media` is asked only where there are pictures or documents. */
export function countInput(request: ChatRequest, media: () => MediaLimits = () => ANY_MEDIA): InputTokens {
  const sum = new InputCount(media);
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
  const predicted = request.priced?.prediction;
  if (predicted !== undefined) sum.prediction(JSON.stringify(predicted));
  return sum;
}

type DataSource = Extract<MediaSource, { kind: 'data' }>;

class InputCount implements InputTokens {
  likely = 0;
  max = 0;
  audio = 0;
  unsure = 0;
  predicted = 0;
  kept: '5m' | '1h' | undefined;
  readonly #limits: () => MediaLimits;
  readonly #texts = new TextCount();
  #extras: ExtrasCount | undefined;
  /** Documents that must be opened to be counted. */
  #documents: DataSource[] | undefined;
  /** The tokens that are held for documents of unknown size. */
  #unknown = 0;

  constructor(media: () => MediaLimits) {
    this.#limits = media;
  }

  get isWhole(): boolean {
    return this.#texts.waiting === undefined && this.#documents === undefined;
  }

  async finish(options: FinishOptions): Promise<void> {
    for (const source of this.#documents ?? []) await this.#survey(source);
    this.#documents = undefined;
    const { waiting } = this.#texts;
    if (waiting) await countWaiting({ ...options, waiting, put: (text, counted) => this.#replace(text, counted) });
    this.#texts.waiting = undefined;
  }

  tokens(count: number): void {
    this.likely += count;
    this.max += count;
  }

  add({ likely, max }: TokenCount): void {
    this.likely += likely;
    this.max += max;
  }

  text(text: string): void {
    this.add(this.#texts.of(text));
  }

  picture(source: MediaSource, isSmall: boolean): void {
    this.#media(countPicture(source, isSmall, this.#limits().pictures));
  }

  sound(data: string): void {
    const counted = countSound(data);
    this.#media(counted);
    this.audio += counted.max;
  }

  document(source: MediaSource): void {
    const text = textInside(source);
    if (text !== undefined) this.text(text);
    else if (source.kind !== 'data') this.#unknownDocument(source);
    else if (isPictureFile(source)) this.picture(source, false);
    else {
      this.#documents ??= [];
      this.#documents.push(source);
    }
  }

  async #survey(source: DataSource): Promise<void> {
    const counted = await surveyDocument(source, this.#limits());
    if (counted) this.#media(counted);
    else this.#unknownDocument(source);
  }

  /** All documents of unknown size together are at most what the model reads in one request. */
  #unknownDocument(source: MediaSource): void {
    const limits = this.#limits();
    const { likely, max } = unknownDocument(source, limits);
    const held = Math.max(likely, Math.min(max, limits.inputLimit - this.#unknown));
    this.#unknown += held;
    this.#media({ likely, max: held });
  }

  prediction(text: string): void {
    this.predicted += this.#texts.of(text, 'predicted').max;
  }

  #replace({ use, counted: before }: WaitingText, { likely, max }: TokenCount): void {
    if (use === 'predicted') this.predicted += max - before.max;
    else this.max += max - before.max;
    if (use === 'prompt') this.likely += likely - before.likely;
  }

  #media(counted: TokenCount): void {
    this.add(counted);
    this.unsure += counted.max - counted.likely;
  }

  keeps({ ttl = '5m' }: { ttl?: '5m' | '1h' }): void {
    if (this.kept !== '1h') this.kept = ttl;
  }

  /**
   * Fields of a message, a part or a tool that we do not model: a provider of the same protocol reads them all the
   * same.
   */
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
    this.#extras ??= new ExtrasCount({
      text: (text, use) => this.#texts.of(text, use),
      document: (source) => this.document(source),
      pictures: () => this.#limits().pictures,
    });
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
