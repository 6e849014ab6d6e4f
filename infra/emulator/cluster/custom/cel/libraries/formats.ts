import { type Environment, Optional } from '@marcbachmann/cel-js';
import {
  dns1035Label,
  dnsLabel,
  dnsSubdomain,
  labelValue,
  type NameRule,
  qualifiedName,
} from '../../../kinds/words/names.ts';
import { isOfFormat } from '../../valid/formats.ts';

/** The receiver of `format.named(…)`: the library calls a function of a namespace on a constant. */
class FormatNamespace {}

/** A class, since the library tells types by their constructor. */
class CelFormat {
  readonly complaints: NameRule;
  constructor(complaints: NameRule) {
    this.complaints = complaints;
  }
}

export function registerFormats(to: Environment): void {
  to.registerType('FormatNamespace', FormatNamespace);
  to.registerType('kubernetes.NamedFormat', { ctor: CelFormat, fields: {} });
  to.registerConstant('format', 'FormatNamespace', new FormatNamespace());
  to.registerFunction(
    'FormatNamespace.named(string): optional<kubernetes.NamedFormat>',
    (_: unknown, name: string) => Optional.of(formats.get(name)),
  );
  for (const [name, format] of formats) {
    to.registerFunction(`FormatNamespace.${name}(): kubernetes.NamedFormat`, () => format);
  }
  to.registerFunction(
    'kubernetes.NamedFormat.validate(string): optional<list<string>>',
    ({ complaints }: CelFormat, text: string) => {
      const found = complaints(text);
      return found.length === 0 ? Optional.none() : Optional.of([...found]);
    },
  );
}

const rules: readonly (readonly [string, NameRule])[] = [
  ['dns1123Label', dnsLabel],
  ['dns1123Subdomain', dnsSubdomain],
  ['dns1035Label', dns1035Label],
  ['qualifiedName', qualifiedName],
  ['dns1123LabelPrefix', prefix(dnsLabel)],
  ['dns1123SubdomainPrefix', prefix(dnsSubdomain)],
  ['dns1035LabelPrefix', prefix(dns1035Label)],
  ['labelValue', labelValue],
  ['uri', known('uri', 'invalid URI')],
  ['uuid', known('uuid', 'does not match the UUID format')],
  ['byte', known('byte', 'invalid base64')],
  ['date', known('date', 'invalid date')],
  ['datetime', known('datetime', 'invalid datetime')],
];

const formats: ReadonlyMap<string, CelFormat> = new Map(
  rules.map(([name, complaints]) => [name, new CelFormat(complaints)]),
);

/** Something follows: it may end with a dash. */
function prefix(rule: NameRule): NameRule {
  return (name) => rule(name.replace(/-$/, 'a'));
}

function known(format: string, complaint: string): NameRule {
  return (text) => (isOfFormat(text, format) ? [] : [complaint]);
}
