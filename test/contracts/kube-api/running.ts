import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { asked, type Stage } from './asking.ts';
import type { Reply } from './calling.ts';
import type { Case, Step } from './case.ts';
import type { Loopback } from './loopback.ts';
import { mismatches, valueAt } from './matching.ts';
import { filled, filledAll, type Names } from './place.ts';
import { expanded } from './shorthand.ts';

/** What came back of a step, and where it was not as expected. */
export type Seen = {
  readonly reply: Reply;
  readonly body: unknown;
  readonly off: readonly string[];
};

/** Throws at the first step that does not go as it is written. */
export async function run(stage: Stage, one: Case): Promise<void> {
  await begun(stage, one, async (step, names) => {
    const { off, reply } = await taken(stage, step, names);
    if (off.length > 0) throw new Error(failure(one, step, { off, reply }));
  });
}

/** The steps one after the other, in a namespace that nobody else has. */
export async function begun(
  stage: Stage,
  one: Case,
  each: (step: Step, names: Names) => Promise<void>,
): Promise<void> {
  const names = await placed(stage, one);
  for (const step of one.steps) await each(step, names);
}

/** A namespace and what answers at our own server, for one case. */
export async function placed(stage: Stage, one: Omit<Case, 'steps'>): Promise<Names> {
  const names = namesFor(stage.loopback);
  for (const [path, hook] of Object.entries(one.hooks ?? {})) {
    const at = filled(path.startsWith('/') ? path : `/{ns}/${path}`, names);
    stage.loopback.set(at, filledAll(hook, names) as typeof hook);
  }
  if (one.alone !== true) await makeNamespace(stage, names);
  return names;
}

async function makeNamespace(stage: Stage, names: Names): Promise<void> {
  const account = { metadata: { name: 'default' }, automountServiceAccountToken: false };
  const made: readonly Step[] = [
    { do: 'POST namespaces', send: { metadata: { name: '{ns}' } } },
    ...(stage.isControlled ? [] : [{ do: 'POST serviceaccounts', send: account }]),
  ];
  for (const step of made) {
    const { status, text } = await asked(stage, step, names);
    if (status !== 201) throw new Error(`no namespace: ${status} ${text}`);
  }
}

function namesFor({ port, ca }: Loopback): Names {
  return new Map([
    ['ns', `case-${randomBytes(5).toString('hex')}`],
    ['hooks', `https://127.0.0.1:${port}`],
    ['port', String(port)],
    ['ca', Buffer.from(ca).toString('base64')],
  ]);
}

export async function taken(stage: Stage, step: Step, names: Names): Promise<Seen> {
  const [first, second] = expanded(step);
  const seen = await repeated(stage, first ?? step, names);
  return second === undefined || seen.off.length > 0 ? seen : repeated(stage, second, names);
}

async function repeated(stage: Stage, step: Step, names: Names): Promise<Seen> {
  const until = performance.now() + (step.eventually === true ? stage.place.patienceMs : 0);
  for (;;) {
    const seen = await once(stage, step, names);
    if (seen.off.length === 0 || performance.now() >= until) {
      for (const [name, path] of Object.entries(step.save ?? {})) {
        names.set(name, String(valueAt(seen.body, path)));
      }
      return seen;
    }
    forgetLate(stage, step, names);
    await sleep(20);
  }
}

async function once(stage: Stage, step: Step, names: Names): Promise<Seen> {
  const reply = await answered(stage, step, names);
  // Some answers are large, and most are looked at only for their status.
  const isRead = step.with !== undefined || step.save !== undefined;
  const body = isRead ? bodyOf(step, reply) : undefined;
  return { reply, body, off: offIn(step, { reply, body }, names) };
}

/**
 * When the time of a request ends just as its handler begins to answer, the real server cuts the connection instead
 * of answering 504: what waits for a 504 asks again.
 */
async function answered(stage: Stage, step: Step, names: Names, cuts = 3): Promise<Reply> {
  try {
    return await asked(stage, step, names);
  } catch (error) {
    const isCut = error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
    if (step.gives !== 504 || !isCut || cuts === 0) throw error;
    forgetLate(stage, step, names);
    return answered(stage, step, names, cuts - 1);
  }
}

/** What our own server was asked by a request that ran out of time, and is made anew: once more is once. */
function forgetLate({ loopback }: Stage, { gives }: Step, names: Names): void {
  if (gives === 504) loopback.forget(names.get('ns') ?? '');
}

function offIn(step: Step, { reply, body }: Omit<Seen, 'off'>, names: Names): readonly string[] {
  const fill = (value: unknown) => filledAll(value, names);
  const warnings = warningsIn(reply);
  return [
    ...(step.gives === undefined ? [] : mismatches(reply.status, step.gives, 'status')),
    ...(step.with === undefined ? [] : mismatches(body, fill(step.with))),
    ...(step.text === undefined ? [] : mismatches(reply.text, fill(step.text), 'text')),
    ...(step.answers === undefined ? [] : mismatches(reply.headers, fill(step.answers), 'headers')),
    ...(step.warns === undefined ? [] : mismatches(warnings, fill(step.warns), 'warnings')),
  ];
}

/** Of several `299 - "…"` in one header. */
export function warningsIn({ headers }: Reply): readonly string[] {
  const header = headers['warning'];
  if (typeof header !== 'string') return [];
  return [...header.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(([, said = '']) =>
    said.slice(1, -1).replaceAll(/\\(.)/g, '$1'),
  );
}

function bodyOf({ do: what }: Step, { text }: Reply): unknown {
  try {
    return what.startsWith('WATCH') &&
      !text.includes('"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure"')
      ? text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      : JSON.parse(text);
  } catch {
    // Plain text: `404 page not found`, logs, metrics.
    return undefined;
  }
}

function failure({ title }: Case, step: Step, { off, reply }: Pick<Seen, 'off' | 'reply'>): string {
  const said = reply.text.slice(0, 600);
  return [`${title}: ${step.do}`, ...off, `answer: ${reply.status} ${said}`].join('\n');
}
