import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import { unavailable } from '#shared/domain/outside.ts';
import {
  both,
  next,
  none,
  old,
  report,
  rowsIn,
  signedTwoWays as world,
} from '#test/support/image-trust/reporting.ts';
import { notary } from '#test/support/image-trust/trust-world.ts';
import { basicFor } from '#test/support/registry/memory-registry.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-report-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('gatehouse image report on names', () => {
  it('says of each image which verifier would trust it, and why not', async () => {
    const { exit, out, lines } = await report(await world(), both, old, next, none);
    expect(exit).toBe(1);
    const [table = '', reasons = '', end] = out.split('\n\n');
    expect(table.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
      'PODS | NOTARY | COSIGN | IN FORCE | IMAGE',
      `- | trusted | trusted | trusted | ${both}`,
      `- | untrusted | trusted | untrusted | ${next}`,
      `- | untrusted | untrusted | untrusted | ${none}`,
      `- | trusted | untrusted | trusted | ${old}`,
    ]);
    expect(reasons).toContain(`${next}\n  notary    not-signed: `);
    expect(reasons).toMatch(new RegExp(`${old}\n( {2}notary .*\n)? {2}cosign {4}not-signed: `));
    expect(reasons).not.toContain('in force');
    expect(end).toBe('of 4 images may run, notary: 2, cosign: 2, in force: 2\n');
    expect(lines.at(-2)).toBe('4 of 4 looked at');
  });

  it.each<[string, readonly string[], 0 | 1 | 2]>([
    ['all may run by the rules in force', [both, old], 0],
    ['one may not', [both, next], 1],
    ['all pass the one that is asked about', [both, next, '--verifier', 'cosign'], 0],
    ['one does not pass the one that is asked about', [both, old, '--verifier', 'cosign'], 1],
  ])('tells scripts that %s', async (_, argv, exit) => {
    expect((await report(await world(), ...argv)).exit).toBe(exit);
  });

  it('tells scripts of the rules in force, whatever other verifiers say', async () => {
    const given = await world();
    const { cosign } = given.settings.current().imageTrust;
    const settings = settingsFixed({
      imageTrust: { notary: { URL: notary }, cosign, verifiers: ['cosign'] },
    } as object);
    expect((await report({ ...given, settings }, both, next)).exit).toBe(0);
    expect((await report({ ...given, settings }, both, old)).exit).toBe(1);
  });

  it('tells scripts that nobody can say', async () => {
    const given = await world();
    given.instead.rule = ({ url }) => unavailable('no-connection', url);
    const { exit, out } = await report(given, both, '-o', 'json');
    expect(exit).toBe(2);
    expect(rowsIn(out)).toMatchObject([{ by: expect.stringContaining('rules unavailable') }]);
  });

  it('says who did not answer, and why, whatever was asked of them', async () => {
    const given = await world();
    given.instead.rule = () => unavailable('no-connection', 'registry.example: ECONNREFUSED');
    const { out } = await report(given, both, old);
    expect(out).toMatch(/\n {2}not heard {2}registry\.example: nothing answers there [^\n]+\n/);
    const { unheard } = JSON.parse((await report(given, both, '-o', 'json')).out);
    expect(unheard).toContainEqual({
      host: 'registry.example',
      why: 'no-connection',
      about: 'ECONNREFUSED',
    });
  });

  it('reads a list, each name once', async () => {
    const { out } = await report(await world(), '-f', '-', '-o', 'json', '--verifier', 'notary');
    expect(rowsIn(out)).toEqual([
      { image: next, by: 'notary untrusted', namespaces: [], pods: 0 },
      { image: old, by: 'notary trusted', namespaces: [], pods: 0 },
    ]);
  });

  it('shows registry and Notary the logins of a file, and says where there are none', async () => {
    const given = await world();
    const { rule } = given.instead;
    given.instead.rule = (request) =>
      request.authorization === basicFor('ann', 'secret')
        ? rule?.(request)
        : answer(401, { 'www-authenticate': 'Basic realm="r"' });
    const file = join(folder, 'config.json');
    const login = { username: 'ann', password: 'secret' };
    const auths = { 'registry.example': login, 'notary.example': login };
    writeFileSync(file, JSON.stringify({ auths }));
    const settings = settingsFixed({ imageTrust: { notary: { URL: notary } } });
    const asked = { ...given, settings };
    expect((await report(asked, both)).exit).toBe(1);
    expect((await report(asked, both, '--login-file', file)).exit).toBe(0);
    writeFileSync(file, JSON.stringify({ credsStore: 'desktop', auths: {} }));
    await expect(report(asked, both, '--login-file', file)).rejects.toThrow(/there is no login/);
  });

  it('stops when it is told to, and tells what it has not looked at', async () => {
    const given = await world();
    const controller = new AbortController();
    const { rule } = given.instead;
    const names = Array.from({ length: 30 }, (_, at) => `registry.example/none-${at}:1`);
    given.instead.rule = (request) => {
      if (request.url.includes('/none-12/')) controller.abort();
      return rule?.(request);
    };
    const { exit, out, err } = await report(
      { ...given, signal: controller.signal },
      ...names,
      '-o',
      'json',
    );
    const { images, notAsked, complete } = JSON.parse(out);
    expect(images.length + notAsked).toBe(30);
    expect(notAsked).toBeGreaterThan(10);
    expect(err).toBe(`stopped; ${notAsked} were not looked at\n`);
    expect(complete).toBe(false);
    expect(exit).toBeGreaterThan(0);
  });
});
