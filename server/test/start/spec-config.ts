/** The configuration that the specification promises to work, with every section and every field it names. */
export function specConfig(origin: string): string {
  return `
money:
  exchange_rate: 100000
  margin: 0.10
  calendar: { time_zone: Asia/Tehran, month: jalali }
providers:
  - { id: mock-openai, protocol: openai-chat, base_url: "${origin}/v1", api_key: up-1 }
  - { id: mock-openai-b, protocol: openai-chat, base_url: "${origin}/v1", api_key: up-2 }
  - { id: mock-anthropic, protocol: anthropic-messages, base_url: "${origin}", api_key_env: MOCK_ANTHROPIC_KEY }
  - { id: mock-gemini, protocol: gemini-generate, base_url: "${origin}/v1beta", api_key: up-4 }
  - id: mock-responses
    protocol: openai-responses
    base_url: "${origin}/v1"
    api_key: up-5
    timeouts: { connect_ms: 2000, first_event_ms: 20000, idle_ms: 20000, total_ms: 600000 }
models:
  - id: mock/chat
    name: Mock chat
    kind: chat
    routes:
      - { provider: mock-openai, model: up-chat, priority: 1, weight: 1 }
      - { provider: mock-openai-b, model: up-chat, priority: 2, weight: 1 }
    price: { input: 15000, output: 60000, cache_read: 7500, cache_write_5m: 18750, cache_write_1h: 30000 }
    context: 128000
    max_output: 16384
    capabilities: [vision, tools, json_schema, json_object, reasoning, streaming]
    categories: [popular, economical]
  - id: mock/claude
    routes: [{ provider: mock-anthropic, model: claude-x }]
    price: { input: 300000, output: 1500000 }
    context: 200000
    max_output: 64000
    capabilities: [vision, tools, streaming]
  - id: mock/embed
    kind: embedding
    routes: [{ provider: mock-openai, model: up-embed }]
    price: { input: 2000 }
  - id: mock/tts
    kind: speech
    routes: [{ provider: mock-openai, model: up-tts }]
    price: { characters: 1500000 }
  - id: mock/stt
    kind: transcription
    routes: [{ provider: mock-openai, model: up-stt }]
    price: { seconds: 10000000 }
groups:
  - { id: economical, default: mock/chat, models: [mock/chat] }
accounts:
  - id: acme
    name: Acme
    balance: 100000
    rules: { rpm: 600, caps: { daily: null, monthly: null, total: null } }
    keys:
      - id: main
        key: dg-test-main
        rules:
          default_model: mock/chat
          models: null
          endpoints: null
          ips: null
          referrers: null
          expires_at: null
          paused: false
          caps: { daily: null, monthly: null, total: null }
          rpm: 300
          tpm: 1000000
`;
}
