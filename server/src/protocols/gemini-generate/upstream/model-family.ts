/**
 * What a model's name says about it. Google's options changed by generation, and only the name says which one it is.
 */

export interface GeminiFamily {
  /** 2, 2.5, 3.1, …; undefined for names that do not say (`gemini-flash-latest`). */
  generation: number | undefined;
  size: 'pro' | 'flash' | 'flash-lite' | 'other';
}

export function familyOf(model: string): GeminiFamily {
  const version = /gemini-(\d+(?:\.\d+)?)/i.exec(model)?.[1];
  return { generation: version === undefined ? undefined : Number(version), size: sizeOf(model.toLowerCase()) };
}

/** From the third generation on thinking has levels, calls must be signed, and tool results may hold media. */
export function isThirdGeneration({ generation }: GeminiFamily): boolean {
  return generation !== undefined && generation >= 3;
}

/** Before 2.5 there was no thinking and no plain JSON Schema. */
export function isBeforeThinking({ generation }: GeminiFamily): boolean {
  return generation !== undefined && generation < 2.5;
}

function sizeOf(model: string): GeminiFamily['size'] {
  if (model.includes('flash-lite')) return 'flash-lite';
  if (model.includes('flash')) return 'flash';
  return model.includes('pro') ? 'pro' : 'other';
}
