import { parseDuration } from '../duration.ts';
import { parseBool } from '../go-bool.ts';
import { readEntry } from './allow-list.ts';
import { userAnnotations } from './label-keys.ts';
import { registriesIn } from './settings.ts';

/** What a namespace in user mode states. */
export type UserTrust = {
  readonly url: string;
  readonly allowed: readonly string[];
  /** Zero: no limit. */
  readonly timeoutMs: number;
  readonly isStrict: boolean;
};

type Read =
  | { readonly ok: true; readonly stated: UserTrust }
  | { readonly ok: false; readonly problems: readonly [string, ...string[]] };

type Bounds = {
  /** Whose Notary may be named; any where none is listed. */
  readonly hosts: readonly string[];
  /** Without it the URL may be missing. */
  readonly asksNotary: boolean;
};

type Part<T> = { readonly value: T; readonly problems: readonly string[] };

/** As a whole: all that is wrong is told at once. */
export function readUserTrust(annotations: Readonly<Record<string, string>>, bounds: Bounds): Read {
  const stated = (key: string) => (Object.hasOwn(annotations, key) ? annotations[key] : undefined);
  const url = readUrl(stated(userAnnotations.url), bounds);
  const allowed = readAllowed(stated(userAnnotations.allowed));
  const timeout = readTimeout(stated(userAnnotations.timeout));
  const strict = readStrict(stated(userAnnotations.strict));

  const [first, ...rest] = [url, allowed, timeout, strict].flatMap(({ problems }) => problems);
  if (first !== undefined) return { ok: false, problems: [first, ...rest] };
  return {
    ok: true,
    stated: {
      url: url.value,
      allowed: allowed.value,
      timeoutMs: timeout.value,
      isStrict: strict.value,
    },
  };
}

function readUrl(stated: string | undefined, { hosts, asksNotary }: Bounds): Part<string> {
  if (stated === undefined && !asksNotary) return good('');
  const flaw = flawOfUrl(stated?.trim() ?? '', hosts);
  // In one spelling: all that is kept of what it says is kept by it.
  const value = URL.parse(stated?.trim() ?? '')?.href.replace(/\/+$/, '') ?? '';
  return flaw === undefined ? good(value) : bad('', `${userAnnotations.url}: ${flaw}`);
}

const controlCharacter = /\p{Cc}/u;
/** It is part of what is kept in an index, whose entries have 2,700 bytes. */
const longestUrl = 1_000;

/** A namespace's user must not make us ask wherever we reach: https alone, no credentials, and no host but an allowed one. */
function flawOfUrl(text: string, hosts: readonly string[]): string | undefined {
  if (text === '') return 'notary URL is not set';
  // The parser would leave some of them out.
  if (controlCharacter.test(text)) return 'it must hold no control characters';
  const url = URL.parse(text);
  if (url === null) return 'it is no URL';
  if (url.href.length > longestUrl) return `it is longer than ${longestUrl} characters`;
  if (url.protocol !== 'https:') return 'it must begin with https://';
  if (url.username !== '' || url.password !== '') return 'it must hold no credentials';
  if (url.search !== '' || url.hash !== '') return 'it must end with its path';
  return flawOfHost(url, hosts);
}

function flawOfHost({ host }: URL, allowed: readonly string[]): string | undefined {
  const isAllowed = allowed.length === 0 || allowed.some((each) => hostIn(each) === host);
  return isAllowed ? undefined : `${host} is none of the hosts that the operator allows`;
}

/** In the form that a URL has it: without a port where it is the usual one. */
export function hostIn(stated: string): string | undefined {
  return URL.parse(`https://${stated}`)?.host;
}

/** Whoever may write a namespace has each of them read, and each that is wrong told of each image. */
const mostAllowed = 1_000;
const mostTold = 10;

function readAllowed(stated = ''): Part<readonly string[]> {
  const value = registriesIn(stated);
  const told = (why: string) => `${userAnnotations.allowed}: ${why}`;
  if (value.length > mostAllowed) {
    return bad(
      [],
      told(`it has ${value.length} entries, and no more than ${mostAllowed} are read`),
    );
  }
  const flaws = value.flatMap((entry) => {
    const read = readEntry(entry);
    return read.ok ? [] : [read.why];
  });
  const left = flaws.length - mostTold;
  const more = left > 0 ? [`${left} more of its entries cannot be read`] : [];
  return { value, problems: [...flaws.slice(0, mostTold), ...more].map(told) };
}

function readTimeout(stated = '30s'): Part<number> {
  const value = parseDuration(stated) ?? -1;
  if (value >= 0) return good(value);
  return bad(
    0,
    `${userAnnotations.timeout}: ${quoted(stated)} is no duration such as 30s or 1m30s`,
  );
}

function readStrict(stated = 'true'): Part<boolean> {
  const value = parseBool(stated);
  if (value !== undefined) return good(value);
  return bad(true, `${userAnnotations.strict}: ${quoted(stated)} is neither true nor false`);
}

/** Cut, since the text is somebody's. */
function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}

function good<T>(value: T): Part<T> {
  return { value, problems: [] };
}

function bad<T>(value: T, ...problems: readonly string[]): Part<T> {
  return { value, problems };
}
