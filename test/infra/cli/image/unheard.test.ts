import { describe, expect, it } from 'vitest';
import { listening, unheardText } from '#infra/cli/image/unheard.ts';
import { type Outside, type OutsideAnswer, refused, unavailable } from '#shared/domain/outside.ts';
import { answer } from '#test/support/tuf/notary-server.ts';

const url = 'https://registry.example:5000/v2/';

async function heard(...answers: readonly OutsideAnswer[]) {
  const left = [...answers];
  const outside: Outside = {
    read: async () => left.shift() ?? answer(200),
    originOf: (host) => `https://${host}`,
    close: () => undefined,
  };
  const lines: string[] = [];
  const { door, take } = listening(outside, (line) => lines.push(line));
  for (const _ of answers) {
    const { signal } = new AbortController();
    await door.read({ url, reach: 'internal', maxBytes: 1, signal });
  }
  return { said: take().map(unheardText), again: take(), lines };
}

const at = (text: string) => `registry.example:5000: ${text}`;

describe('who was not heard', () => {
  it.each<[string, OutsideAnswer, string]>([
    ['no name', unavailable('no-address', at('ENOTFOUND')), 'its name leads to no address'],
    ['nobody there', unavailable('no-connection', at('ECONNREFUSED')), 'nothing answers there'],
    ['another authority', unavailable('tls', at('CERT')), 'under ca of that host'],
    ['a reset', unavailable('broken-off', at('ECONNRESET')), 'it breaks off (ECONNRESET)'],
    ['a hang', unavailable('too-slow', 'registry.example:5000'), 'does not answer in time'],
    ['a closed address', refused('address', '127.0.0.1 is loopback'), 'addresses of that host'],
    ['plain http', refused('plain-http', 'x is not configured as plain http'), 'plainHttp of'],
    ['a redirect', refused('redirect', 'more than 5 redirects'), 'it sends us where we do not go'],
    ['an error of its own', answer(503), 'it answers with 503'],
    ['too many requests', answer(429), 'it answers with 429'],
  ])('is told with what to do about it: %s', async (_, given, text) => {
    const { said } = await heard(given);
    expect(said).toEqual([expect.stringMatching(/^registry\.example:5000: (?!registry)/)]);
    expect(said[0]).toContain(text);
  });

  it.each<[string, OutsideAnswer]>([
    ['an answer', answer(200)],
    ['a refusal', answer(401)],
    ['a no', answer(404)],
    ['somebody whom nobody waited for', unavailable('given-up', at('x'))],
  ])('is not %s', async (_, given) => {
    expect((await heard(given)).said).toEqual([]);
  });

  it('is told once, and whom we wait for as it happens', async () => {
    const { said, again, lines } = await heard(answer(503), answer(503), answer(500));
    expect(said).toHaveLength(2);
    expect(again).toEqual([]);
    expect(lines).toEqual([1, 2, 3].map((count) => `asking registry.example:5000 (${count})`));
  });
});
