import type { ImageName } from '../image.ts';
import type { OutsideHost } from '../outside.ts';
import { isWithin, type Place, readEntry } from './allow-list.ts';
import { hostOf } from './host-spelling.ts';
import type { TrustRules, Vouching } from './rules.ts';

export type AskedVouching = Vouching & {
  /** Of the rule that decides; none where it is what holds for all others. */
  readonly prefix: string | undefined;
};

/** By the name that is signed, whatever mirror it is pulled from. */
export function vouchingFor(
  signed: ImageName,
  { verifiers, need, registries }: Pick<TrustRules, 'verifiers' | 'need' | 'registries'>,
): AskedVouching {
  const asked = { ...signed, registry: hostOf(signed.registry) };
  // All that cover one name begin it: the longer path is the more exact one.
  const [rule] = registries
    .flatMap((each) => {
      const place = placeOf(each.prefix);
      return place !== undefined && isWithin(asked, place) ? [{ ...each, place }] : [];
    })
    .toSorted((one, other) => depthOf(other.place) - depthOf(one.place));
  if (rule === undefined) return { verifiers, need, prefix: undefined };
  return { verifiers: rule.verifiers, need: rule.need, prefix: rule.prefix };
}

export const aPrefix = 'a registry or a path such as registry.example/team, without tag and digest';

export function isPrefix(text: string): boolean {
  return placeOf(text) !== undefined;
}

/** However they are written: `nginx` is `docker.io/library/nginx`. */
export function isEachOnce(prefixes: readonly string[]): boolean {
  const places = prefixes.map((prefix) => {
    const { registry, repository = '' } = placeOf(prefix) ?? { registry: prefix };
    return `${registry}/${repository}`;
  });
  return new Set(places).size === places.length;
}

function placeOf(prefix: string): Place | undefined {
  const read = readEntry(prefix);
  if (!read.ok || read.place.tag !== undefined || read.place.digest !== undefined) return undefined;
  return { ...read.place, registry: hostOf(read.place.registry) };
}

type Prefixed = { readonly prefix: string };
type PlainHost = Pick<OutsideHost, 'host' | 'plainHttp'>;

/**
 * Without TLS the usual port is 80: a rule for either spelling is one for both, or the port that needs no saying would lead
 * around it. What is stated goes before what follows from it.
 */
export function withUsualPort<T extends Prefixed>(
  rules: readonly T[],
  hosts: readonly PlainHost[],
): readonly T[] {
  const plain = new Set(hosts.flatMap((each) => (each.plainHttp ? [plainHostOf(each.host)] : [])));
  const others = rules.flatMap((rule) => {
    const place = placeOf(rule.prefix);
    if (place === undefined || !plain.has(plainHostOf(place.registry))) return [];
    const prefix = `${otherSpelling(place.registry)}${place.repository ? `/${place.repository}/` : ''}`;
    return [{ ...rule, prefix }];
  });
  return [...rules, ...others];
}

function plainHostOf(host: string): string {
  return URL.parse(`http://${host}`)?.host ?? host;
}

/** Another port than 80 stays what it is. */
function otherSpelling(registry: string): string {
  const bare = plainHostOf(registry);
  return bare === registry ? `${bare}:80` : bare;
}

function depthOf({ repository = '' }: Place): number {
  return repository.length;
}
