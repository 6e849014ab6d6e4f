import type { Received } from '#shared/adapters/cluster/exchange.ts';
import type { Verb } from '../faults/verbs.ts';

/** One request, as far as a fault looks at it. */
export type Asked = {
  readonly verb: Verb | 'other';
  /** `pods`, `deployments.apps` */
  readonly resource: string;
};

/** What a request meets instead of its answer. */
export type Instead =
  | { readonly kind: 'refused'; readonly received: Received }
  /** The server does it, and the connection breaks before it can say so. */
  | { readonly kind: 'answer-lost' }
  | { readonly kind: 'slow'; readonly ms: number };

export type Rule = {
  readonly verbs: readonly Verb[];
  readonly resource?: string | undefined;
  /** So many that fit go by untouched first. */
  readonly after?: number | undefined;
  readonly times: number;
  readonly instead: Instead;
};

export type Rules = {
  add(rule: Rule): void;
  /** Of the first rule that fits and is not used up. */
  take(asked: Asked): Instead | undefined;
  /** How many rules have not struck as often as they should. */
  left(): number;
  clear(): void;
};

export function openRules(): Rules {
  let rules: { readonly rule: Rule; passed: number; struck: number }[] = [];
  return {
    add: (rule) => void rules.push({ rule, passed: 0, struck: 0 }),
    take(asked) {
      for (const each of rules.filter(({ rule }) => fits(rule, asked))) {
        each.passed += 1;
        if (each.passed <= (each.rule.after ?? 0)) continue;
        each.struck += 1;
        if (each.struck >= each.rule.times) rules = rules.filter((other) => other !== each);
        return each.rule.instead;
      }
      return undefined;
    },
    left: () => rules.length,
    clear: () => {
      rules = [];
    },
  };
}

function fits({ verbs, resource }: Rule, asked: Asked): boolean {
  return (
    verbs.some((verb) => verb === asked.verb) &&
    (resource === undefined || resource === asked.resource)
  );
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** A Status, as the API server answers it. */
export function statusAnswer(code: number, message: string, details: object = {}): Received {
  const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message };
  const reason = reasons[code] ?? 'Unknown';
  const text = JSON.stringify({ ...status, reason, metadata: {}, details });
  return { status: code, retryAfter: undefined, text };
}
