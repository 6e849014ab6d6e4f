import type { RepositoryPlace } from '../../registry/keyring.ts';
import { covers } from '../tuf/names.ts';
import type { Authority } from './settings.ts';

/**
 * Those that answer for a repository: `registry.example/team` does not answer for `registry.example/team-evil`. However
 * hosts are written: a verdict is kept for all spellings of one.
 */
export function answering(
  { registry, repository }: RepositoryPlace,
  authorities: readonly Authority[],
): readonly Authority[] {
  const name = `${registry}/${repository}`;
  return authorities.filter(
    ({ prefixes }) =>
      prefixes.length === 0 || prefixes.some((prefix) => prefix !== '' && covers(prefix, name)),
  );
}
