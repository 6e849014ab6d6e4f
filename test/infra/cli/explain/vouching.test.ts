// First: what is made from here on is of today.
import '#test/support/tuf/at-present.ts';

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import requireTrustedImages from '#functions/image-trust/require-trusted-images.ts';
import verifyPod from '#functions/image-trust/verify-pod.ts';
import { type ExplainOptions, explain } from '#infra/cli/explain.ts';
import { painter } from '#infra/cli/output.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { registered } from '#infra/emulator/world/registered.ts';
import { unavailable } from '#shared/domain/outside.ts';
import { notary, type TrustWorld, trustWorld } from '#test/support/image-trust/trust-world.ts';
import { basicFor } from '#test/support/registry/memory-registry.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-explain-images-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pod = `
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: shop }
spec:
  containers:
    - { name: app, image: 'registry.example/app:1' }
    - { name: side, image: 'registry.example/side:1' }
    - { name: free, image: 'free.example/any:1' }
`;

const shop = `
apiVersion: v1
kind: Namespace
metadata: { name: shop, labels: { namespaces.warden.kyma-project.io/validate: system } }
`;

type Given = Partial<ExplainOptions> & { readonly before?: (world: TrustWorld) => void };

async function explained({ output = 'text', before, ...options }: Given = {}) {
  const world = trustWorld();
  const lines: string[] = [];
  const digest = world.push('registry.example/app:1', 'app');
  world.push('registry.example/side:1', 'side');
  await world.sign('registry.example/app', { '1': digest });
  const namespaceFile = join(folder, 'shop.yaml');
  writeFileSync(namespaceFile, shop);
  const printed: string[] = [];
  before?.(world);
  await explain(
    { filename: '-', output, namespaceFile, ...options },
    {
      terminal: {
        print: (text) => printed.push(text),
        complain: () => undefined,
        read: async () => pod,
        paint: painter(false),
        progress: (line) => void lines.push(line),
      },
      load: async () => ({
        registry: registered([verifyPod, requireTrustedImages]),
        settings: settingsFixed({
          capabilities: ['image-trust'],
          imageTrust: { notary: { URL: notary, allowedRegistries: 'free.example' } },
        }).current(),
        outside: world.outside,
      }),
    },
  );
  return { text: printed.join(''), digest, lines };
}

describe('gatehouse explain, of images', () => {
  it('shows who vouched for each, by which key and until when, or why nobody did', async () => {
    const { text, digest } = await explained({ entry: '/mutate/pods' });
    const lines = text.split('\n').map((line) => line.trim());
    const [trusted, untrusted, allowed] = ['trusted', 'untrusted', 'allowed'].map((word) =>
      lines.findIndex((line) => line.startsWith(`${word} `)),
    );
    expect(lines.slice(trusted, trusted === undefined ? 0 : trusted + 8)).toEqual([
      'trusted  registry.example/app:1',
      `digest     ${digest}`,
      'signed as  registry.example/app:1',
      `notary     ${notary}`,
      expect.stringMatching(/^by {9}[0-9a-f]{64}$/),
      expect.stringMatching(/^until {6}\d{4}-\d\d-\d\dT/),
      expect.stringMatching(/^note {7}its root at /),
      'asked      notary',
    ]);
    expect(text).toContain('denied: Pod images registry.example/side:1 validation failed');
    expect(lines[untrusted ?? 0]).toBe('untrusted  registry.example/side:1');
    expect(lines[(untrusted ?? 0) + 1]).toMatch(/^not-signed: /);
    expect(lines[(allowed ?? 0) + 1]).toBe('needs no signature: free.example is on the list');
    expect(lines[(allowed ?? 0) + 2]).not.toMatch(/^asked/);
  });

  it('says the same to scripts', async () => {
    const { text, digest } = await explained({ output: 'json', entry: '/mutate/pods' });
    const [{ images, admitted, reasons }] = JSON.parse(text);
    expect({ admitted, reasons }).toEqual({
      admitted: false,
      reasons: ['Pod images registry.example/side:1 validation failed'],
    });
    expect(images).toMatchObject([
      { image: 'registry.example/app:1', kind: 'trusted', digest, by: { server: notary } },
      { image: 'registry.example/side:1', kind: 'untrusted', why: 'not-signed' },
      { image: 'free.example/any:1', kind: 'allowed', entry: 'free.example' },
    ]);
  });

  it('shows each image once, in the order of the pod, though the last word asks about what was pinned', async () => {
    const { text } = await explained();
    const shown = text.split('\n').filter((line) => /^(un)?(trusted|allowed) /.test(line));
    expect(shown).toEqual([
      'trusted  registry.example/app:1',
      'untrusted  registry.example/side:1',
      'allowed  free.example/any:1',
    ]);
  });

  it('says whom it waits for, and who did not answer and why', async () => {
    const before = ({ instead }: TrustWorld) => {
      instead.rule = ({ url }) =>
        url.startsWith('https://registry.example/v2/side/')
          ? unavailable('no-connection', 'ECONNREFUSED')
          : undefined;
    };
    const { text, lines } = await explained({ before });
    expect(text).toContain('  not heard  registry.example: nothing answers there (ECONNREFUSED)\n');
    expect(lines[0]).toBe('asking registry.example (1)');
    expect(lines.at(-1)).toBe('');
    const { text: json } = await explained({ before, output: 'json' });
    expect(JSON.parse(json)).toMatchObject([
      { unheard: [{ host: 'registry.example', why: 'no-connection', about: 'ECONNREFUSED' }] },
    ]);
  });

  it('shows the logins that it is given, whatever pull secrets the pod names', async () => {
    const loginFile = join(folder, 'login.json');
    const auth = Buffer.from('alice:secret').toString('base64');
    writeFileSync(loginFile, JSON.stringify({ auths: { 'registry.example': { auth } } }));
    const before = ({ instead }: TrustWorld) => {
      instead.rule = ({ url, authorization }) =>
        url.startsWith('https://registry.example/') && authorization !== basicFor('alice', 'secret')
          ? answer(401, { 'www-authenticate': 'Basic realm="x"' })
          : undefined;
    };
    expect((await explained({ before })).text).toContain('registry-refused: ');
    const { text } = await explained({ before, loginFile });
    expect(text).toContain('trusted  registry.example/app:1\n');
    expect(text).not.toContain('registry-refused');
  });
});
