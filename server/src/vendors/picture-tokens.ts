/**
 * The most tokens that a picture has for a model, as far as its maker says or it was measured. Makers scale large
 * pictures down, each to its own size: a hold for a picture of unknown size needs the maximum, one of known size needs
 * less.
 */

export interface PictureTokens {
  max: number;
  /** One token covers at most this many pixels. */
  pixelsPerToken: number;
}

/** Patches of 28 pixels are the smallest; some makers count a little more for them. */
const PATCH = 740;

/** By parts of the model's name, which is the same wherever the model is served. The first that is found counts. */
const KNOWN: readonly (readonly [RegExp, PictureTokens])[] = [
  // A picture costs as much money as with the larger model, so its tokens are counted 33 times.
  [/gpt-4o-mini/, { max: 48_200, pixelsPerToken: 1 }],
  [/gpt-(?:5\.[4-9]|[6-9])/, { max: 16_000, pixelsPerToken: PATCH }],
  [/(?:gpt-(?:4\.1|5)|o4)-(?:mini|nano)/, { max: 3_800, pixelsPerToken: 400 }],
  [/gpt-|openai\/o\d/, { max: 1_600, pixelsPerToken: PATCH }],
  [/claude-(?:3|[a-z]{4,6}-4(?:[.-][0-6])?(?:-\d{8})?$)/, { max: 1_700, pixelsPerToken: PATCH }],
  [/gemini-[3-9]/, { max: 1_200, pixelsPerToken: PATCH }],
];

/** The largest count of Claude, Pixtral and Gemini 2. */
export const ANY_PICTURE: PictureTokens = { max: 4_800, pixelsPerToken: PATCH };

/** `names`: all names of the model. */
export function pictureTokens(...names: string[]): PictureTokens {
  return KNOWN.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1] ?? ANY_PICTURE;
}
