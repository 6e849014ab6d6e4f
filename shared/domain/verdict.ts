import type { Operation } from './json-patch.ts';

/** An operation and why it was made: `explain` prints it, the API server never sees it. */
export type Change = Operation & { readonly why: string };

export type Verdict =
  | ({ readonly kind: 'allow' } & Remarks)
  | ({ readonly kind: 'patch'; readonly changes: readonly Change[] } & Remarks)
  | ({
      readonly kind: 'deny';
      readonly reasons: readonly [string, ...string[]];
      readonly code: number;
    } & Remarks);

/** Warnings are shown to whoever sent the request; audit annotations go to the API server's audit log. */
export type Remarks = {
  readonly warnings?: readonly string[];
  readonly audit?: Readonly<Record<string, string>>;
};

export function allow(...warnings: readonly string[]): Verdict {
  return warnings.length === 0 ? { kind: 'allow' } : { kind: 'allow', warnings };
}

/** No changes is the same answer as `allow`, so that a second application is an empty patch. */
export function patch(changes: readonly Change[], ...warnings: readonly string[]): Verdict {
  if (changes.length === 0) return allow(...warnings);
  return warnings.length === 0 ? { kind: 'patch', changes } : { kind: 'patch', changes, warnings };
}

export type Denial = Extract<Verdict, { kind: 'deny' }>;

export function deny(first: string, ...rest: readonly string[]): Denial {
  return { kind: 'deny', reasons: [first, ...rest], code: 403 };
}
