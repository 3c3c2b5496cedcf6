export { decodeGeminiImages, encodeGeminiImages } from './gemini-images.ts';
export type * from './image.ts';
export { decodeImageRequest, encodeImageResponse, imageUsageResponse } from './image-client.ts';
export { eventOfImage, readImageEvent } from './image-events.ts';
export { estimateImages, imageUsage, pictureKind } from './image-usage.ts';
export {
  addressesIn,
  decodeOpenaiImages,
  type EncodedImages,
  encodeOpenaiImages,
  readImageTokens,
  withFetched,
} from './openai-images.ts';
