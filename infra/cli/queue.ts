import { type Command, InvalidArgumentError } from 'commander';
import { outputOption } from './config.ts';
import { asJson, type OutputFormat, type World } from './output.ts';
import { depthsIn, nextIn } from './queue/looking.ts';
import { addPurge } from './queue/purge.ts';
import { addRedrive } from './queue/redrive.ts';
import { deadTable, depthTable, ownerText, waitingTable } from './queue/show.ts';
import { type Functions, strangersTo } from './queue/strangers.ts';
import { plain } from './queue/table.ts';
import type { UseQueue } from './queue/use.ts';
import { stateOption } from './state.ts';

type Output = { readonly output: OutputFormat };
type Listing = Output & { readonly max: number };
type DeadListing = Listing & { readonly after?: string };

type Asking = {
  /** Those of a state folder, where one was named. */
  readonly useIn: (state: string | undefined) => UseQueue;
  readonly functions: (state: string | undefined) => Promise<Functions>;
};

export function addQueue(program: Command, world: World, { useIn, functions }: Asking): void {
  const { terminal } = world;
  const { paint } = terminal;
  const queue = program
    .command('queue')
    .description('look at the messages that wake functions, and at those that were buried')
    .addOption(stateOption());
  const state = () => queue.opts<{ state?: string }>().state;
  const use: UseQueue = (work) => useIn(state())(work);
  const strangers = strangersTo(world, { use, functions: () => functions(state()) });
  const show = (output: OutputFormat, value: unknown, text: string) =>
    terminal.print(output === 'json' ? asJson(value) : text);

  queue
    .command('ls')
    .description(
      'how much waits for each function, and for how long; retries and laters are scheduled',
    )
    .addOption(outputOption('text', 'json'))
    .action(async ({ output }: Output) => {
      const found = await use(async (opened) => {
        return { of: opened.of, depths: await depthsIn(opened) };
      });
      // Beside the table, which is for others to read on.
      if (output === 'text') terminal.complain(`${ownerText(found.of)}\n`);
      show(output, found.depths, depthTable(found.depths, paint));
    });

  queue
    .command('peek')
    .argument('<function>', 'whose messages')
    .description(
      'the next messages of a function, without receiving them (SQS cannot show them), and behind them what is scheduled: retries and laters, each with when it is due',
    )
    .option('--max <count>', 'at most so many', countFrom, 20)
    .addOption(outputOption('text', 'json'))
    .action(async (name: string, { max, output }: Listing) => {
      const messages = await use((opened) => nextIn(opened, name, max));
      show(output, messages, waitingTable(name, messages, paint));
      if (messages.length === 0) await strangers.tell(name);
    });

  queue
    .command('dead')
    .argument('[function]', 'whose; of all functions where it is left out')
    .summary('the buried messages, each with its reason')
    .description(
      'The buried messages, each with its reason; -o json shows their bytes as well. SQS shows them by hiding them, ten a call: meanwhile nobody else sees them, and each page of a list goes through all of them. Behind them come those that lie in Postgres (postgres-…), since SQS could not take them.',
    )
    .option('--max <count>', 'at most so many', countFrom, 100)
    .option('--after <id>', 'those behind this one, the last of the page before')
    .addOption(outputOption('text', 'json'))
    .action(async (name: string | undefined, { max, after, output }: DeadListing) => {
      const listing = { max, ...(name && { function: name }), ...(after && { after }) };
      const dead = await use((opened) => opened.queue.listDead(listing));
      show(output, dead, deadTable(dead, paint, after));
      if (dead.length === 0) await strangers.tell(name);
      const last = dead.at(-1);
      if (last === undefined || dead.length < max) return;
      terminal.complain(`there may be more: --after ${plain(last.id)} shows them\n`);
    });

  addRedrive(queue, world, { use, strangers });
  addPurge(queue, world, { use, strangers });
}

function countFrom(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('expected a number from 1 to 999999.');
}
