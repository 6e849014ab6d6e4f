import type { Command } from 'commander';
import type { Buried } from '#events/queue.ts';
import { outputOption } from '../config.ts';
import { asJson, type OutputFormat, type Terminal, trouble, type World } from '../output.ts';
import { buriedFrom, functionIn } from './buried.ts';
import { counted, missingWords } from './show.ts';
import type { Strangers } from './strangers.ts';
import type { Opened, UseQueue } from './use.ts';

type Options = {
  readonly dead?: boolean;
  readonly all?: boolean;
  readonly yes?: boolean;
  readonly output: OutputFormat;
};

/** What is dropped, and how it is said before and after. */
type Purging = {
  readonly what: string;
  readonly act: (opened: Opened) => Promise<Purged>;
  /** Whose messages, where one was named. */
  readonly of: string | undefined;
};

type Purged = {
  readonly purged: number;
  /** Of these, what waited for its time. */
  readonly scheduled: number;
  readonly missing: number;
};

type Given = { readonly use: UseQueue; readonly strangers: Strangers };

export function addPurge(queue: Command, world: World, { use, strangers }: Given): void {
  queue
    .command('purge')
    .argument('[function-or-id...]', 'the function whose waiting messages go; with --dead, ids')
    .description(
      'drop messages for good: what waits for a function, retries and laters too (its periods stay), or what is buried',
    )
    .option('--dead', 'buried ones: those named, or with --all all of them or of one function')
    .option('--all', 'with --dead')
    .option('--yes', 'do not ask')
    .addOption(outputOption('text', 'json'))
    .action(async (words: readonly string[], options: Options, self: Command) => {
      const purging = purgingFrom(words, options) ?? self.error(usage);
      if (!(options.yes ?? (await isMeant(purging, world.terminal)))) {
        world.terminal.complain('nothing was dropped\n');
        return world.fail();
      }
      const done = await use(purging.act);
      if (done.missing > 0) world.fail();
      world.terminal.print(options.output === 'json' ? asJson(done) : said(done));
      if (done.purged === 0) await strangers.tell(purging.of);
    });
}

function said({ purged, scheduled, missing }: Purged): string {
  const kinds = scheduled === 0 ? '' : `: ${purged - scheduled} waiting, ${scheduled} scheduled`;
  return `${counted(purged, 'message')} dropped${kinds}${missingWords(missing)}\n`;
}

const usage = 'error: name one function, or say --dead with ids or --all';

function purgingFrom(
  words: readonly string[],
  { dead = false, all = false }: Options,
): Purging | undefined {
  if (dead) {
    const buried = buriedFrom(words, all);
    return (
      buried && {
        ...{ what: deadWords(buried), of: functionIn(buried) },
        act: (opened) => purgeDead(opened, buried),
      }
    );
  }
  const [name, ...more] = words;
  if (name === undefined || more.length > 0 || all) return undefined;
  return {
    ...{ what: `everything that waits or is scheduled for ${name}`, of: name },
    act: (opened) => purgeWaiting(opened, name),
  };
}

function deadWords(buried: Buried): string {
  if (!('function' in buried)) return counted(buried.length, 'buried message');
  const { function: name } = buried;
  return name === undefined ? 'all buried messages' : `all buried messages of ${name}`;
}

/** The schedule first: what is moved meanwhile is on the queue by then. */
async function purgeWaiting({ queue, schedule }: Opened, name: string): Promise<Purged> {
  const scheduled = await schedule.drop(name);
  return { purged: scheduled + (await queue.purge(name)), scheduled, missing: 0 };
}

async function purgeDead({ queue }: Opened, buried: Buried): Promise<Purged> {
  const { count, missing } = await queue.purgeDead(buried);
  return { purged: count, scheduled: 0, missing: missing.length };
}

/** It cannot be taken back. */
async function isMeant({ what }: Purging, { ask }: Terminal): Promise<boolean> {
  if (ask === undefined) {
    throw trouble(`nobody can be asked whether ${what} shall be dropped`, {
      mend: 'say --yes, where it is meant',
    });
  }
  return /^y(es)?$/i.test((await ask(`drop ${what}? [y/N] `)).trim());
}
