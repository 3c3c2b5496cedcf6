/** Limits of the knowledge bases, set by the operator. */

export interface KnowledgeLimits {
  /** Per account. */
  bases: number;
  /** Per base. */
  documents: number;
  documentBytes: number;
  /** Per account, over all its bases. */
  totalBytes: number;
  /** The tokens that passages may take of a prompt; admission holds them before anything is searched. */
  contextTokens: number;
  /** Documents read at the same time by this process. */
  parallelReading: number;
}
