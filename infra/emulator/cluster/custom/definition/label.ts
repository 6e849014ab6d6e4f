import type { FieldError } from '../../parts.ts';
import { invalid } from '../valid/found.ts';

const label = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const labelText =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** Nothing is no label either, but whether something must be there is told apart. */
export function labelErrors(path: string, value: string): readonly FieldError[] {
  return value === '' ? [] : errors(path, value, labelProblem(value));
}

/** Of names that are written in mixed case, but are labels otherwise. */
export function kindErrors(path: string, value: string): readonly FieldError[] {
  const problem = value === '' ? undefined : labelProblem(value.toLowerCase());
  const intro = 'may have mixed case, but should otherwise match: ';
  return errors(path, value, problem === undefined ? undefined : `${intro}${problem}`);
}

export function isSubdomain(value: string): boolean {
  return value.length <= 253 && subdomain.test(value);
}

export function subdomainErrors(path: string, value: string): readonly FieldError[] {
  return errors(path, value, isSubdomain(value) ? undefined : subdomainText);
}

function labelProblem(value: string): string | undefined {
  if (value.length > 63) return 'must be no more than 63 characters';
  return label.test(value) ? undefined : labelText;
}

function errors(path: string, value: string, problem: string | undefined): readonly FieldError[] {
  return problem === undefined ? [] : [invalid(path, value, problem)];
}
