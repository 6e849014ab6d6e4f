import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import type { Caller, Reply } from './calling.ts';
import type { Place } from './place.ts';

export type Ruling = {
  readonly library: string;
  readonly rule: string;
  /** `holds`, `fails`, `does not compile`, or what its evaluation says. */
  readonly says: string;
};

type Stated = string | { readonly rule: string; readonly says: string };

/** The functions of the CEL libraries, each in a rule of its own. */
export function rulings(): readonly Ruling[] {
  const page = readFileSync(new URL('rules.yaml', import.meta.url), 'utf8');
  const libraries = Object.entries(parse(page) as Readonly<Record<string, readonly Stated[]>>);
  return libraries.flatMap(([library, rules]) =>
    rules.map((each) =>
      typeof each === 'string'
        ? { library, rule: each, says: 'holds' }
        : { library, rule: each.rule, says: each.says },
    ),
  );
}

const text = { type: 'string', maxLength: 9 };
const schema = {
  type: 'object',
  properties: {
    name: text,
    absent: text,
    numbers: { type: 'array', maxItems: 3, items: { type: 'integer' } },
    texts: { type: 'array', maxItems: 3, items: text },
    labels: { type: 'object', maxProperties: 3, additionalProperties: text },
  },
};
const self = {
  name: 'abc',
  numbers: [3, 1, 2],
  texts: ['b', 'a'],
  labels: { x: 'one', y: 'two' },
};

type Where = { readonly place: Place; readonly caller: Caller };

/** What becomes of each rule. */
export async function judged(
  where: Where,
  all: readonly Ruling[],
): Promise<ReadonlyMap<string, string>> {
  const libraries = Object.values(Object.groupBy(all, ({ library }) => library));
  const maps = libraries.map((each = []) =>
    judgedTogether(
      where,
      each.map(({ rule }) => rule),
    ),
  );
  return new Map((await Promise.all(maps)).flatMap((map) => [...map]));
}

/** Rules stand in one definition, each on a field of its own, and are judged by one object. */
async function judgedTogether(
  where: Where,
  all: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const group = `rules-${randomBytes(5).toString('hex')}.example`;
  const refused = await refusedOf(where, group, all);
  const taken = all.filter((rule) => !refused.has(rule));
  await define(where, group, taken);
  const said = await saidOf(where, group, taken);
  return new Map(
    all.map((rule) => [
      rule,
      refused.has(rule) ? 'does not compile' : outcomeOf(said.get(rule), rule),
    ]),
  );
}

function outcomeOf(message: string | undefined, rule: string): string {
  if (message === undefined) return 'holds';
  if (message.includes('failed rule:')) return 'fails';
  return message
    .replace(/^Invalid value: ("object": )?/, '')
    .replace(` evaluating rule: ${rule}`, '');
}

async function refusedOf(where: Where, group: string, rules: readonly string[]) {
  const { status, text: body } = await post(where, `${definitions}?dryRun=All`, {
    ...definition(group, rules),
  });
  return status === 201 ? new Map<string, string>() : causesIn(body, rules);
}

async function define(where: Where, group: string, rules: readonly string[]): Promise<void> {
  const { status, text: body } = await post(where, definitions, definition(group, rules));
  if (status !== 201) throw new Error(`the rules are not taken: ${status} ${body}`);
}

/** Asked again until the definition is served. */
async function saidOf(where: Where, group: string, rules: readonly string[]) {
  const object = {
    apiVersion: `${group}/v1`,
    kind: 'Ruled',
    metadata: { name: 'one' },
    spec: Object.fromEntries(rules.map((_, at) => [`r${at}`, self])),
  };
  for (const until = performance.now() + where.place.patienceMs; ; await sleep(50)) {
    const { status, text: body } = await post(where, `/apis/${group}/v1/ruleds`, object);
    if (status === 201) return new Map<string, string>();
    if (status === 422) return causesIn(body, rules);
    if (status !== 404 || performance.now() > until) throw new Error(`${status} ${body}`);
  }
}

type Status = {
  readonly details: {
    readonly causes: readonly { readonly field: string; readonly message: string }[];
  };
};

/** By the number of the field that each names. */
function causesIn(body: string, rules: readonly string[]): ReadonlyMap<string, string> {
  const { details } = JSON.parse(body) as Status;
  return new Map(
    details.causes.flatMap(({ field, message }) => {
      const [, at] = /\br(\d+)\b/.exec(field) ?? [];
      const rule = at === undefined ? undefined : rules[Number(at)];
      // Of all rules together: they may cost too much, as one of them does.
      return rule === undefined ? [] : [[rule, message] as const];
    }),
  );
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function definition(group: string, rules: readonly string[]) {
  const properties = Object.fromEntries(
    rules.map((rule, at) => [`r${at}`, { ...schema, 'x-kubernetes-validations': [{ rule }] }]),
  );
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties } },
  };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
  return {
    metadata: { name: `ruleds.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural: 'ruleds', singular: 'ruled', kind: 'Ruled' },
      versions: [version],
    },
  };
}

function post({ place, caller }: Where, path: string, object: object): Promise<Reply> {
  const headers = {
    authorization: `Bearer ${place.token}`,
    'content-type': 'application/json',
    accept: 'application/json',
  };
  return caller.call({ method: 'POST', path, headers, body: JSON.stringify(object) });
}
