import type { RepositoryPlace } from '../../registry/keyring.ts';
import type { Authority } from './settings.ts';

/** Those who answer for a repository: `registry.example/team` does not answer for `registry.example/team-evil`. */
export function answering(
  { registry, repository }: RepositoryPlace,
  authorities: readonly Authority[],
): readonly Authority[] {
  const name = `${registry}/${repository}/`;
  return authorities.filter(
    ({ prefixes }) =>
      prefixes.length === 0 ||
      prefixes.some((prefix) => prefix !== '' && name.startsWith(`${prefix.replace(/\/+$/, '')}/`)),
  );
}
