import { asker, type Question } from '#shared/adapters/cluster/ask.ts';
import { type Login, openSession } from '#shared/adapters/cluster/login.ts';
import { found, stageNodes } from './kit.ts';

type Server = { readonly login: Login; readonly url: string; readonly ca: string };

const group = 'rbac.authorization.k8s.io';
const limits = { deadlineMs: 30_000, maxAnswerBytes: 1_000_000, userAgent: 'test' };
const name = 'spokesman';
const namespace = 'kube-system';
const account = { kind: 'ServiceAccount', name, namespace };

/** Whom it may speak for: of accounts those of `kube-system`, in which are no people. */
const people = ['system:kube-controller-manager', 'system:kube-scheduler'];
const nodes = stageNodes.map((node) => `system:node:${node.name}`);
const verbs = ['impersonate'];
const apiGroups = [''];
const named = [
  { verbs, apiGroups, resources: ['users'], resourceNames: [...people, ...nodes] },
  { verbs, apiGroups, resources: ['groups'], resourceNames: ['system:nodes'] },
];

/** A login that may nothing but speak for others: what would be done by its own, the admin's or all rights is refused. */
export async function spokesmanAt({ login, url, ca }: Server): Promise<Login> {
  const session = await openSession(login);
  const ask = asker(session, limits);
  const post = (path: string, body: object) => {
    const question: Question = { what: path, method: 'POST', path, body };
    // The namespaces of a server that has just begun may come after it.
    return found(async () => {
      const { status, body: made } = await ask(question);
      return status === 201 ? Object(made) : undefined;
    });
  };
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await post(accounts, { metadata: { name } });
  await allow(post, { kind: 'ClusterRole', prefix: '', rules: named });
  const inside = [{ verbs, apiGroups, resources: ['serviceaccounts'] }];
  await allow(post, { kind: 'Role', prefix: `/namespaces/${namespace}`, rules: inside });
  const { status } = await post(`${accounts}/${name}/token`, { spec: {} });
  session.close();
  return { kind: 'direct', server: url, ca, by: { token: status.token } };
}

type Allowing = {
  readonly kind: 'ClusterRole' | 'Role';
  readonly prefix: string;
  readonly rules: readonly object[];
};

async function allow(
  post: (path: string, body: object) => Promise<unknown>,
  { kind, prefix, rules }: Allowing,
): Promise<void> {
  const at = `/apis/${group}/v1${prefix}/${kind.toLowerCase()}`;
  await post(`${at}s`, { metadata: { name }, rules });
  const roleRef = { apiGroup: group, kind, name };
  await post(`${at}bindings`, { metadata: { name }, roleRef, subjects: [account] });
}
