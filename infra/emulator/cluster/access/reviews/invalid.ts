import type { FieldError } from '../../parts.ts';
import { type Refusal, refusal } from '../../refusal.ts';

type What = { readonly group: string; readonly kind: string };

const inOrder = ({ reason, message, field }: FieldError) => ({ reason, message, field });

/** 422 with one cause. What has no name of its own is called `""`. */
export function invalid({ group, kind }: What, cause: FieldError): Refusal {
  return refusal(422, {
    reason: 'Invalid',
    message: `${kind}.${group} "" is invalid: ${cause.field}: ${cause.message}`,
    details: { group, ...(kind !== '' && { kind }), causes: [inOrder(cause)] },
  });
}
