import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeLeaf } from '#test/support/tls.ts';
import { apiServer, asking, base64, ca, folder, kubeconfigOf } from './asked-over-tls.ts';

/** A program that prints what stands in `says`, and writes down each of its runs with what it was told. */
function plugin(more: object = {}) {
  const path = folder();
  const at = (name: string) => join(path, name);
  const script = `#!/bin/sh
printf '%s\\n' "$KUBERNETES_EXEC_INFO" >> '${at('runs')}'
while [ -e '${at('hangs')}' ]; do sleep 0.1; done
[ -e '${at('fails')}' ] && { echo 'who are you?' >&2; exit 3; }
sleep 0.05
cat '${at('says')}'
`;
  writeFileSync(at('plugin'), script);
  chmodSync(at('plugin'), 0o755);
  writeFileSync(at('runs'), '');
  const apiVersion = 'client.authentication.k8s.io/v1';
  const say = (status: object) =>
    writeFileSync(at('says'), JSON.stringify({ apiVersion, kind: 'ExecCredential', status }));
  return {
    user: { exec: { apiVersion, command: at('plugin'), interactiveMode: 'Never', ...more } },
    say,
    begin: (trouble: 'hangs' | 'fails') => writeFileSync(at(trouble), ''),
    end: (trouble: 'hangs' | 'fails') => rmSync(at(trouble)),
    runs: () => readFileSync(at('runs'), 'utf8').split('\n').filter(Boolean),
  };
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

describe('a kubeconfig with a plugin', () => {
  async function plugged(more: object = {}, deadlineMs?: number) {
    const server = await apiServer({ token: 'first' });
    const program = plugin(more);
    program.say({ token: 'first', expirationTimestamp: inHours(1) });
    const text = kubeconfigOf(server.url, program.user);
    return { server, program, ...(await asking({ kind: 'kubeconfig-text', text }, deadlineMs)) };
  }

  it('runs it once for all who ask at the same time, and not again before its credential is over', async () => {
    const { find, program } = await plugged();
    await Promise.all([find(), find(), find(), find()]);
    await find();
    expect(program.runs()).toHaveLength(1);
  });

  it('runs it again when its credential is over, without being refused first', async () => {
    const { find, watch, program, server } = await plugged();
    program.say({ token: 'first', expirationTimestamp: inHours(-1) });
    await find();
    expect(await watch()).toBe('open');
    program.say({ token: 'second', expirationTimestamp: inHours(1) });
    server.state.token = 'second';
    await find();
    expect(await watch()).toBe('open');
    expect(server.seen).toEqual(['first', 'first', 'second', 'second']);
  });

  it('runs it again where the server has had enough of a credential before it is over', async () => {
    const { find, watch, program, server } = await plugged();
    await find();
    expect(await watch()).toBe('open');
    program.say({ token: 'second', expirationTimestamp: inHours(1) });
    server.state.token = 'second';
    await find();
    expect(await watch()).toBe('open');
    expect(server.seen.slice(2)).toEqual(['first', 'second', 'first', 'second']);
  });

  it('takes a certificate of it as well', async () => {
    const { find, program, server } = await plugged();
    const client = await makeLeaf(ca, 'client');
    program.say({ clientCertificateData: client.certificate, clientKeyData: client.key });
    await find();
    expect(server.seen[0]).toMatch(/^certificate [0-9A-F]+$/);
  });

  it('tells it what kubectl would, and the cluster where it wants to know', async () => {
    const { find, program, server } = await plugged({ provideClusterInfo: true, env: null });
    await find();
    expect(program.runs().map((each) => JSON.parse(each))).toEqual([
      {
        apiVersion: 'client.authentication.k8s.io/v1',
        kind: 'ExecCredential',
        spec: {
          interactive: false,
          cluster: {
            server: server.url,
            'insecure-skip-tls-verify': false,
            'certificate-authority-data': base64(ca.certificate),
          },
        },
      },
    ]);
  });

  it('fails with what it said where it fails, and asks it again the next time', async () => {
    const { find, program } = await plugged();
    program.begin('fails');
    await expect(find()).rejects.toMatchObject({
      cause: { message: expect.stringContaining('who are you?') },
    });
    program.end('fails');
    expect(await find()).toMatchObject({ metadata: { name: 'default' } });
  });

  it('is waited for no longer than for an answer where it hangs', async () => {
    const { find, program } = await plugged({}, 300);
    program.begin('hangs');
    await expect(find()).rejects.toThrow('no answer within 300 ms');
    // On a busy machine it may not have begun by then.
    expect(program.runs().length).toBeLessThan(2);
  });
});
