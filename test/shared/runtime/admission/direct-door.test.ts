import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { defineAdmission } from '#shared/define.ts';
import { anything } from '#shared/domain/decode.ts';
import { patch } from '#shared/domain/verdict.ts';
import { directDoor } from '#shared/runtime/admission/direct-door.ts';
import { listenSecurely, type SecureListening } from '#shared/runtime/listen.ts';
import { answerOf, patched, podWith, post, reviewOf, stage } from '../../../support/admission.ts';
import mirrorRegistry from '../../../support/functions/mirror-registry.ts';
import stampImages from '../../../support/functions/stamp-images.ts';
import { makeCa, makeLeaf, servername } from '../../../support/tls.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const path = '/mutate/pods';

function saying(text: string) {
  const changes = [{ op: 'add', path: '/metadata/labels', value: { text }, why: '' } as const];
  const handler = () => patch(changes);
  return defineAdmission({ ...mirrorRegistry, schema: anything, name: 'say', handler });
}

async function listening(functions: Parameters<typeof stage>[0]['functions']) {
  const staged = await stage({ functions });
  const ca = await makeCa();
  const server = await listenSecurely({
    address: '127.0.0.1',
    port: 0,
    minTls: '1.3',
    pair: await makeLeaf(ca),
    fetch: () => new Response('the app', { status: 418 }),
    direct: directDoor(staged.desk, staged.host),
  });
  const agent = new Agent({ keepAlive: true, ca: ca.certificate, servername });
  open.push({ close: () => agent.destroy() }, { close: () => server.close(0) });
  return { ...staged, server, agent, ca };
}

type To = { readonly server: SecureListening; readonly agent: Agent };

/** In so many pieces, each written when the one before is out. */
async function send({ server, agent }: To, body: string | Buffer, pieces = 1, at = path) {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const options = { host: '127.0.0.1', port: server.port, path: at, method: 'POST', headers };
  const call = request({ ...options, agent });
  const size = Math.ceil(body.length / pieces);
  for (let start = 0; start < body.length; start += size) {
    await new Promise((resolve) => call.write(body.slice(start, start + size), resolve));
  }
  call.end();
  const [response]: IncomingMessage[] = await once(call, 'response');
  if (response === undefined) throw new Error('no response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return { text, status: response.statusCode, connection: response.headers.connection };
}

describe('the direct door', () => {
  it('answers to the byte what the app answers', async () => {
    const to = await listening([mirrorRegistry, stampImages]);
    const readable = reviewOf({ object: podWith('registry.test/a:1', 'b:2') });

    for (const body of [JSON.stringify(readable), '{"kind":', '{}', ' ']) {
      const byApp = await post(to.app, path, body);
      expect(await send(to, body)).toMatchObject({ text: await byApp.text(), status: 200 });
    }
  });

  it('puts a body together that comes in pieces', async () => {
    const to = await listening([mirrorRegistry]);
    const object = podWith('registry.test/a:1', `registry.test/${'b'.repeat(40_000)}:1`);

    const { text } = await send(to, JSON.stringify(reviewOf({ object })), 5);
    expect(patched(object, await answerOf(new Response(text)))).toMatchObject({
      spec: { containers: [{ image: 'mirror.test/a:1' }, {}] },
    });
  });

  it.each([7, 40_000, 300_000])(
    'reads letters that are torn in two, of %i bytes',
    async (bytes) => {
      const handler = ({ object }: { object: unknown }) =>
        patch([{ op: 'add', path: '/spec', value: { echoed: JSON.stringify(object) }, why: '' }]);
      const echo = defineAdmission({ ...mirrorRegistry, schema: anything, name: 'echo', handler });
      const to = await listening([echo]);
      const told = '漢'.repeat(Math.ceil(bytes / 3));
      // One after another: of the longer body before nothing is left.
      for (const text of [told, told.slice(1)]) {
        const object = podWith(text);
        const body = Buffer.from(JSON.stringify(reviewOf({ object })));
        const answer = await answerOf(new Response((await send(to, body, 11)).text));
        expect(patched(object, answer)['spec']).toEqual({ echoed: JSON.stringify(object) });
      }
    },
  );

  it.each([
    ['short text', 'naïve – 漢字 🎉'],
    ['text too long for the patches’ own memory', '漢'.repeat(20_000)],
  ])('carries %s beyond Latin-1, in the patch and out of it', async (_, said) => {
    const to = await listening([saying(said)]);
    const review = reviewOf({ object: podWith('a'), uid: `uid-${said.slice(0, 3)}` });

    const { text } = await send(to, JSON.stringify(review));
    const answer = await answerOf(new Response(text));
    expect(answer.uid).toBe(`uid-${said.slice(0, 3)}`);
    expect(patched(podWith('a'), answer)).toMatchObject({ metadata: { labels: { text: said } } });
  });

  it('answers each of many that come at once with its own', async () => {
    const to = await listening([mirrorRegistry]);
    const uids = Array.from({ length: 40 }, (_, index) => `uid-${index}`);

    const answers = await Promise.all(
      uids.map((uid) => send(to, JSON.stringify(reviewOf({ object: podWith('a'), uid })))),
    );
    const said = await Promise.all(answers.map(({ text }) => answerOf(new Response(text))));
    expect(said.map(({ uid }) => uid)).toEqual(uids);
  });

  it('says that the connection ends once connections are given back', async () => {
    const to = await listening([mirrorRegistry]);
    const body = JSON.stringify(reviewOf({ object: podWith('a') }));
    expect((await send(to, body)).connection).toBe('keep-alive');

    to.server.startClosing();
    expect((await send(to, body)).connection).toBe('close');
  });

  it('leaves what is no plain review to the app', async () => {
    const to = await listening([mirrorRegistry]);
    const body = JSON.stringify(reviewOf({ object: podWith('a') }));

    expect((await send(to, body, 1, '/elsewhere')).status).toBe(418);
    expect((await send(to, body, 1, `${path}?timeout=1s&other=2`)).status).toBe(418);
    expect((await send(to, body, 1, `${path}?timeout=1s`)).status).toBe(200);
  });

  it('outlives a sender that leaves in the middle of its body', async () => {
    const to = await listening([mirrorRegistry]);
    const { port } = to.server;
    const socket = connect({ host: '127.0.0.1', port, ca: to.ca.certificate, servername });
    await once(socket, 'secureConnect');
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"kind"`,
      () => socket.destroy(),
    );
    await once(socket, 'close');

    const body = JSON.stringify(reviewOf({ object: podWith('a') }));
    expect((await send(to, body)).status).toBe(200);
    expect(to.counted.filter(({ what }) => what === 'unreadable')).toEqual([]);
  });

  it('answers 500 where the answer itself fails, and then the next one', async () => {
    const to = await listening([mirrorRegistry]);
    const failing = { ...to.host.meter, answered: () => JSON.parse('no meter') };
    Object.assign(to.host, { meter: failing });
    const body = JSON.stringify(reviewOf({ object: podWith('a') }));

    expect(await send(to, body)).toMatchObject({
      status: 500,
      text: 'this review could not be answered\n',
    });
    expect(to.logged.map(({ level }) => level)).toContain('error');
  });
});
