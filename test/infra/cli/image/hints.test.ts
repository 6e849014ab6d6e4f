import { describe, expect, it } from 'vitest';
import { hintLines } from '#infra/cli/image/hints.ts';
import { settingsFixed } from '#infra/emulator/testing/settings-fixed.ts';
import type { Judgement } from '#shared/domain/image-trust/judgement.ts';
import { good, trusted } from '#test/support/image-trust/judge-stated.ts';

const image = 'a.io/web:1';
const settings = settingsFixed().current();
const first: Judgement = { ...trusted(image, good), remarks: ['first-use'] };
const refused: Judgement = { kind: 'untrusted', why: 'registry-refused', note: '' };
const known = { databaseUrl: 'postgres://localhost/gatehouse', login: undefined };
const shown = { databaseUrl: undefined, login: '{}' };
const bare = { databaseUrl: undefined, login: undefined };

describe('a hint at a terminal', () => {
  it.each<[string, Judgement, object, string]>([
    ['a first use without a database', first, bare, 'with DATABASE_URL'],
    ['a first use beside a database', first, known, ''],
    ['what is known', trusted(image, good), bare, ''],
    ['a registry that refuses', refused, bare, '--login-file'],
    [
      'what only a kubelet’s plugin opens',
      refused,
      bare,
      "kubelets' credential providers are never",
    ],
    ['a Notary that refuses', { ...refused, why: 'notary-refused' }, known, '--login-file'],
    ['a registry that refuses a login', refused, shown, ''],
    ['what is not signed', { ...refused, why: 'not-signed' }, bare, ''],
  ])('is given where it helps: %s', (_, judgement, given, expected) => {
    const said = hintLines(
      { image, judgement, asked: undefined },
      { settings, databaseUrl: undefined, ...given },
    );
    expect(said.split(/ {2,}/)).toEqual(
      expected === '' ? [''] : ['', 'hint', expect.stringContaining(expected)],
    );
  });
});
