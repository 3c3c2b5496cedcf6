/**
 * The kinds of models, and all that other places must know of a kind: its name, its modalities, and by what it is
 * priced. A new kind is one entry here, and one word in the check of the table `model`.
 */
import type { Text } from './text.ts';

export const MODEL_KINDS = [
  'chat',
  'embedding',
  'rerank',
  'moderation',
  'image',
  'speech',
  'transcription',
  'realtime',
] as const;
export type ModelKind = (typeof MODEL_KINDS)[number];

/** The price fields by which kinds differ. */
type KindPrice =
  | 'input'
  | 'output'
  | 'audio_input'
  | 'audio_output'
  | 'image_output'
  | 'images'
  | 'characters'
  | 'seconds'
  | 'searches';

interface KindFacts {
  name: Text;
  /** The modality of its input, as the list of models names it. */
  takes: 'text' | 'audio';
  gives: string;
  /**
   * Prices a model of this kind must have, because a request would cost nothing without them. One price of each inner
   * list is enough; forms ask for the first.
   */
  prices: readonly (readonly KindPrice[])[];
  /** The price by which a list is ordered, by preference. */
  main: readonly [KindPrice, ...KindPrice[]];
}

export const KIND_FACTS: Record<ModelKind, KindFacts> = {
  chat: {
    name: { fa: 'گفت‌وگو', en: 'Chat' },
    takes: 'text',
    gives: 'text',
    prices: [['input'], ['output']],
    main: ['output'],
  },
  embedding: {
    name: { fa: 'بردارسازی', en: 'Embedding' },
    takes: 'text',
    gives: 'embeddings',
    prices: [['input']],
    main: ['input'],
  },
  rerank: {
    name: { fa: 'بازرتبه‌بندی', en: 'Rerank' },
    takes: 'text',
    gives: 'rerank',
    prices: [['searches', 'input']],
    main: ['searches', 'input'],
  },
  // Vendors do not charge for it, so a price of zero is allowed.
  moderation: {
    name: { fa: 'بررسی محتوا', en: 'Moderation' },
    takes: 'text',
    gives: 'moderation',
    prices: [],
    main: ['input'],
  },
  image: {
    name: { fa: 'ساخت تصویر', en: 'Image' },
    takes: 'text',
    gives: 'image',
    prices: [['images', 'image_output', 'output']],
    main: ['images', 'image_output', 'output'],
  },
  speech: {
    name: { fa: 'متن به گفتار', en: 'Speech' },
    takes: 'text',
    gives: 'speech',
    prices: [['characters', 'seconds', 'output', 'audio_output']],
    main: ['characters', 'output'],
  },
  transcription: {
    name: { fa: 'گفتار به متن', en: 'Transcription' },
    takes: 'audio',
    gives: 'transcription',
    prices: [['seconds', 'input', 'audio_input']],
    main: ['seconds', 'output'],
  },
  // Text and sound in both directions, each at its own price.
  realtime: {
    name: { fa: 'مکالمهٔ زنده', en: 'Realtime' },
    takes: 'audio',
    gives: 'audio',
    prices: [['input'], ['output'], ['audio_input'], ['audio_output']],
    main: ['audio_output', 'output'],
  },
};

function isModelKind(text: string): text is ModelKind {
  return (MODEL_KINDS as readonly string[]).includes(text);
}

/** The prices that a form asks for. */
export function usualPrices(kind: string): readonly string[] {
  return isModelKind(kind) ? KIND_FACTS[kind].prices.flatMap(([first]) => first ?? []) : [];
}
