import { Command, CommanderError } from 'commander';
import { painter, sayError, type World } from '#infra/cli/output.ts';
import { readEnvironment } from '#shared/runtime/config.ts';

export type Said = { readonly exit: number; readonly out: string; readonly err: string };

/** One verb as the command line calls it, with parts of its world handed in. */
export async function callVerb(
  add: (program: Command, world: World) => unknown,
  argv: readonly string[],
  given: {
    readonly ask?: World['terminal']['ask'];
    readonly isBehind?: World['terminal']['isBehind'];
    readonly variables?: Readonly<Record<string, string>>;
  } = {},
): Promise<Said> {
  const said = { exit: 0, out: '', err: '' };
  const complain = (text: string) => {
    said.err += text;
  };
  const print = (text: string) => {
    said.out += text;
  };
  const program = new Command('gatehouse')
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: complain });
  const { ask, isBehind, variables = {} } = given;
  add(program, {
    terminal: { print, complain, read: async () => '', paint: painter(false), ask, isBehind },
    environment: readEnvironment(variables),
    fail: () => {
      said.exit = 1;
    },
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (cause: unknown) {
    if (cause instanceof CommanderError) return { ...said, exit: 2 };
    return { ...said, exit: 1, err: said.err + sayError(cause, { debug: false }) };
  }
  return said;
}
