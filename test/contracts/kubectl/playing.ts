import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { normalised } from './normalising.ts';

export type Command = {
  /** Its words are between blanks, unless `words` says them. */
  readonly run: string;
  readonly words?: readonly string[];
  readonly input?: string;
  readonly edit?: string;
  /** Repeated until the output holds it. */
  readonly until?: string;
  /** What differs between any two servers, as regular expressions. */
  readonly masks?: readonly string[];
  /** kubectl itself prints it in the order of a Go map, up to some version. */
  readonly unordered?: boolean;
};

export type Said = { readonly code: number | null; readonly out: string; readonly error: string };

export type Player = (command: Command) => Promise<Said>;

/** A command that is said twice is numbered, so that each has a title of its own. */
export function script(name: 'plain' | 'controlled'): readonly (readonly [string, Command])[] {
  const page = readFileSync(new URL(`${name}.yaml`, import.meta.url), 'utf8');
  const commands = parse(page, { maxAliasCount: -1 }) as readonly Command[];
  return commands.map((command, at) => {
    const before = commands.slice(0, at).filter(({ run }) => run === command.run).length;
    return [before === 0 ? command.run : `${command.run} (${before + 1})`, command] as const;
  });
}

type Where = {
  readonly program: string;
  readonly kubeconfig: string;
  readonly namespace: string;
};

export function playerOf(where: Where): Player {
  return async (command) => {
    const patience = performance.now() + 15_000;
    for (;;) {
      const said = asComparable(await once(where, command), command, where.namespace);
      const isSo = command.until === undefined || said.out.includes(command.until);
      if (isSo || performance.now() > patience) return said;
      await sleep(100);
    }
  };
}

function asComparable(
  said: Said,
  { masks = [], unordered = false }: Command,
  namespace: string,
): Said {
  const plain = (text: string) =>
    masks.reduce(
      (rest, mask) => rest.replaceAll(new RegExp(mask, 'gm'), '<masked>'),
      normalised(text, namespace),
    );
  const out = plain(said.out);
  const ordered = unordered ? out.split('\n').toSorted().join('\n') : out;
  return { code: said.code, out: ordered, error: plain(said.error) };
}

async function once({ program, kubeconfig, namespace }: Where, command: Command): Promise<Said> {
  const words = command.words ?? command.run.split(' ');
  const kubectl = spawn(program, ['--namespace', namespace, ...words], {
    env: { ...process.env, KUBECONFIG: kubeconfig, KUBE_EDITOR: command.edit ?? 'false' },
  });
  kubectl.stdin.on('error', () => {});
  kubectl.stdin.end(command.input ?? '');
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  kubectl.on('close', resolve).on('error', reject);
  const [out, error, code] = await Promise.all([
    text(kubectl.stdout),
    text(kubectl.stderr),
    promise,
  ]);
  return { code, out, error };
}
