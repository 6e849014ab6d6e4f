import {
  type DockerConfig,
  fromBase64,
  readDockerConfig,
  readLegacyDockerConfig,
} from './docker-config.ts';

export type SecretData = Readonly<Record<string, string>>;

const forms = [
  { key: '.dockerconfigjson', read: readDockerConfig },
  // Warden takes the file's own name as well.
  { key: 'config.json', read: readDockerConfig },
  { key: '.dockercfg', read: readLegacyDockerConfig },
] as const;

/** `data` as the API server sends it, in base64. By its key, not by the Secret's type: the two cannot disagree there. */
export function readPullSecret(data: SecretData): DockerConfig {
  const form = forms.find(({ key }) => Object.hasOwn(data, key));
  if (form === undefined) return { logins: [], problems: ['it has no Docker configuration'] };
  const source = fromBase64(data[form.key] ?? '');
  return source === undefined
    ? { logins: [], problems: [`its ${form.key} is no base64`] }
    : form.read(source);
}
