import type { RepositoryPlace } from './keyring.ts';

/** Asked before the registry itself. It is shown its own credentials, never those of the registry. */
export type RegistryMirror = {
  /** `docker.io` */
  readonly of: string;
  /** `mirror.example`, `mirror.example/hub`: what stands before the repository there. */
  readonly at: string;
};

export type Endpoint = RepositoryPlace & {
  /** Whom we connect to. */
  readonly host: string;
  readonly isMirror: boolean;
};

const dockerHub = 'docker.io';
const dockerHubHost = 'registry-1.docker.io';

/** Mirrors in their order, the registry itself last. */
export function endpointsOf(
  { registry, repository }: RepositoryPlace,
  mirrors: readonly RegistryMirror[],
): readonly Endpoint[] {
  const own = { registry, repository, host: registry === dockerHub ? dockerHubHost : registry };
  return [
    ...mirrors
      .filter(({ of }) => of.toLowerCase() === registry.toLowerCase())
      .map((mirror) => mirrored(mirror, repository)),
    { ...own, isMirror: false },
  ];
}

function mirrored({ at }: RegistryMirror, repository: string): Endpoint {
  const [host = '', ...path] = at.split('/').filter((part) => part !== '');
  return { registry: host, repository: [...path, repository].join('/'), host, isMirror: true };
}
