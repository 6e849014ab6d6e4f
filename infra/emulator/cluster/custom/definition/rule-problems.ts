import { isJsonObject } from '#shared/domain/json.ts';
import type { FieldError, Schema } from '../../parts.ts';
import { messageProblem, type Rule, ruleProblem, traitsOf } from '../cel/compile.ts';
import { rulesIn } from '../cel/rule-errors.ts';
import { forbidden, invalid } from '../valid/found.ts';
import { valuesOf } from '../valid/keyword.ts';
import { dumpRule } from './go-dump.ts';

type Where = {
  readonly path: string;
  readonly isRoot: boolean;
  /** The list below which no item can be told from one update to the next. */
  readonly uncorrelated: string | undefined;
};

/** Rules that do not compile against what the schema describes. */
export function ruleProblems(schema: Schema, where: Where): readonly FieldError[] {
  const { path, isRoot } = where;
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const seen = isResource ? { ...schema, 'x-kubernetes-embedded-resource': true } : schema;
  const values = valuesOf(schema);
  const below = { isRoot: false, uncorrelated: where.uncorrelated };
  return [
    ...(values === undefined
      ? []
      : ruleProblems(values, { ...below, path: `${path}.additionalProperties` })),
    ...Object.entries(schema.properties ?? {}).flatMap(([key, each]) =>
      ruleProblems(each, { ...below, path: `${path}.properties[${key}]` }),
    ),
    ...itemProblems(schema, where),
    ...rulesIn(schema).flatMap((rule, index) =>
      problemsOf(rule, seen, { ...where, path: `${path}.x-kubernetes-validations[${index}]` }),
    ),
  ];
}

function itemProblems(schema: Schema, { path, uncorrelated }: Where): readonly FieldError[] {
  const { items } = schema;
  if (items === undefined) return [];
  const isMap = schema['x-kubernetes-list-type'] === 'map';
  return ruleProblems(items, {
    path: `${path}.items`,
    isRoot: false,
    uncorrelated: uncorrelated ?? (isMap ? undefined : path),
  });
}

function problemsOf(rule: Rule, schema: Schema, where: Where): readonly FieldError[] {
  const { path } = where;
  const shown = dumpRule(isJsonObject(rule) ? rule : {});
  const problem = ruleProblem(rule, schema);
  if (problem !== undefined) return [invalid(`${path}.rule`, shown, problem)];
  const message = messageProblem(rule, schema);
  return [
    ...(message === undefined ? [] : [invalid(`${path}.messageExpression`, shown, message)]),
    ...traitErrors(rule, where),
  ];
}

function traitErrors({ rule, optionalOldSelf }: Rule, { path, uncorrelated }: Where) {
  const { usesOld, isCostly } = traitsOf(rule);
  const optional =
    usesOld || optionalOldSelf === undefined
      ? []
      : [invalid(`${path}.optionalOldSelf`, optionalOldSelf, unusedText)];
  const costly = isCostly ? [forbidden(`${path}.rule`, costText)] : [];
  if (!usesOld || uncorrelated === undefined) return [...costly, ...optional];
  const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
  return [...costly, invalid(`${path}.rule`, rule, why)];
}

const unusedText = 'may not be set if oldSelf is not used in rule';
const costText =
  'estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
