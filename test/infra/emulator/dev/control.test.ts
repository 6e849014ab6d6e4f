import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Control, openControl } from '#infra/emulator/dev/control.ts';
import { readFault } from '#infra/emulator/world/faults/apply-fault.ts';
import { faults } from '#infra/emulator/world/faults/table.ts';

const turned: unknown[] = [];
let control: Control;

beforeAll(async () => {
  control = await openControl(async (stated) => {
    readFault(stated);
    if (JSON.stringify(stated).includes('busy')) throw new Error('not now');
    turned.push(stated);
  });
});

afterAll(() => control.close());

async function asked(method: 'GET' | 'POST', body?: string, token = control.token) {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${control.url}/faults`, { method, headers, body: body ?? null });
  return { status: answer.status, said: await answer.json() };
}

it('whoever has no token turns nothing, and is told where it stands', async () => {
  const fault = JSON.stringify({ name: 'compact' });
  const refused = { status: 401, said: { why: 'the token of endpoints.json is needed' } };
  expect(await asked('POST', fault, 'another')).toEqual(refused);
  expect(await asked('GET', undefined, '')).toEqual(refused);
  const answer = await fetch(`${control.url}/faults`, { method: 'POST', body: fault });
  expect(answer.status).toBe(401);
  expect(turned).toEqual([]);
});

it('all faults are told with how they are called', async () => {
  const { status, said } = await asked('GET');
  expect(status).toBe(200);
  expect(said).toHaveLength(faults.length);
  expect(said).toContainEqual({
    usage: expect.stringMatching(/^fail code /),
    breaks: expect.any(String),
    until: expect.any(String),
  });
});

it('a fault is turned', async () => {
  const answer = { status: 200, said: { kind: 'turned' } };
  expect(await asked('POST', '{"name":"slow","ms":20}')).toEqual(answer);
  expect(turned).toEqual([{ name: 'slow', ms: 20 }]);
});

it.each([
  ['no JSON', '{"name":', true],
  ['no object', '[]', true],
  ['no fault', '{"name":"explode"}', true],
  ['an argument that is none', '{"name":"slow","ms":"long"}', true],
  ['what is not possible now', '{"name":"gone","kind":"busy"}', false],
])('%s is refused with its reason', async (_, body, isMisread) => {
  const before = turned.length;
  expect(await asked('POST', body)).toEqual({
    status: 400,
    said: { why: expect.stringMatching(/./), isMisread },
  });
  expect(turned).toHaveLength(before);
});
