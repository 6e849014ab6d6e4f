import type { Happening } from '#shared/runtime/happening.ts';
import type { Log } from '#shared/runtime/log.ts';
import type { Against } from '../../emulator/dev/against/open-against.ts';
import type { Reloaded } from '../../emulator/dev/functions-in-work.ts';
import type { Places } from '../../emulator/dev/state-files.ts';
import { lineOf } from '../events/line.ts';
import type { Style, Terminal } from '../output.ts';
import { plain } from '../queue/table.ts';
import { type ErrorWords, openErrorWords } from './error-words.ts';
import { patientLog } from './patient-log.ts';
import { openRepeated } from './repeated.ts';
import type { Told } from './watch-sleep.ts';

export type How = {
  readonly quiet: boolean;
  readonly json: boolean;
  readonly inWords?: ErrorWords;
  /** Since the process began. */
  readonly uptimeMs?: () => number;
};

/** All that `gatehouse dev` says: what happens on standard output, what concerns itself on standard error. */
export type Lines = {
  readonly log: Log;
  /** What somebody takes for an answer is no time that the start took. */
  readonly ask: Terminal['ask'];
  say(text: string): void;
  /** An error as it would be told, for a thread that must write it itself; what it adds comes between the two. */
  errorAround(why: (what: string) => string, message: string): Told;
  happened(happening: Happening): void;
  reloaded(reloaded: Reloaded): void;
  ready(places: Places | Against['places']): void;
  /** From here on what comes to its end is as it should be. */
  ending(): void;
};

/** What the first events mend is looked at again within so long. */
const patienceMs = 5_000;

/** What whoever started it has waited. */
function openWait(uptimeMs: () => number, asking: Terminal['ask']) {
  let askedMs = 0;
  const timed = async (question: string, answering: NonNullable<Terminal['ask']>) => {
    const began = uptimeMs();
    try {
      return await answering(question);
    } finally {
      askedMs += uptimeMs() - began;
    }
  };
  return {
    ask: asking && ((question: string) => timed(question, asking)),
    sinceStart: () => Math.round(uptimeMs() - askedMs),
  };
}

export function openLines(how: How, { print, complain, paint, ask: asking }: Terminal): Lines {
  const { quiet, json, inWords = openErrorWords({}) } = how;
  const { uptimeMs = () => process.uptime() * 1_000 } = how;
  const { ask, sinceStart } = openWait(uptimeMs, asking);
  let isFirst = true;
  const repeated = openRepeated();
  const written = (kind: string, fields: object, text: string) =>
    json ? `${JSON.stringify({ kind, ...fields }, spelled)}\n` : `${text}\n`;
  const tell = (...given: Parameters<typeof written>) =>
    (json ? print : complain)(written(...given));
  const warn = (style: Style, level: string) => (fields: object, message: string) =>
    tell(level, { ...fields, message }, `${paint(style, message)}${detailsOf(fields, inWords)}`);
  const { log, impatient, ending } = patientLog({
    debug() {},
    // What was told to be wrong, and is not any more.
    info: (fields, message) => 'condition' in fields && warn('green', 'note')(fields, message),
    warn: warn('yellow', 'warning'),
    error: warn('red', 'error'),
  });
  return {
    log,
    ending,
    ask,
    say: (text) => tell('note', { text }, paint('dim', text)),
    errorAround(why, message) {
      const between = 'WHAT';
      const fields = { why: why(between) };
      const text = `${message}${detailsOf(fields, inWords)}`;
      const [before = '', after = ''] = written('error', { ...fields, message }, text).split(
        between,
      );
      return { fd: json ? 1 : 2, before, after };
    },
    happened(happening) {
      if (isFirst && happening.kind === 'run') {
        isFirst = false;
        const ms = sinceStart();
        tell('first-event', { ms }, paint('dim', `the first event was handled after ${ms} ms`));
      }
      if (quiet) return;
      if (json) print(`${JSON.stringify(happening)}\n`);
      else if (!repeated.has(happening)) print(lineOf(happening, paint));
    },
    reloaded(reloaded) {
      // Whoever saved something wants to see it run.
      repeated.forget();
      tell('reload', { reload: reloaded }, reloadText(reloaded, paint));
    },
    ready(places) {
      tell('ready', places, readyText(places, sinceStart()));
      setTimeout(impatient, patienceMs).unref();
    },
  };
}

type Details = { readonly why?: unknown; readonly err?: unknown };

/** `why` first, as a sentence; the rest as it comes, and an error, which may take lines of its own, last. */
function detailsOf({ why, err, ...rest }: Details, inWords: ErrorWords): string {
  const fields = Object.entries(rest).map(([key, value]) => `${key}=${textOf(value)}`);
  const told = [...(why === undefined ? [] : [String(why)]), ...fields].map(plain);
  const error =
    err instanceof Error ? [inWords(err)] : err === undefined ? [] : [plain(textOf(err))];
  const all = [...told, ...error];
  return all.length === 0 ? '' : `: ${all.join('  ')}`;
}

/** JSON has nothing of an error. */
function spelled(_: string, value: unknown): unknown {
  return value instanceof Error ? textOf(value) : value;
}

function textOf(value: unknown): string {
  if (value instanceof Error) return value.stack ?? value.message;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function reloadText(reloaded: Reloaded, paint: Terminal['paint']): string {
  if (reloaded.kind === 'reloaded') {
    const { files, ms } = reloaded;
    return paint('green', `reloaded in ${Math.round(ms)} ms: ${files.map(plain).join(', ')}`);
  }
  const problems = reloaded.problems.map(
    ({ file, why, mend }) => `${plain(file)}: ${plain(why)}\n  to mend it: ${plain(mend)}`,
  );
  return `${paint('red', 'not reloaded; the functions as they were go on')}\n${problems.join('\n')}`;
}

function readyText(places: Places | Against['places'], ms: number): string {
  const endpoints = Object.values(places.endpoints).map((url) => `  curl -k ${url}\n`);
  if ('against' in places) {
    return `ready after ${ms} ms: in the cluster at ${places.cluster}
${endpoints.join('')}Ctrl-C ends it, and removes what it made there`;
  }
  const { kubeconfig, cluster } = places;
  return `ready after ${ms} ms: a cluster at ${cluster}
  export KUBECONFIG=${kubeconfig}
  kubectl get nodes
  kubectl label namespace default operator.kyma-project.io/managed-by=kyma
  kubectl run hello --image=nginx && kubectl get pod hello -o yaml
${endpoints.join('')}Ctrl-C ends all of it; the state is kept`;
}
