import type { GroupVersionKind } from '../../parts.ts';
import { type Refusal, refusal } from '../../refusal.ts';
import type { Errors } from './place.ts';

/** The 422 of the real server: one error as it is, several in a list, the same one once. */
export function invalidObject(
  { group, kind }: GroupVersionKind,
  name: string,
  errors: Errors,
): Refusal {
  const said = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const why = said.length === 1 ? said.join() : `[${said.join(', ')}]`;
  const causes = errors.map(({ field, reason, message }) => ({ reason, message, field }));
  return refusal(422, {
    reason: 'Invalid',
    message: `${group === '' ? kind : `${kind}.${group}`} "${name}" is invalid: ${why}`,
    details: { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind, causes },
  });
}
