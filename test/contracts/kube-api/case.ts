import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { expanded } from './shorthand.ts';

/** One request, and what must come back of it. */
export type Step = {
  /** `GET pods/a`, `APPLY configmaps/a?fieldManager=x`, `WATCH pods?…`, `ASKED hook`, `DEFINE`, `VALIDATING`. */
  readonly do: string;
  readonly send?: unknown;
  /** As it is, with the content type that `headers` state. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Who asks, by impersonation. */
  readonly as?: string;
  readonly groups?: readonly string[];
  /** Who asks, by a bearer token; an empty one is nobody. */
  readonly token?: string;
  readonly http2?: boolean;
  /** Events of a watch that are waited for; without it until the watch ends. */
  readonly takes?: number;
  /** Asked again until it is so. */
  readonly eventually?: boolean;
  readonly gives?: number;
  /** What the answer holds, at least; null for what it must not hold. */
  readonly with?: unknown;
  readonly text?: string;
  readonly answers?: Readonly<Record<string, string | null>>;
  /** The warnings, all of them. */
  readonly warns?: readonly string[];
  readonly save?: Readonly<Record<string, string>>;
};

export type Case = {
  readonly title: string;
  /** The case has no namespace. */
  readonly alone?: boolean;
  /** What a server of ours on loopback answers, by path. */
  readonly hooks?: Readonly<Record<string, Hook>>;
  readonly steps: readonly Step[];
};

export type Hook = {
  readonly response?: Readonly<Record<string, unknown>>;
  readonly answer?: unknown;
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** So many times it says first that it is busy, and not for how long. */
  readonly busyTimes?: number;
  readonly delayMs?: number;
  /** The field of `spec` that a version has in place of the other's. */
  readonly convert?: Readonly<Record<string, string>>;
  /** Answered in place of the usual review. */
  readonly raw?: string;
};

export type Chapter = { readonly name: string; readonly cases: readonly Case[] };

const folder = new URL('cases/', import.meta.url);

/** `controlled` chapters need a server that has its controllers. */
export function chapters(which: 'plain' | 'controlled'): readonly Chapter[] {
  const isOne = (file: string) => file.startsWith('controlled-') === (which === 'controlled');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml') && isOne(file))
    .toSorted()
    .map((file) => read.get(file) ?? chapterIn(file));
}

/** Parsing is what takes long: each is read once. */
const read = new Map<string, Chapter>();

function chapterIn(file: string): Chapter {
  const cases = parse(readFileSync(new URL(file, folder), 'utf8')) as readonly Case[];
  const titles = cases.map(({ title }) => title);
  const twice = titles.find((title, at) => titles.indexOf(title) !== at);
  if (twice !== undefined) throw new Error(`two cases of ${file} are called "${twice}"`);
  const silent = cases.find(({ steps }) =>
    steps.flatMap(expanded).some(({ gives }) => gives === undefined),
  );
  if (silent !== undefined) throw new Error(`"${silent.title}" of ${file} expects nothing`);
  const chapter = { name: file.replace(/\.yaml$/, '').replaceAll('-', ' '), cases };
  read.set(file, chapter);
  return chapter;
}
