import { decode, list, record, text } from '../../decode.ts';
import { jsonIn } from '../../json.ts';
import { pointer } from '../../json-pointer.ts';
import type { Change } from '../../verdict.ts';
import { marks } from '../provenance.ts';

/** What the mutation has written on a pod of itself. */
export type Provenance = { readonly features: readonly string[]; readonly configuration: string };

const provenance = record({ features: list(text), configuration: text });

export function provenanceIn(annotations: Annotations): Provenance | undefined {
  const stated = annotations[marks.provenance];
  const result = typeof stated === 'string' ? decode(provenance, jsonIn(stated)) : undefined;
  return result?.ok ? result.value : undefined;
}

export type Annotations = Readonly<Record<string, unknown>>;

const whole = pointer('metadata', 'annotations');

/** What a mark becomes by these changes; `undefined` where it stays. */
export function markAfter(changes: readonly Change[], key: string): string | undefined {
  const own = pointer('metadata', 'annotations', key);
  for (const change of changes) {
    if (change.op === 'remove') continue;
    const { path, value } = change;
    if (path === own && typeof value === 'string') return value;
    const found =
      path === whole ? Object.entries(Object(value)).find(([name]) => name === key) : undefined;
    if (typeof found?.[1] === 'string') return found[1];
  }
  return undefined;
}

/** Whether the change is to the pod itself, and not to what is noted on it. */
export function isOfSubstance({ path }: Change): boolean {
  return path !== whole && !path.startsWith(`${whole}/`);
}
