import { describe, expect, it } from 'vitest';
import { type No, refusedFrom } from '#shared/adapters/cluster/stream/refused.ts';

function no(status: number, more: Partial<No> = {}): No {
  return { status, why: 'why', reasons: [], afterSeconds: undefined, ...more };
}

const ahead = ['Timeout', 'ResourceVersionTooLarge'];

describe('refusedFrom', () => {
  it.each<[string, No, string | undefined]>([
    ['410', no(410), 'expired'],
    ['the reason Expired under another code', no(500, { reasons: ['Expired'] }), 'expired'],
    ['the reason Gone', no(400, { reasons: ['Gone'] }), 'expired'],
    ['404', no(404), 'absent'],
    ['401', no(401), 'forbidden'],
    ['403', no(403), 'forbidden'],
    ['408', no(408), 'busy'],
    ['429', no(429), 'busy'],
    ['500', no(500), 'busy'],
    ['503 of a dead API', no(503), 'busy'],
    ['504', no(504, { reasons: ['Timeout'] }), 'busy'],
    ['504 for a version from the future', no(504, { reasons: ahead }), 'ahead'],
    ['the same in words alone', no(504, { why: 'Too large resource version: 9' }), 'ahead'],
    ['400', no(400), 'unsupported'],
    ['405', no(405), 'unsupported'],
    ['406', no(406), 'unsupported'],
    ['422', no(422), 'unsupported'],
    ['500 of an old etcd', no(500, { why: 'RequestWatchProgress is disabled' }), 'unsupported'],
    ['a redirect', no(302), undefined],
    ['a conflict', no(409), undefined],
  ])('understands %s', (_, answer, kind) => {
    expect(refusedFrom(answer)?.kind).toBe(kind);
  });

  it('hands on how long to wait', () => {
    expect(refusedFrom(no(429, { afterSeconds: 7 }))).toMatchObject({ afterSeconds: 7 });
  });
});
