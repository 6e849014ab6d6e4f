import type { Condition } from '../condition.ts';
import { labels, manager } from '../installation.ts';
import type { KubeObject } from '../kube-object.ts';
import { bundledConfigurations, observe, ownConfigurations } from './ca-bundle.ts';
import { isOurs } from './secret.ts';

const name = 'ca-bundle';

/** Whether API servers are told what to trust, for operators. */
export function bundleCondition(
  found: readonly (KubeObject | undefined)[],
  authorities: readonly string[],
  names: readonly string[],
): Condition {
  if (authorities.length === 0) return { name, holds: false, why: 'there is no CA yet' };
  const there = found.filter((configuration) => configuration !== undefined);
  if (there.length === 0) return { name, holds: false, why: missing() };
  if (!there.some(isOurs)) return { name, holds: false, why: unlabelled(there) };
  // While a rotation spreads, each entry carries some of them: one that carries none is an outage.
  const { lacking } = observe(ownConfigurations(found), names, (trusted) =>
    trusted.some((authority) => authorities.includes(authority)),
  );
  if (lacking.length > 0) return { name, holds: false, why: `${lacking.join(', ')} lost its CA` };
  return { name, holds: true, why: 'every entry carries the CA' };
}

function missing(): string {
  const names = bundledConfigurations.map((each) => `${each.kind.kind} ${each.name}`);
  return `there is no webhook configuration: apply what gatehouse render prints (looked for ${names.join(', ')})`;
}

function unlabelled(there: readonly KubeObject[]): string {
  const names = there.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  return `${names.join(', ')}: not labelled ${labels.managedBy}=${manager}, so left alone`;
}
