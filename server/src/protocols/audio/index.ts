export {
  type AudioEvent,
  readAudioEvent,
  transcriptEvents,
  writeAudioEvent,
} from './audio-events.ts';
export { audioFileName } from './audio-file.ts';
export { hasAudioEndpoints } from './audio-path.ts';
export {
  estimateSpeech,
  estimateTranscription,
  pricedByTokens,
  speechUsage,
  transcriptionUsage,
} from './audio-usage.ts';
export { endsOf, maxSeconds, measureSeconds } from './duration/measure-seconds.ts';
export { type EncodedForm, encodeForm } from './form-encoding.ts';
export { speechContentType } from './speech-format.ts';
export { decodeSpeechRequest, encodeSpeechRequest, type SpeechRequest } from './speech-request.ts';
export { readTranscript, type TranscriptAnswer } from './transcript-answer.ts';
export {
  decodeTranscriptionRequest,
  encodeTranscriptionRequest,
  type FormField,
  type TranscriptionRequest,
} from './transcription-request.ts';
export { speechUsageResponse, transcriptionUsageResponse } from './usage-response.ts';
