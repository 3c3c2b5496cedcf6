/** What this protocol alone understands, kept beside the canonical form under its own name. */
export const PROTOCOL = 'bedrock-converse';
