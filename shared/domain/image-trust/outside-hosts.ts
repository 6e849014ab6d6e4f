import type { OutsideHost } from '../outside.ts';
import type { ImageTrustSettings } from './settings.ts';
import { hostIn } from './user-trust.ts';

/** What the operator says of hosts. At which addresses is for his own questions: who else may lead us there he says beside it. */
export function outsideHosts({
  hosts,
  userHosts,
}: Pick<ImageTrustSettings, 'hosts' | 'userHosts'>): readonly OutsideHost[] {
  const named = new Set(userHosts.map(hostIn));
  return hosts.map((each) => ({ ...each, isForUsers: named.has(hostIn(each.host)) }));
}
