/** Secrets of providers at rest. They are sealed for the row they stand in, so that a copied row opens nothing elsewhere. */

export interface SecretBox {
  seal(clear: string, context: string): string;
  /** Throws when it was sealed with another master key, for another context, or was touched. */
  open(sealed: string, context: string): string;
}

export function sealContext(credentialId: string): string {
  return `provider_credential:${credentialId}`;
}
