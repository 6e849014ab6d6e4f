import { openRegistry } from '#shared/adapters/registry/open-registry.ts';
import type { RegistryOptions } from '#shared/adapters/registry/tools.ts';
import type { Outside } from '#shared/domain/outside.ts';
import type { Credential, KnownLogin, RegistryLogin } from '#shared/domain/registry/credential.ts';
import type { RegistryAccess } from '#shared/domain/registry/registry.ts';
import type { World } from './outside-world.ts';
import type { Script } from './scripted-host.ts';

export type Time = { now: number };

export function registryOver(
  outside: Outside,
  options: Partial<RegistryOptions> = {},
  time: Time = { now: Date.parse('2030-01-01T00:00:00Z') },
) {
  return openRegistry(
    { outside, now: () => time.now },
    { mirrors: [], tokenServers: {}, deadlineMs: 10_000, ...options },
  );
}

/** One registry that answers by this script, and a repository in it. */
export async function registryIn(world: World, script: Script, repository = 'team/app') {
  const host = await world.open('registry.test', script);
  return {
    host,
    place: { registry: host.host, repository },
    registry: registryOver(world.outside()),
  };
}

export function as(
  logins: readonly RegistryLogin[] = [],
  more: Partial<RegistryAccess> = {},
): RegistryAccess {
  return { logins, reach: 'internal', signal: new AbortController().signal, ...more };
}

export function passwordAt(place: string, username: string, password: string): KnownLogin {
  return { place, credential: { kind: 'password', username, password } };
}

export function tokenAt(
  place: string,
  kind: Exclude<Credential['kind'], 'password'>,
  token: string,
) {
  return { place, credential: { kind, token } };
}
