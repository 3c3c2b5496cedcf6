/** Fields that only this protocol understands, kept beside the canonical form under its name. */
export const PROTOCOL = 'bedrock-converse';
