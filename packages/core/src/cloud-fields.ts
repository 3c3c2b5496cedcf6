/**
 * The clouds: the fields their address is made of, and the forms their secrets have. Forms ask for these fields, and
 * the configuration file takes them.
 */

/** Each field is one word, so that nobody can write anything but a place of the cloud into an address. */
export const CLOUD_FIELDS = ['resource', 'project', 'region'] as const;
export type CloudField = (typeof CLOUD_FIELDS)[number];

/** A project of a domain has the domain before its name: `example.com:name`. */
export const CLOUD_WORDS: Readonly<Record<CloudField, RegExp>> = {
  resource: /^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/,
  project: /^[A-Za-z0-9][A-Za-z0-9.:-]{0,99}$/,
  region: /^[A-Za-z0-9][A-Za-z0-9-]{0,99}$/,
};

interface CloudForm {
  fields: readonly CloudField[];
  /** Fields that may be left out. */
  optional: readonly CloudField[];
  /** The forms of the secret, by their names in the texts of the console. */
  secret: 'azure' | 'amazon' | 'google';
}

const azure: CloudForm = { fields: ['resource'], optional: [], secret: 'azure' };
const vertex: CloudForm = { fields: ['project', 'region'], optional: ['project', 'region'], secret: 'google' };
const bedrock: CloudForm = { fields: ['region'], optional: [], secret: 'amazon' };

export const CLOUD_FORMS: Readonly<Record<string, CloudForm>> = {
  'azure-openai': azure,
  'azure-openai-responses': azure,
  vertex,
  'vertex-anthropic': vertex,
  bedrock,
  'bedrock-anthropic': bedrock,
  'bedrock-openai': bedrock,
};
