import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Starting, startGatehouse } from '#test/support/gatehouse-process.ts';
import { makeCa, makeLeaf, servername } from '#test/support/tls.ts';

const directory = mkdtempSync(join(tmpdir(), 'gatehouse-strays-'));

beforeAll(async () => {
  const ca = await makeCa();
  const leaf = await makeLeaf(ca, servername);
  const files = { 'tls.crt': leaf.certificate, 'tls.key': leaf.key, 'ca.crt': ca.certificate };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  writeFileSync(join(directory, 'kubeconfig'), kubeconfig);
  writeFileSync(join(directory, 'throw-late.ts'), throwLate);
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

const kubeconfig = `
clusters: [{ name: c, cluster: { server: 'https://127.0.0.1:1' } }]
users: [{ name: u, user: { token: t } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
current-context: c
`;

const throwLate = `
import { allow, anything, defineAdmission } from 'gatehouse/define';

export default defineAdmission({
  name: 'throw-late',
  capability: 'my-team',
  phase: 'validate',
  trigger: { resources: ['configmaps'], operations: ['CREATE'] },
  schema: anything,
  uses: [],
  deadlineMs: 3_000,
  onFailure: 'deny',
  handler: async ({ object }) => {
    if (object.metadata.name === 'thrower') setTimeout(() => { throw new Error('nobody catches me'); }, 5);
    if (object.metadata.name === 'slow') await new Promise((resolve) => setTimeout(resolve, 500));
    return allow();
  },
});
`;

const serving = (more: Partial<Starting> = {}) =>
  startGatehouse({
    settings: {
      capabilities: ['my-team'],
      server: { address: '127.0.0.1', port: 0, probePort: 0, drainSeconds: 0 },
      certificates: { source: 'files', directory },
    },
    kubeconfig: join(directory, 'kubeconfig'),
    args: ['--role', 'admission', '--functions', directory],
    ...more,
  });

describe('a function that throws outside of its call', () => {
  it('ends the replica with an error, after the reviews that are under way', async () => {
    const gatehouse = await serving();
    const slow = post(gatehouse.port, 'slow');
    await post(gatehouse.port, 'thrower');
    expect(await slow).toMatchObject({ response: { allowed: true } });
    expect(await gatehouse.stop('SIGCONT')).toBe(1);
    expect(gatehouse.log()).toContain('nobody catches me');
    expect(gatehouse.log()).toContain('it ended because something was thrown outside of any call');
  }, 40_000);
});

describe('a signal to the whole group', () => {
  it('is one, though whoever started it says it again: what is under way is finished', async () => {
    const gatehouse = await serving({ isGroup: true });
    const slow = post(gatehouse.port, 'slow');
    // It is answered at once, and came later.
    await post(gatehouse.port, 'quick');
    const ended = gatehouse.stop('SIGTERM');
    expect(await slow).toMatchObject({ response: { allowed: true } });
    expect(await ended).toBe(0);
  }, 40_000);
});

function post(port: number, name: string): Promise<unknown> {
  const body = JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      ...{ uid: name, name, namespace: 'team', operation: 'CREATE' },
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      userInfo: {},
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'team' } },
    },
  });
  const options = { port, path: '/validate/throw-late', method: 'POST', agent: false as const };
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        ...{ ...options, host: '127.0.0.1', servername, rejectUnauthorized: false },
        headers: { 'content-type': 'application/json' },
      },
      async (answer) => {
        const chunks = await answer.toArray();
        resolve(JSON.parse(Buffer.concat(chunks).toString()));
      },
    );
    asked.on('error', reject).end(body);
  });
}
