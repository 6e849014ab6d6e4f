import type { FieldError, Schema } from '../../parts.ts';
import type { Rule } from '../cel/compile.ts';
import { rulesIn } from '../cel/rule-errors.ts';
import { invalid, notSupported, required } from '../valid/found.ts';
import { findPath } from './field-path.ts';

const reasons = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

/** What can be said of a rule without reading its expression. */
export function ruleTextErrors(schema: Schema, path: string): readonly FieldError[] {
  return rulesIn(schema).flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`;
    return [
      ...textErrors(rule, at),
      ...expressionErrors(rule, at),
      ...pathErrors(rule, schema, at),
    ];
  });
}

function textErrors({ rule, message }: Rule, at: string): readonly FieldError[] {
  if (rule.trim() === '') return [required(`${at}.rule`, 'rule is not specified')];
  if (message !== undefined && message !== '' && message.trim() === '')
    return [invalid(`${at}.message`, message, 'must be non-empty if specified')];
  if (message?.trim().includes('\n') === true)
    return [invalid(`${at}.message`, message, 'must not contain line breaks')];
  const isUnsaid = rule.trim().includes('\n') && (message ?? '') === '';
  return isUnsaid
    ? [required(`${at}.message`, 'message must be specified if rule contains line breaks')]
    : [];
}

function expressionErrors({ messageExpression, reason }: Rule, at: string): readonly FieldError[] {
  const isBlank =
    messageExpression !== undefined && messageExpression !== '' && messageExpression.trim() === '';
  return [
    ...(isBlank
      ? [required(`${at}.messageExpression`, 'messageExpression must be non-empty if specified')]
      : []),
    ...(reason === undefined || reasons.includes(reason)
      ? []
      : [notSupported(`${at}.reason`, reason, reasons)]),
  ];
}

function pathErrors({ fieldPath }: Rule, schema: Schema, at: string): readonly FieldError[] {
  if (fieldPath === undefined || fieldPath === '') return [];
  const found = findPath(fieldPath, schema, true);
  return 'schema' in found ? [] : [invalid(`${at}.fieldPath`, fieldPath, 'must be a valid path')];
}
