import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plan } from '#infra/deploy/plan.ts';
import { forwarderManifests, workerManifests } from '#infra/deploy/queue-roles.ts';
import { kubeconfigFor } from '#infra/emulator/cluster/serving/kubeconfig.ts';
import type { Login } from '#shared/adapters/cluster/login.ts';
import { isJsonObject } from '#shared/domain/json.ts';
import type { KubeObject } from '#shared/domain/kube-object.ts';
import { objectOf } from '../cluster/place.ts';
import { targetOf } from './installing.ts';
import type { Place } from './place.ts';

const kinds = ['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'];

export type Account = { readonly login: Login; remove(): Promise<void> };

/** What the rendered forwarder and the rendered worker may do, in one account, and nothing else. */
export async function renderedAccount(place: Place, plan: Plan): Promise<Account> {
  const { cluster, installer, server } = place;
  const { namespace } = plan.settings.installation;
  const all = [...forwarderManifests(plan, 'postgres'), ...workerManifests(plan)];
  const rights = all.filter(({ kind }) => kinds.includes(kind)).map(ofWorker);
  const options = { fieldManager: 'render', force: true };
  for (const each of rights) objectOf(await cluster.apply(targetOf(each), each, options));
  const token = await installer.token({ namespace, name: 'gatehouse-worker' });
  const path = join(mkdtempSync(join(tmpdir(), 'account-')), 'kubeconfig');
  const given = { server: server.url, ca: server.ca, name: 'account', user: { token } };
  writeFileSync(path, kubeconfigFor(given), { mode: 0o600 });
  return {
    login: { kind: 'kubeconfig', path },
    async remove() {
      for (const each of rights) await cluster.delete(targetOf(each));
    },
  };
}

/** One process does the work of both. */
function ofWorker(object: KubeObject): KubeObject {
  const { subjects } = object;
  if (!Array.isArray(subjects)) return object;
  const renamed = subjects
    .filter(isJsonObject)
    .map((each) => ({ ...each, name: 'gatehouse-worker' }));
  return { ...object, subjects: renamed };
}
