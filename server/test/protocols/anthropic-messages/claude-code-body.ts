/** A request with every kind of field that coding agents of this protocol were seen to send. */
import type { JsonObject } from '../../../src/core/json.ts';

export function claudeCodeBody(): JsonObject {
  return {
    model: 'anthropic/claude-test',
    max_tokens: 32_000,
    stream: true,
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=0; cc_entrypoint=cli' },
      { type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral', ttl: '1h', scope: 'global' } },
    ],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'list files', cache_control: { type: 'ephemeral' } }] },
      { role: 'system', content: 'The date changed.' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I should look.', signature: 'EqQBCkYIBRgCKkA=' },
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'toolu_01', name: 'Bash', input: { command: 'ls' }, caller: { type: 'direct' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_01', content: [{ type: 'text', text: 'a.txt' }], is_error: false },
          { type: 'text', text: '<note>be brief</note>', cache_control: { type: 'ephemeral' } },
        ],
      },
    ],
    tools: [
      { name: 'Bash', description: 'Runs a command', input_schema: { type: 'object', properties: {} } },
      {
        name: 'Read',
        description: 'Reads a file',
        input_schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', properties: {} },
        defer_loading: true,
      },
    ],
    metadata: { user_id: '{"device_id":"d","account_uuid":"","session_id":"s"}' },
    thinking: { type: 'enabled', budget_tokens: 31_999, display: 'omitted' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    output_config: { effort: 'high' },
    future_field: { anything: [1, null] },
  };
}
