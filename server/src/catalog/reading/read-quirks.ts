/** Reads a provider's or route's named deviations from the file's form, and writes them in it. */
import type { JsonObject } from '../../core/json.ts';
import type { Quirks } from '../../protocols/index.ts';
import type { Fields } from './fields.ts';

type Flag = { [Q in keyof Quirks]-?: NonNullable<Quirks[Q]> extends boolean ? Q : never }[keyof Quirks];

/** Every quirk that is yes or no, with its name in the file; the compiler asks for a new one. */
const FLAGS: Record<Flag, string> = {
  rejectsStreamOptions: 'rejects_stream_options',
  noDeveloperRole: 'no_developer_role',
  rejectsSampling: 'rejects_sampling',
  replaysToolSignatures: 'replays_tool_signatures',
  takesCacheControl: 'takes_cache_control',
  rejectsStrictTools: 'rejects_strict_tools',
  adaptiveThinking: 'adaptive_thinking',
};
const FLAG_NAMES = Object.entries(FLAGS) as [Flag, string][];

export function readQuirks(fields: Fields | undefined): Quirks {
  const quirks: Quirks = {};
  if (!fields) return quirks;
  for (const [name, field] of FLAG_NAMES) {
    const value = fields.flag(field);
    if (value !== undefined) quirks[name] = value;
  }
  const maxTokensField = fields.choice('max_tokens_field', ['max_tokens', 'max_completion_tokens']);
  if (maxTokensField) quirks.maxTokensField = maxTokensField;
  const style = fields.choice('reasoning_style', ['reasoning_effort', 'openrouter', 'thinking-switch', 'none']);
  if (style) quirks.reasoningStyle = style;
  const replay = fields.choice('replay_reasoning_as', ['reasoning_content', 'reasoning', 'reasoning_details']);
  if (replay) quirks.replayReasoningAs = replay;
  const rerank = fields.choice('rerank_style', ['cohere', 'voyage', 'jina', 'tei']);
  if (rerank) quirks.rerankStyle = rerank;
  const begun = fields.choice('begun_turn', ['prefix', 'partial', 'continue_final_message']);
  if (begun) quirks.begunTurn = begun;
  const image = fields.choice('image_style', ['openai', 'xai']);
  if (image) quirks.imageStyle = image;
  const dropFields = fields.texts('drop_fields');
  if (dropFields) quirks.dropFields = dropFields;
  const passFields = fields.texts('pass_fields');
  if (passFields) quirks.passFields = passFields.includes('all') ? 'all' : passFields;
  const apiVersion = fields.text('azure_api_version');
  if (apiVersion) quirks.azure = { apiVersion };
  const cloud = fields.choice('cloud', ['vertex', 'bedrock']);
  if (cloud) quirks.cloud = cloud;
  const awsRegion = fields.text('aws_region');
  if (awsRegion) quirks.awsRegion = awsRegion;
  readEmbeddings(fields.child('embeddings'), quirks);
  fields.finish();
  return quirks;
}

function readEmbeddings(fields: Fields | undefined, quirks: Quirks): void {
  if (!fields) return;
  const encoding = fields.choice('encoding', ['float', 'base64']);
  const maxInputs = fields.whole('max_inputs', { min: 1, max: 100_000 });
  quirks.embeddings = { ...(encoding && { encoding }), ...(maxInputs !== undefined && { maxInputs }) };
  fields.finish();
}

/** The same quirks as the file would write them; `readQuirks` reads them back. */
export function renderQuirks(quirks: Quirks): JsonObject {
  const view: JsonObject = {};
  for (const [name, field] of FLAG_NAMES) if (quirks[name] !== undefined) view[field] = quirks[name];
  if (quirks.maxTokensField) view['max_tokens_field'] = quirks.maxTokensField;
  if (quirks.reasoningStyle) view['reasoning_style'] = quirks.reasoningStyle;
  if (quirks.replayReasoningAs) view['replay_reasoning_as'] = quirks.replayReasoningAs;
  if (quirks.rerankStyle) view['rerank_style'] = quirks.rerankStyle;
  if (quirks.begunTurn) view['begun_turn'] = quirks.begunTurn;
  if (quirks.imageStyle) view['image_style'] = quirks.imageStyle;
  if (quirks.dropFields) view['drop_fields'] = quirks.dropFields;
  if (quirks.passFields) view['pass_fields'] = quirks.passFields === 'all' ? ['all'] : quirks.passFields;
  if (quirks.azure) view['azure_api_version'] = quirks.azure.apiVersion;
  if (quirks.cloud) view['cloud'] = quirks.cloud;
  if (quirks.awsRegion) view['aws_region'] = quirks.awsRegion;
  const { encoding, maxInputs } = quirks.embeddings ?? {};
  if (quirks.embeddings)
    view['embeddings'] = { ...(encoding && { encoding }), ...(maxInputs !== undefined && { max_inputs: maxInputs }) };
  return view;
}
