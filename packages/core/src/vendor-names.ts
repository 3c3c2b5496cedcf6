/** The vendors that a provider can be made from, by the names people know, in the order of `vendors/index.ts` (a test compares them). */
import type { Text } from './text.ts';

export const VENDOR_NAMES: readonly (readonly [id: string, name: Text])[] = [
  ['openai', { fa: 'اوپن‌ای‌آی', en: 'OpenAI' }],
  ['openai-responses', { fa: 'اوپن‌ای‌آی (Responses)', en: 'OpenAI (Responses)' }],
  ['anthropic', { fa: 'آنتروپیک', en: 'Anthropic' }],
  ['google', { fa: 'گوگل', en: 'Google' }],
  ['deepseek', { fa: 'دیپ‌سیک', en: 'DeepSeek' }],
  ['mistral', { fa: 'میسترال', en: 'Mistral AI' }],
  ['xai', { fa: 'ایکس‌ای‌آی', en: 'xAI' }],
  ['qwen', { fa: 'کوئن (علی‌بابا)', en: 'Qwen (Alibaba)' }],
  ['moonshot', { fa: 'مون‌شات (کیمی)', en: 'Moonshot AI (Kimi)' }],
  ['zai', { fa: 'زد.ای‌آی (GLM)', en: 'Z.ai (GLM)' }],
  ['minimax', { fa: 'مینی‌مکس', en: 'MiniMax' }],
  ['cohere', { fa: 'کوهیر', en: 'Cohere' }],
  ['voyage', { fa: 'وویج', en: 'Voyage AI' }],
  ['jina', { fa: 'جینا', en: 'Jina AI' }],
  ['perplexity', { fa: 'پرپلکسیتی', en: 'Perplexity' }],
  ['groq', { fa: 'گروک (Groq)', en: 'Groq' }],
  ['cerebras', { fa: 'سربراس', en: 'Cerebras' }],
  ['together', { fa: 'توگدر', en: 'Together AI' }],
  ['fireworks', { fa: 'فایرورکس', en: 'Fireworks AI' }],
  ['openrouter', { fa: 'اوپن‌روتر', en: 'OpenRouter' }],
  ['azure-openai', { fa: 'آژور اوپن‌ای‌آی', en: 'Azure OpenAI' }],
  ['ollama', { fa: 'اولاما (محلی)', en: 'Ollama (local)' }],
  ['vllm', { fa: 'vLLM یا سرور سازگار', en: 'vLLM or a compatible server' }],
  ['llama-cpp', { fa: 'لاماسی‌پی‌پی (محلی)', en: 'llama.cpp (local)' }],
];
