import { hostOf } from '../host-spelling.ts';

export type TopRole = 'root' | 'targets' | 'snapshot' | 'timestamp';

export const topRoles: readonly TopRole[] = ['root', 'targets', 'snapshot', 'timestamp'];

/** No dots: `targets/../root` cannot be written. */
const delegation = /^targets(?:\/[-a-z0-9_]+)+$/;

export function isDelegation(name: string): boolean {
  return name.length < 256 && delegation.test(name);
}

export function isChild(name: string, parent: string): boolean {
  return isDelegation(name) && name.slice(0, name.lastIndexOf('/')) === parent;
}

/** `targets/a/b` is reached by `targets`, `targets/a` and itself. */
function chainTo(role: string): readonly string[] {
  const steps = role.split('/');
  return steps.map((_, at) => steps.slice(0, at + 1).join('/'));
}

/** The delegations among them, and those on the way there; parents stand before their children. */
export function delegationsAmong(roles: readonly string[]): readonly string[] {
  return [...new Set(roles.filter(isDelegation).flatMap(chainTo))].filter(isDelegation);
}

const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const host = `(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const component = '[a-z0-9]+(?:(?:__|[._]|-+)[a-z0-9]+)*';
const gunForm = new RegExp(`^${host}(?:/${component})+$`);
const prefixForm = new RegExp(`^(?:${host}(?:/${component})*/*)?$`);

/** The name of a collection, `registry/repository`. It becomes a path at the server: nothing in it may climb. */
export function isGun(gun: string): boolean {
  return gun.length <= 512 && gunForm.test(gun);
}

/** `registry.example/team/*` would cover nothing, and what it was to pin would be trusted on first use. */
export function isPrefixOfGuns(prefix: string): boolean {
  return prefixForm.test(prefix);
}

/** At segment borders: `eu.example.io/kyma` covers `…/kyma/app`, never `…/kyma-evil`. Empty covers everything. */
export function covers(prefix: string, gun: string): boolean {
  const [start, name] = [inOneSpelling(prefix), inOneSpelling(gun)];
  return start === '' || name === start || name.startsWith(`${start}/`);
}

/** However its host is written: who names it in another way must not be rid of what is pinned. */
export function inOneSpelling(gun: string): string {
  const [host = '', ...path] = gun.replace(/\/+$/, '').split('/');
  return host === '' ? '' : [hostOf(host), ...path].join('/');
}
