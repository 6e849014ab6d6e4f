/** What the real server complains of in a name; none if it is well. */
export type NameRule = (name: string) => readonly string[];

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain = `${label}(\\.${label})*`;
const key = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

export const dnsLabel: NameRule = (name) => [
  ...longerThan(name, 63),
  ...(whole(label).test(name) ? [] : [dnsLabelComplaint(name)]),
];

function dnsLabelComplaint(name: string): string {
  return whole(subdomain).test(name)
    ? 'must not contain dots'
    : regex(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
        label,
        ['my-name', '123-abc'],
      );
}

export const dnsSubdomain: NameRule = (name) => [
  ...longerThan(name, 253),
  ...fits(name, subdomain, {
    message:
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
    examples: ['example.com'],
  }),
];

/** `*.example.com` */
export const wildcard: NameRule = (name) => [
  ...longerThan(name, 253),
  ...fits(name, `\\*\\.${subdomain}`, {
    message:
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
    examples: ['*.example.com'],
  }),
];

export const dns1035Label: NameRule = (name) => [
  ...longerThan(name, 63),
  ...fits(name, '[a-z]([-a-z0-9]*[a-z0-9])?', {
    message:
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
    examples: ['my-name', 'abc-123'],
  }),
];

/** What may be a segment of a path: names of roles and the like. */
export const pathSegment: NameRule = (name) => {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%']
    .filter((sign) => name.includes(sign))
    .map((sign) => `may not contain '${sign}'`);
};

export const labelValue: NameRule = (value) => [
  ...longerThan(value, 63, 'bytes'),
  ...fits(value, `(${key})?`, {
    message:
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    examples: ['MyValue', 'my_value', '12345'],
  }),
];

const keyMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const keyExamples = ['MyName', 'my.name', '123-abc'];

/** The key of a label, an annotation, a finalizer. */
export const qualifiedName: NameRule = (name) => {
  const parts = name.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${regex(keyMessage, key, keyExamples)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const [prefix, own = ''] = parts.length === 2 ? [parts[0], parts[1]] : [undefined, parts[0]];
  return [...prefixComplaints(prefix), ...ownComplaints(own)];
};

function prefixComplaints(prefix: string | undefined): readonly string[] {
  if (prefix === undefined) return [];
  if (prefix === '') return ['prefix part must be non-empty'];
  return dnsSubdomain(prefix).map((complaint) =>
    `prefix part ${complaint}`.replace('253 characters', '253 bytes'),
  );
}

function ownComplaints(own: string): readonly string[] {
  const empty = own === '' ? ['name part must be non-empty'] : [];
  const long = own.length > 63 ? ['name part must be no more than 63 bytes'] : [];
  const bad = whole(key).test(own) ? [] : [`name part ${regex(keyMessage, key, keyExamples)}`];
  return [...empty, ...long, ...bad];
}

export const portName: NameRule = (name) => [
  ...longerThan(name, 15),
  ...(/^[-a-z0-9]+$/.test(name)
    ? []
    : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
  ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
  ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
  ...(/^-|-$/.test(name) ? ['must not begin or end with a hyphen'] : []),
];

export const configKey: NameRule = (name) => [
  ...longerThan(name, 253),
  ...fits(name, '[-._a-zA-Z0-9]+', {
    message: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    examples: ['key.name', 'KEY_NAME', 'key-name'],
  }),
  ...parentDirectory(name),
];

function parentDirectory(name: string): readonly string[] {
  if (name === '.' || name === '..') return [`must not be '${name}'`];
  return name.startsWith('..') ? ["must not start with '..'"] : [];
}

export const envName: NameRule = (name) =>
  /^[\x20-\x7e]*$/.test(name) && !name.includes('=')
    ? []
    : [
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
      ];

export const percent: NameRule = (value) =>
  fits(value, '[0-9]+%', {
    message: "a valid percent string must be a numeric string followed by an ending '%'",
    examples: ['1%', '93%'],
  });

type Said = { readonly message: string; readonly examples: readonly string[] };

function fits(value: string, pattern: string, { message, examples }: Said): readonly string[] {
  return whole(pattern).test(value) ? [] : [regex(message, pattern, examples)];
}

function regex(message: string, pattern: string, examples: readonly string[]): string {
  // The real one has two blanks before its `or`.
  const shown = examples.map((each) => `'${each}', `).join(' or ');
  return `${message} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

const compiled = new Map<string, RegExp>();

function whole(pattern: string): RegExp {
  const known = compiled.get(pattern) ?? new RegExp(`^(?:${pattern})$`);
  compiled.set(pattern, known);
  return known;
}

function longerThan(name: string, most: number, unit = 'characters'): readonly string[] {
  return name.length > most ? [`must be no more than ${most} ${unit}`] : [];
}
