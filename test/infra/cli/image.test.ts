import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { addImage } from '#infra/cli/image.ts';
import { painter } from '#infra/cli/output.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { unavailable } from '#shared/domain/outside.ts';
import { readEnvironment } from '#shared/runtime/config.ts';
import { notary, trustWorld } from '#test/support/image-trust/trust-world.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const gun = 'registry.example/team/app';
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-image-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function open(more: object = {}, variables: Record<string, string> = {}) {
  const world = trustWorld();
  const digest = world.push(`${gun}:1.0`, 'good');
  await world.sign(gun, { '1.0': digest });
  const settings = settingsFixed({ imageTrust: { notary: { URL: notary }, ...more } });
  const printed: string[] = [];
  const lines: string[] = [];
  let exit = 0;
  const terminal = {
    print: (text: string) => void printed.push(text),
    complain: (text: string) => void printed.push(text),
    read: async () => '',
    paint: painter(false),
    progress: (line: string) => void lines.push(line),
  };
  const fail = (code = 1) => {
    exit = code;
  };
  const verify = async (...argv: readonly string[]) => {
    const program = new Command().exitOverride().configureOutput({ writeErr: terminal.complain });
    const { outside } = world;
    const now = () => new Date('2030-01-01T00:00:00Z');
    const sources = { settings: async () => settings.current(), outside, now };
    addImage(program, { terminal, environment: readEnvironment(variables), fail }, sources);
    await program.parseAsync(['image', 'verify', ...argv], { from: 'user' });
    return { exit, said: printed.join('') };
  };
  return { world, digest, lines, verify };
}

function namespaceFile(labels: object, annotations: object = {}): string {
  const file = join(folder, 'namespace.json');
  const metadata = { name: 'team-a', labels, annotations };
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata }));
  return file;
}

const mode = 'namespaces.warden.kyma-project.io/validate';

describe('gatehouse image verify', () => {
  it('says who vouched, by which key and until when', async () => {
    const { verify, digest, lines } = await open();
    const { exit, said } = await verify(`${gun}:1.0`);
    expect(exit).toBe(0);
    expect(said).toMatch(/^trusted {2}registry\.example\/team\/app:1\.0\n/);
    for (const part of [digest, notary, '2031-01-01T00:00:00Z']) expect(said).toContain(part);
    expect(said).toMatch(/by +[0-9a-f]{64}/);
    expect(lines[0]).toBe('asking registry.example (1)');
    expect(lines.at(-1)).toBe('');
  });

  it('says who is asked, and by which rule', async () => {
    const rule = { prefix: 'registry.example/team', need: 'all' as const };
    const registries = [{ ...rule, verifiers: ['notary', 'cosign'], authorities: ['release'] }];
    const authorities = [{ name: 'release', keyless: { issuer: 'i', identity: 'me' } }];
    const stated = { registries, cosign: { authorities } };
    const ruled = await (await open(stated)).verify(`${gun}:1.0`);
    expect(ruled.exit).toBe(1);
    expect(ruled.said).toContain(
      'asked      all of notary, cosign (release), by the rule of registry.example/team\n',
    );
    const { said } = await (await open(stated)).verify(`${gun}:1.0`, '-o', 'json');
    expect(JSON.parse(said)).toMatchObject({
      asked: { verifiers: ['notary', 'cosign (release)'], need: 'all', rule: rule.prefix },
    });
    expect((await (await open()).verify(`${gun}:1.0`)).said).toMatch(/asked +notary\n {2}hint/);
    expect((await (await open()).verify('UPPER')).said).not.toContain('asked');
  });

  it('tells scripts by its exit code what it found', async () => {
    const { verify, world } = await open();
    expect(await verify(`${gun}:2.0`, '-o', 'json')).toMatchObject({ exit: 1 });
    world.instead.rule = ({ url }) => unavailable('no-connection', url);
    expect(await verify(`${gun}:1.0`)).toMatchObject({ exit: 2 });
  });

  it('says who did not answer, and why', async () => {
    const { verify, world } = await open();
    world.instead.rule = ({ url }) =>
      url.startsWith(notary) ? unavailable('tls', 'notary.example: CERT_HAS_EXPIRED') : undefined;
    const { said } = await verify(`${gun}:1.0`);
    expect(said).toMatch(
      /\n {2}not heard {2}notary\.example: nobody there is trusted by TLS \(CERT_HAS_EXPIRED\);/,
    );
    const json = await open();
    json.world.instead.rule = world.instead.rule;
    const told = await json.verify(`${gun}:1.0`, '-o', 'json');
    expect(JSON.parse(told.said)).toMatchObject({
      kind: 'unavailable',
      unheard: [{ host: 'notary.example', why: 'tls', about: 'CERT_HAS_EXPIRED' }],
    });
  });

  it('says that the database does not, which nobody can do without at a first use', async () => {
    const away = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/gatehouse' };
    const { exit, said } = await (await open({}, away)).verify(`${gun}:1.0`);
    expect(exit).toBe(2);
    expect(said).toMatch(/not heard {2}DATABASE_URL: .*ECONNREFUSED/);
    expect(said).not.toContain('hint');
  });

  it('says what it could be given to know more', async () => {
    const first = await (await open()).verify(`${gun}:1.0`);
    expect(first.said).toContain('hint       with DATABASE_URL its root is held to');
    const { verify, world } = await open();
    world.instead.rule = () => answer(401, { 'www-authenticate': 'Basic realm="x"' });
    const { exit, said } = await verify(`${gun}:1.0`);
    expect(exit).toBe(1);
    expect(said).toMatch(/hint {7}--login-file has your logins shown to it[;\n]/);
    expect(said).not.toContain('not heard');
  });

  it('judges by the rules of the namespace that it is given', async () => {
    const { verify, world, digest } = await open();
    const server = 'https://own.example';
    await world.sign(gun, { '1.0': digest }, { server });
    const file = namespaceFile(
      { [mode]: 'user' },
      { 'namespaces.warden.kyma-project.io/notary-url': server },
    );
    const { exit, said } = await verify(`${gun}:1.0`, '--namespace-file', file, '-o', 'json');
    expect(exit).toBe(0);
    expect(JSON.parse(said)).toMatchObject({ kind: 'trusted', by: { server } });
  });

  it.each<[string, object, RegExp]>([
    ['is not verified', {}, /nothing is verified in team-a/],
    ['names no Notary', { [mode]: 'user' }, /annotations of team-a/],
  ])('refuses a namespace that %s as a mistake of usage', async (_, labels, said) => {
    const { verify } = await open();
    const file = namespaceFile(labels);
    await expect(verify(`${gun}:1.0`, '--namespace-file', file)).rejects.toThrow(said);
  });
});
