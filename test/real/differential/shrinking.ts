import { isJsonObject } from '#shared/domain/json.ts';
import { type Both, type Finding, found } from './probing.ts';
import type { Step } from './step.ts';

const patience = 40;

/** With as few steps, fields and words as still show it. */
export async function shrunk(both: Both, finding: Finding): Promise<Finding> {
  let best = finding;
  for (let left = patience; left > 0; ) {
    const next = await smallerFinding(both, best, () => left-- > 0);
    if (next === undefined) return best;
    best = next;
  }
  return best;
}

async function smallerFinding(
  both: Both,
  { seed, steps, signature }: Finding,
  mayTry: () => boolean,
): Promise<Finding | undefined> {
  for (const fewer of smaller(steps)) {
    if (!mayTry()) return undefined;
    const again = await found(both, seed, fewer);
    if (again?.signature === signature) return again;
  }
  return undefined;
}

function* smaller(steps: readonly Step[]): Generator<readonly Step[]> {
  for (let at = steps.length - 2; at >= 0; at -= 1) {
    yield steps.filter((_, place) => place !== at);
  }
  for (const [at, step] of steps.entries()) {
    for (const each of smallerThan(step)) yield steps.with(at, each);
  }
}

function smallerThan(step: Step): readonly Step[] {
  const { query, headers, body } = step;
  const plain =
    headers['accept'] === 'application/json'
      ? []
      : [{ ...step, headers: { ...headers, accept: 'application/json' } }];
  const shorter = query.map((each, at) =>
    each.includes('metadata.n')
      ? step
      : { ...step, query: query.filter((__, place) => place !== at) },
  );
  return [...plain, ...shorter, ...smallerBodies(body).map((each) => ({ ...step, body: each }))];
}

function smallerBodies(body: Step['body']): readonly Step['body'][] {
  if (body?.kind === 'seen') {
    return body.edits.map((_, at) => ({
      ...body,
      edits: body.edits.filter((__, place) => place !== at),
    }));
  }
  if (body?.kind !== 'json') return [];
  const { value } = body;
  if (Array.isArray(value))
    return value.length < 2
      ? []
      : value.map((_, at) => ({ ...body, value: value.filter((__, place) => place !== at) }));
  return without(value, 0).map((each) => ({ ...body, value: each as never }));
}

function without(value: unknown, depth: number): readonly unknown[] {
  if (!isJsonObject(value) || depth > 2) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const { [key]: _, ...others } = value;
    return [others, ...without(each, depth + 1).map((smaller) => ({ ...value, [key]: smaller }))];
  });
}
