import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import followBootstrapDocument from '#functions/pod-bootstrap/follow-bootstrap-document.ts';
import { sayError } from '#infra/cli/output.ts';
import { addRender } from '#infra/cli/render.ts';
import { type Partly, settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { Definition } from '#shared/define.ts';
import type { Settings } from '#shared/domain/settings.ts';
import { samples } from '../deploy/samples.ts';

/** The program as a user calls it, but for the process around it. */
async function run(
  args: readonly string[],
  settings: Partly<Settings> = {},
  hasOwn = false,
  definitions: readonly Definition[] = samples,
) {
  const written: string[] = [];
  const errors: string[] = [];
  const write = (text: string) => void written.push(text);
  const writeErr = (text: string) => {
    errors.push(text);
    write(text);
  };
  const program = new Command('gatehouse')
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr });
  addRender(program, async () => ({
    definitions,
    settings: settingsFixed(settings).current(),
    hasOwn,
  }));
  const failed = await program.parseAsync(['render', ...args], { from: 'user' }).then(
    () => false,
    (cause: unknown) => {
      if (cause instanceof CommanderError) return cause.exitCode !== 0;
      written.push(sayError(cause, { debug: false }));
      return true;
    },
  );
  return { failed, text: written.join(''), errors: errors.join('') };
}

function kindsIn(text: string): readonly string[] {
  return parseAllDocuments(text).map((document) => document.toJS().kind);
}

describe('gatehouse render', () => {
  it("tells the server where its image carries the user's own functions", async () => {
    const args = ['-t', 'kubernetes', '--functions-in-image', '/mine'];
    expect((await run(args, {}, true)).text).toMatch(/GATEHOUSE_FUNCTIONS\n\s+value: "?\/mine/);
    expect((await run(args)).text).not.toContain('GATEHOUSE_FUNCTIONS');
  });

  it('writes one stream of manifests', async () => {
    const { failed, text } = await run(['--target', 'kubernetes', '--image', 'corp/gatehouse:7']);

    expect(failed).toBe(false);
    expect(kindsIn(text)).toContain('MutatingWebhookConfiguration');
    expect(text).toContain('image: corp/gatehouse:7');
  });

  it('says which namespaces must be there before, and is silent where it makes its own alone', async () => {
    const args = ['-t', 'kubernetes'];
    const podBootstrap = { configMap: { namespace: 'platform' } };
    const { failed, errors } = await run(args, { podBootstrap }, false, [
      ...samples,
      followBootstrapDocument,
    ]);
    expect(failed).toBe(false);
    expect(errors).toMatch(/^namespace platform must be there before .*\n$/);
    expect((await run(args)).errors).toBe('');
  });

  it('lays its options over the settings, also over those that the cluster will read', async () => {
    const { text } = await run([
      ...['--target', 'kubernetes', '--namespace', 'gatehouse-two', '--replicas', '3'],
      ...['--certificates', 'cert-manager'],
    ]);

    expect(text).toContain('replicas: 3');
    expect(text).toContain('namespace: gatehouse-two');
    expect(text).not.toContain('gatehouse-system');
    expect(text).toContain('source: files');
    expect(kindsIn(text)).toContain('Issuer');
  });

  it.each(['self', 'files'] as const)(
    'issues as the settings say where nobody says otherwise: %s',
    async (source) => {
      const { text } = await run(['--target', 'kubernetes'], { certificates: { source } });

      expect(kindsIn(text)).not.toContain('Issuer');
      expect(text.includes('secretName: gatehouse-certificates')).toBe(source === 'files');
    },
  );

  it('writes serverless.yml, and with a host what the cluster needs', async () => {
    const { text: serverless } = await run(['--target', 'lambda']);
    const { text: cluster } = await run(['--target', 'lambda', '--host', 'api.example.com']);

    expect(serverless).toContain('service: gatehouse\n');
    expect(kindsIn(cluster)).toContain('MutatingWebhookConfiguration');
    expect(cluster).toContain('url: https://api.example.com/mutate/stamp-pool');
  });

  it('writes files where a folder is named, and nothing to the stream', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'render-'));

    const { text } = await run([
      ...['--target', 'lambda', '--host', 'api.example.com', '--output', folder],
    ]);

    expect(text).toBe('');
    expect(await readdir(folder)).toEqual(
      expect.arrayContaining([
        'kustomization.yaml',
        'mutatingwebhookconfiguration-gatehouse.yaml',
        'serverless.yml',
        'serviceaccount-gatehouse-lambda.yaml',
      ]),
    );
  });

  it.each([
    ['no target', [], '--target'],
    ['an unknown target', ['--target', 'nomad'], 'Allowed choices are kubernetes, knative, lambda'],
    [
      'an unknown issuer',
      ['--target', 'knative', '--certificates', 'x'],
      'Allowed choices are self',
    ],
    [
      'a namespace that is none',
      ['--target', 'knative', '--namespace', 'A_B'],
      'lower-case letters',
    ],
    ['no image', ['--target', 'knative', '--image', ''], 'it is empty'],
    [
      'an image that nobody can pull',
      ['--target', 'kubernetes', '--image', 'no such image!'],
      'is no name of an image: it does not have the form [registry/]repository',
    ],
    ['no replicas', ['--target', 'knative', '--replicas', '0'], 'from 1 to 99'],
    ['a host with a scheme', ['--target', 'lambda', '--host', 'https://x.y'], 'without scheme'],
    ['a host elsewhere', ['--target', 'knative', '--host', 'x.y'], '--host is for --target lambda'],
    ['separate on lambda', ['--target', 'lambda', '--separate'], '--separate is for'],
    [
      'a database elsewhere',
      ['--target', 'knative', '--database', 'x'],
      'Allowed choices are secret',
    ],
    [
      'a shared namespace for what fails closed',
      ['--target', 'kubernetes', '--namespace', 'kyma-system'],
      'kyma-system holds other workloads',
    ],
  ])('fails and says why, given %s', async (_, args, why) => {
    const { failed, text } = await run(args);

    expect(failed).toBe(true);
    expect(text).toContain(why);
  });

  it('explains itself', async () => {
    const { text } = await run(['--help']);

    for (const option of ['--target', '--separate', '--certificates', '--image', '--namespace'])
      expect(text).toContain(option);
    expect(text).toContain('kubectl apply --server-side');
  });
});
