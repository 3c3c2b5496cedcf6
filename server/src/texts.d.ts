/** Lua and Markdown files are bundled as texts (server/bin/build.mjs, vitest.config.ts). */
declare module '*.lua' {
  const text: string;
  export default text;
}
declare module '*.md' {
  const text: string;
  export default text;
}
